"""The runs of one test in this process: for each of them function fixtures are torn down and set up again.

pytest sets an item up once, calls it once and tears it down once. All runs are made within its call, so that whatever
else looks at the item sees one test. The first run uses the fixtures that pytest has set up.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import CodeType
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.logging import caplog_handler_key, caplog_records_key
from _pytest.tmpdir import tmppath_result_key
from _pytest.unittest import TestCaseFunction

from pytest_flex import _native, running
from pytest_flex._native import Limits, Recorder, Seeds, Test, hung
from pytest_flex.learning.wrapping import wrapped
from pytest_flex.runs.ending import HungRun, Skipped, inconclusive
from pytest_flex.runs.given import given_of
from pytest_flex.runs.isolate import run_isolated
from pytest_flex.runs.recorded import RecordedRun
from pytest_flex.seeds import literal_seeds, seed_hooks, seeding
from pytest_flex.seeds.literal_seeds import SeededRun
from pytest_flex.session.session import FlexSession
from pytest_flex.source.finder import SiteFinder

if TYPE_CHECKING:
    from pytest_flex.observing.observed import Sites
    from pytest_flex.runs.beside import RunsBeside
    from pytest_flex.seeds.seed_log import SeedLog


class Runs(RecordedRun):
    """The runs of one item."""

    def __init__(
        self,
        item: pytest.Function,
        session: FlexSession,
        test: Test,
        first: tuple[str, int],
        judged: bool = False,
    ) -> None:
        super().__init__(Recorder(test.light), SiteFinder(_code_of(item), session.folder))
        self.item = item
        self.test = test
        self.session = session
        phase, self.first_index = first
        self.seeds = Seeds(session.base, phase, test.name)
        self.varies_seeds = session.options.vary_seeds
        """Whether literal seeds vary with the run."""
        self.same_seed = False
        """Whether all runs have the seed of the first."""
        self.keeps_first = False
        """Whether run 0 has the seeds that the source states."""
        self.seed_log: SeedLog | None = None
        self.sites: Sites | None = None
        """Where the assertions of the test are recorded."""
        self.watches = False
        """Whether it is seen what runs touch that can differ."""
        self.watch: _native.Watch | None = None
        """That of the last run, if it is."""
        self._seeded: SeededRun | None = None
        self._imported: list[str] = []
        self._setup = item.setup
        self._body = item.runtest
        self._state = item.session._setupstate
        self._before_body: seeding.States | None = None
        self._left_behind: BaseException | None = None
        """What the fixtures of the last run raised when they were torn down."""
        self._needed = _Sibling(item, session.options.fresh)
        if isinstance(item, TestCaseFunction):
            _allow_no_run(item)
        self.base, self._phase = session.base, phase
        self.as_json = judged and session.environment.log_json
        """Whether programs asked for the verdict of the test, which a run that hangs is."""
        self.limits = self._new_limits()
        self.given = given_of(item, shrinks=phase == "enforce" or session.replayed is not None)
        """What draws the example of a run, if hypothesis calls the test."""
        self.beside: RunsBeside | None = None
        """What makes runs on threads, if they may be beside each other and each is for itself."""
        if test.runs_in_parallel > 1 and not session.options.isolate and session.options.fresh is None:
            from pytest_flex.runs.beside import RunsBeside

            self.beside = RunsBeside(item, test, self._finder, self._new_limits)

    def _new_limits(self) -> Limits:
        # Where each run has a process, that can be ended.
        told = [] if self.session.options.isolate else self.session.told
        return Limits(self.test, told, self.session.pace_of(self.test.name), self.as_json)

    def go_on_under(self, base: str) -> None:
        """Let the runs be those of another base seed."""
        self.base, self.seeds = base, Seeds(base, self._phase, self.test.name)

    def leave_out(self) -> None:
        """Take note that the run that pytest has set fixtures up for is not made: what it shows is known."""
        self._before_body = None

    def set_up_first(self) -> None:
        """Set the function fixtures up for the first run, in pytest's own setup phase."""
        with self._watched(self.first_index):
            self._begin(self.first_index)
            with self._under_way():
                self._setup()
        # Other plugins seed between the phases.
        self._before_body = seeding.States()

    def make(self, index: int) -> None:
        """Make a run. What it raises is how it failed."""
        with self._watched(index):
            try:
                self._make(index)
            except Exception as error:
                reason = inconclusive(error)
                if reason is not None:
                    self.recorder.inconclusive = reason
                raise

    def _make(self, index: int) -> None:
        if self.session.options.isolate:
            self._finder.prepare()
            run_isolated(self.again, index, self.test, self.recorder, self.limits.limit)
        elif self._before_body is not None and self.session.options.fresh is None:
            assert index == self.first_index, "pytest has set fixtures up for another run"
            self._first()
            if seeding.imported() != self._imported:
                # The run imported a library, whose generator could not be seeded before it.
                self.again(index)
        elif self.beside is not None and self.sites is None:
            self._make_beside(self.beside, index)
        else:
            self.again(index)

    def _make_beside(self, beside: RunsBeside, index: int) -> None:
        beside.words_for = self.words_for
        record, error = beside.make(index, self.seeds.run, (self.base, self._phase))
        self.recorder.absorb(record)
        if error is not None:
            raise error

    def touched_nothing(self) -> bool:
        """Whether the last run shows that nothing in it can differ: as far as was seen, and in what it tears down."""
        watch = self.watch
        # Draws from what other packages have seeded are not seen.
        if watch is None or self.touches() or seeding.registered():
            return False
        try:
            with watch:
                self._tear_down()
        except (Exception, pytest.fail.Exception, *Skipped) as error:
            # The next run fails of it.
            self._left_behind = error
            return False
        return not self.touches() and not watch.imported

    def touches(self) -> list[Any]:
        """Return what the last run touched, as far as was seen."""
        return [] if self.watch is None else self.watch.probe().touches()

    def replay(self, base: str, run: int) -> None:
        """Make a run of the calibration with this base seed once more. What it raises is how it failed."""
        # What pytest has set up is for another seed, and fixtures are set up anew.
        self._before_body = None
        beside, self.beside = self.beside, None
        seeds, self.seeds = self.seeds, Seeds(base, "calibrate", self.test.name)
        before, (self.base, self._phase) = (self.base, self._phase), (base, "calibrate")
        try:
            self.make(run)
        finally:
            self.seeds, self.beside = seeds, beside
            self.base, self._phase = before

    def hung(self, error: HungRun, run: int, base: str | None = None) -> str:
        """Return what to say of a run that hung; one of the calibration if it has a base seed of its own."""
        base, phase = (self.base, self._phase) if base is None else (base, "calibrate")
        return f"flex: {self.test.name}: {hung(self.test, base, phase, run, error.seconds, self.as_json)}"

    @contextlib.contextmanager
    def _watched(self, index: int) -> Iterator[None]:
        """Watch a run, so that somebody notices if it does not end."""
        self.limits.begin(self.base, self._phase, index)
        try:
            yield
        finally:
            self.limits.end()

    def _first(self) -> None:
        """Make the first run, with the fixtures that pytest has set up."""
        assert self._before_body is not None
        self._before_body.restore()
        self._before_body = None
        seeding.seed_registered(self.seed)
        self._run_body()

    def again(self, index: int) -> None:
        """Make a run with fixtures of its own."""
        item = self.item
        try:
            self._tear_down()
        except BaseException:
            # It is this run that fails of it.
            self._begin(index)
            raise
        item._initrequest()
        if item.cls is not None:
            # A fresh instance of the test class.
            item.__dict__.pop("_instance", None)
            item.__dict__.pop("_obj", None)
        self._begin(index)
        _forget_logs(item, "setup")
        with self._under_way():
            item.setup = self._setup  # type: ignore[method-assign]
            self._state.setup(item)
        _forget_logs(item, "call")
        self._run_body()

    def _tear_down(self) -> None:
        """Tear down the fixtures of the last run."""
        if self._left_behind is not None:
            error, self._left_behind = self._left_behind, None
            raise error
        # `tmp_path` looks for how the phases of its test ended, which pytest says once for all runs.
        self.item.stash.setdefault(tmppath_result_key, {})
        self._state.teardown_exact(self._needed)  # type: ignore[arg-type]

    def _begin(self, index: int) -> None:
        self.seed = self.seeds.run(0 if self.same_seed else index)
        self._imported = seeding.imported()
        self.recorder.start()
        self._open.clear()
        self.watch = None
        if self.watches and self.beside is None:
            self.watch = _native.Watch(seeded=True)
        seeding.seed_all(self.seed)
        if self.varies_seeds:
            seed_hooks.install()
            as_written = self.keeps_first and index == 0
            self._seeded = SeededRun(self.seed, as_written, index, self.seed_log)
        if self.sites is not None:
            self.sites.start(index)

    @contextlib.contextmanager
    def _under_way(self) -> Iterator[None]:
        """Let everything know that the run is under way."""
        running.run, running.sites = self, self.sites
        try:
            with literal_seeds.under(self._seeded), self.watch or contextlib.nullcontext():
                yield
        finally:
            running.run = running.sites = None

    def _run_body(self) -> None:
        item = self.item
        self.subtest_errors.clear()
        with self._under_way():
            try:
                if self.given is None:
                    self._body()
                else:
                    self.given.call(self.seed, self._body)
            except ArithmeticError as wrong:
                self._explain(wrong)
                raise
        self._end()
        # unittest keeps what went wrong instead of raising it.
        errors = item.__dict__.get("_excinfo")
        if errors:
            error = errors[0].value
            errors.clear()
            raise error

    def wrapping_if_stochastic(self) -> Any:
        """Return the same for a stochastic test; others have no learned tolerances."""
        is_stochastic = self.item.get_closest_marker("stochastic") is not None
        return self.wrapping() if is_stochastic else contextlib.nullcontext()

    @contextlib.contextmanager
    def wrapping(self) -> Iterator[None]:
        """Return a context for runs, in which functions that take tolerances know learned ones."""
        with wrapped(self.session.rootpath):
            try:
                yield
            except (KeyboardInterrupt, pytest.exit.Exception):
                self._close(wait=False)
                raise
            finally:
                self._close()

    def _close(self, wait: bool = True) -> None:
        if self.beside is not None:
            self.beside.close(wait)


def _allow_no_run(item: TestCaseFunction) -> None:
    """Let a test of unittest be torn down although no run of it was made: pytest expects what a run leaves."""
    teardown = item.teardown

    def tear_down() -> None:
        for name in ("_explicit_tearDown", "_instance"):
            item.__dict__.setdefault(name, None)
        teardown()

    item.teardown = tear_down  # type: ignore[method-assign]


def _forget_logs(item: pytest.Item, when: str) -> None:
    """Let `caplog` begin anew, as pytest does when a phase of a test begins."""
    handler = item.stash.get(caplog_handler_key, None)
    if handler is not None:
        handler.reset()
        item.stash[caplog_records_key][when] = handler.records


class _Sibling:
    """Stands for a test beside the item, so that pytest tears down what that would not need."""

    def __init__(self, item: pytest.Item, fresh: str | None) -> None:
        chain: list[Any] = item.listchain()[:-1]
        if fresh == "module":
            kept = [node for node in chain if not isinstance(node, pytest.Module | pytest.Class)]
            chain = kept
        elif fresh == "session":
            chain = []
        self.chain = [*chain, self]

    def listchain(self) -> list[Any]:
        return self.chain


def _code_of(item: pytest.Function) -> CodeType:
    function = item.function
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    # What is called need not be a function of Python.
    return getattr(function, "__code__", _code_of.__code__)
