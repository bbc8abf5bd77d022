"""The runs of one test in this process: for each of them function fixtures are torn down and set up again.

pytest sets an item up once, calls it once and tears it down once. All runs are made within its call, so that whatever
else looks at the item sees one test. The first run uses the fixtures that pytest has set up.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.logging import caplog_handler_key, caplog_records_key
from _pytest.tmpdir import tmppath_result_key

from pytest_flex import running
from pytest_flex._native import Limits, Recorder, Seeds, Test, hung
from pytest_flex.claiming.claim import Claim, ClaimError
from pytest_flex.learning.measure import ends_of_type
from pytest_flex.learning.placeholder import Learned, LearnedError
from pytest_flex.learning.wrapping import wrapped
from pytest_flex.runs.ending import HungRun, Skipped, inconclusive
from pytest_flex.runs.isolate import run_isolated
from pytest_flex.seeds import literal_seeds, seed_hooks, seeding
from pytest_flex.seeds.literal_seeds import SeededRun
from pytest_flex.session.session import FlexSession
from pytest_flex.source.finder import SiteFinder
from pytest_flex.source.site import Form, Site

if TYPE_CHECKING:
    from pytest_flex.observing.observed import Sites
    from pytest_flex.probing.watching import Watch
    from pytest_flex.seeds.seed_log import SeedLog


class Runs:
    """The runs of one item."""

    def __init__(self, item: pytest.Function, session: FlexSession, test: Test, first: tuple[str, int]) -> None:
        self.item = item
        self.test = test
        self.session = session
        self.recorder = Recorder(test.light)
        self.words_for: Callable[[Learned], str] = lambda learned: "learned()"
        phase, self.first_index = first
        self.seeds = Seeds(session.base, phase, test.name)
        self.seed = b""
        self.varies_seeds = session.options.vary_seeds
        """Whether literal seeds vary with the run."""
        self.same_seed = False
        """Whether all runs have the seed of the first."""
        self.keeps_first = False
        """Whether run 0 has the seeds that the source states."""
        self.seed_log: SeedLog | None = None
        self.sites: Sites | None = None
        """Where the assertions of the test are recorded."""
        self.heard: Callable[[Learned, float, float, str], None] | None = None
        """Whoever else is told what learned sites see."""
        self.watches = False
        """Whether it is seen what runs touch that can differ."""
        self.watch: Watch | None = None
        """That of the last run, if it is."""
        self.subtest_errors: list[BaseException] = []
        """What subtests of the run raised."""
        self._open: list[Claim] = []
        """Claims of the run that are not compared yet."""
        self._seeded: SeededRun | None = None
        self._imported: list[str] = []
        self._finder = SiteFinder(_code_of(item), session.folder)
        self._indices: dict[tuple[Site, str | None, str], int] = {}
        self._setup = item.setup
        self._body = item.runtest
        self._state = item.session._setupstate
        self._before_body: seeding.States | None = None
        self._left_behind: BaseException | None = None
        """What the fixtures of the last run raised when they were torn down."""
        self._needed = _Sibling(item, session.options.fresh)
        self._base, self._phase = session.base, phase
        # Where each run has a process, that can be ended.
        told = [] if session.options.isolate else session.told
        self.limits = Limits(test, told, session.pace_of(test.name))

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
        else:
            self.again(index)

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
        # What pytest has set up is for another seed.
        self._before_body = None
        seeds, self.seeds = self.seeds, Seeds(base, "calibrate", self.test.name)
        before, (self._base, self._phase) = (self._base, self._phase), (base, "calibrate")
        try:
            self.make(run)
        finally:
            self.seeds = seeds
            self._base, self._phase = before

    def hung(self, error: HungRun, run: int, base: str | None = None) -> str:
        """Return what to say of a run that hung; one of the calibration if it has a base seed of its own."""
        base, phase = (self._base, self._phase) if base is None else (base, "calibrate")
        return f"flex: {self.test.name}: {hung(self.test, base, phase, run, error.seconds)}"

    @contextlib.contextmanager
    def _watched(self, index: int) -> Iterator[None]:
        """Watch a run, so that somebody notices if it does not end."""
        self.limits.begin(self._base, self._phase, index)
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

    def site(self, frame: FrameType, name: str | None, form: Form) -> Site:
        """Return the site of the call of this form in this frame."""
        __tracebackhide__ = True
        try:
            return self._finder.find(frame, name, form)
        except form.error as error:
            self.recorder.add_mistake(str(error))
            raise

    def hit(self, learned: Learned, least: float, greatest: float, tail: str, value: Any = None) -> None:
        """Record a sample of a site: the least and the greatest of what was compared."""
        key = (learned._site, learned._case, tail)
        index = self._indices.get(key)
        if index is None:
            site = learned._site
            try:
                options = (learned._domain, learned._confidence)
                place = (site.file, site.line)
                index = self.recorder.site(site.id, learned._case, tail, *options, place, ends_of_type(value))
            except ValueError as error:
                self.recorder.add_mistake(f"{site}: {error}")
                raise LearnedError(f"{site}: {error}") from None
            self._indices[key] = index
        self.recorder.see(index, least, greatest)
        if self.heard is not None:
            self.heard(learned, least, greatest, tail)

    def begin(self, claim: Claim) -> None:
        """Take note of a claim that is to be compared before the run ends."""
        self._open.append(claim)

    def claim(self, claim: Claim, compared: tuple[str, float | None] | None) -> None:
        """Record what a claim drew, and what it is compared with."""
        __tracebackhide__ = True
        site = claim._site
        try:
            index = self.recorder.claim(
                site.id, claim._case, claim._family, compared, claim._options, (site.file, site.line)
            )
            self.recorder.draw(index, *claim._drawn)
        except ValueError as error:
            raise ClaimError(f"{site}: {error}") from None

    def _begin(self, index: int) -> None:
        self.seed = self.seeds.run(0 if self.same_seed else index)
        self._imported = seeding.imported()
        self.recorder.start()
        self._open.clear()
        self.watch = None
        if self.watches:
            from pytest_flex.probing.watching import Watch

            self.watch = Watch(seeded=True)
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
            self._body()
        for claim in self._open:
            claim._end(self)
        if self.subtest_errors:
            raise self.subtest_errors[0]
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

    def wrapping(self) -> Any:
        """Return a context in which functions that take tolerances know learned ones."""
        return wrapped(self.session.rootpath)


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
