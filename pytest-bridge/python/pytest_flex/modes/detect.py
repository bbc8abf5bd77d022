"""The search of one test: runs are made until the engine has enough, and what they showed becomes part of the record.

Run 0 has the seeds that the source states, all others vary them. A run that fails is an answer, whatever it raised.
"""

from __future__ import annotations

import contextlib
import time
from typing import Any

import pytest

from pytest_flex._native import Probe, Search, TestRecord, runs_to_repeat
from pytest_flex.modes.enforce import fail
from pytest_flex.observing import hook
from pytest_flex.observing.observed import Outcome, Sites
from pytest_flex.runs import doctests
from pytest_flex.runs.ending import Skipped, in_one_line, inconclusive
from pytest_flex.runs.runs import Runs
from pytest_flex.seeds.seed_log import SeedLog
from pytest_flex.session.progress import Progress
from pytest_flex.session.search import SearchSession
from pytest_flex.session.trials import OutOfTime
from pytest_flex.session.words import count
from pytest_flex.source.file import source_of


class Observing:
    """Makes runs of one test and looks at them."""

    watches = False
    """Whether it is to be seen what they touch."""

    def __init__(self, runs: Runs, session: SearchSession) -> None:
        self.runs = runs
        self.session = session
        self.name = runs.test.name
        code = getattr(_function(runs.item), "__code__", None)
        self.file = code.co_filename if code is not None else str(runs.item.path)
        self.line = code.co_firstlineno if code is not None else doctests.line_of(runs.item) or 1
        _allow_many_instances(runs.item.function)
        runs.varies_seeds = runs.keeps_first = not session.options.keep_seeds
        runs.same_seed = session.trials is not None and session.trials.same_seed
        runs.watches = self.watches
        runs.seed_log = self.log = SeedLog(session.folder, self.file, runs.item)
        self.sites = runs.sites = self._new_sites()
        self._setup_error: BaseException | None = None

    def set_up(self) -> None:
        """Set up the first run; if that fails, the run has failed."""
        try:
            self.runs.set_up_first()
        except Skipped:
            raise
        except BaseException as error:
            _let_go(error)
            self._setup_error = error

    def recording(self) -> Any:
        """Return a context in which runs are recorded."""
        return hook.recording(self.session.folder)

    def make(self, index: int) -> tuple[Outcome, BaseException | None]:
        """Make a run and record it; returns how it ended, and what it raised."""
        outcome, error = self._ended(index)
        self.sites.finish(outcome, None if error is None else in_one_line(error), error if outcome == "fail" else None)
        return outcome, error

    def make_again(self, indices: list[int]) -> TestRecord:
        """Make runs again, and return what they showed in a record of their own."""
        before = self.sites
        self.sites = self.runs.sites = self._new_sites()
        try:
            for index in indices:
                self.make(index)
            return self.sites.record
        finally:
            self.sites = self.runs.sites = before

    def _new_sites(self) -> Sites:
        record = TestRecord(self.name, self.session.relative(self.file), self.line)
        return Sites(self.session.folder, record)

    def _ended(self, index: int) -> tuple[Outcome, BaseException | None]:
        try:
            if self._setup_error is not None:
                failed, self._setup_error = self._setup_error, None
                raise failed
            self.runs.make(index)
        except Skipped as skipped:
            return "skip", skipped
        except BaseException as failure:
            _let_go(failure)
            return "fail" if inconclusive(failure) is None else "skip", failure
        return "pass", None


class Detecting(Observing):
    """The search of one test."""

    watches = True

    def __init__(self, runs: Runs, session: SearchSession) -> None:
        super().__init__(runs, session)
        self.record = self.sites.record
        self.search = session.new_search(self.name)
        self.probe = Probe()
        """What the runs touched."""
        self.is_fixed = False
        """Whether a run showed that nothing in the test can differ."""
        self.imported = False
        """Whether modules that the first run imported may have touched something."""
        self.made = 0
        self.seconds = 0.0
        self.waits = False
        self.notes: list[str] = []
        self.first_error: BaseException | None = None
        self.inconclusive: list[tuple[int, str]] = []
        """Runs that told nothing, with why."""
        self._wanted: list[int] = []
        """Runs that are to be made next."""
        self._repeated: set[int] = set()
        """Runs that were made again in this process."""
        self._is_kept = False

    def run(self) -> None:
        """Make the runs of the test, or those of one turn, within pytest's call of it."""
        self.waits = False
        try:
            with self.runs.wrapping_if_stochastic(), self.recording():
                if _is_expected_to_fail(self.runs.item):
                    self._make_the_only_run()
                else:
                    self._search()
                    if not self.made:
                        self.session.skip_for_time(self.name)
                    self._repeat_some()
        except BaseException:
            # Those who put shards together take what is there for whole.
            if self.session.sharing is None:
                self.keep()
            raise
        if not self.waits:
            self.conclude()

    def conclude(self) -> None:
        """Say what is found in the runs that there are."""
        self.waits = False
        self.keep()
        # A skip is a skip for pytest, too.
        if self.first_error is not None:
            raise self.first_error
        if self.session.mode == "detect" and self.session.sharing is None:
            _judge(self.session, self.name)

    def keep(self) -> None:
        """Make what was seen part of the record of the search."""
        if self.made and not self._is_kept:
            self._is_kept = True
            self._describe()
            self.record.fold_lone_cases()
            self.session.record.add(self.record)

    def _repeat_some(self) -> None:
        """Make some of the runs again in this process, if the time allows it."""
        session, pace = self.session, self.seconds / self.made
        if self.is_fixed or not session.repeats_all:
            return
        again = sorted(set(runs_to_repeat(self.record.outcomes(), pace)) - self._repeated)
        ended = {outcome for _, outcome in self.record.outcomes()}
        deadline = None if session.turn is None else session.turn.deadline
        is_short = deadline is not None and time.monotonic() + len(again) * pace > deadline
        if is_short and not {"pass", "fail"} <= ended:
            # Other tests have not had their first run yet; other processes make some again.
            return
        self._repeated.update(again)
        self.record.take_repeats(self.make_again(again))

    def _describe(self) -> None:
        if self.inconclusive:
            index, why = self.inconclusive[0]
            runs = f"{len(self.inconclusive)} of {count(self.made, 'run')}"
            self.notes.append(f"inconclusive, and not counted: {runs}, such as run {index}: {why}")
        session, item, source = self.session, self.runs.item, source_of(self.file)
        self.record.describe(
            span=None if source is None else source.span_of_function(self.line),
            is_stochastic=item.get_closest_marker("stochastic") is not None,
            replay=session.replay(item),
            seconds_per_run=self.seconds / self.made,
            literal_seeds=self.log.literal_seeds(),
            unseeded=list(self.log.unseeded),
            # What was touched by imports alone is not known to be fixed.
            probe=self.probe if self.is_fixed or self.probe.touches() else None,
            min_passes=_min_passes(item),
            notes=[*self.notes, *self.log.other_seeds(), *session.notes_of(item, self.file)],
        )

    def _search(self) -> None:
        """Make runs until the search has enough, or the turn is over."""
        session, search, turn = self.session, self.search, self.session.turn
        deadline, before = session.deadline(), self.made
        most = None if turn is None else turn.most
        with Progress(session, self.name) as progress:
            while self._wanted or self._asks_for_more():
                index = self._wanted[0]
                if self._is_late(deadline) or (most is not None and self.made - before >= most):
                    if turn is None:
                        search.out_of_time()
                        return
                    # For this run pytest sets fixtures up, if the test has another turn.
                    self.waits, self.runs.first_index = self.made > 0, index
                    return
                progress.show(index, self.made + len(self._wanted))
                started = time.perf_counter()
                with contextlib.nullcontext() if session.trials is None else session.trials.limited():
                    outcome, error = self.make(index)
                if isinstance(error, OutOfTime):
                    return
                self.seconds += time.perf_counter() - started
                self.made += 1
                self._wanted.pop(0)
                self._push(search, index)
                if error is not None and inconclusive(error) is not None:
                    self.inconclusive.append((index, in_one_line(error)))
                elif index == 0 and outcome == "skip":
                    self.first_error = error
                    return
                if self._shows_fixed():
                    search.shown_fixed()
                    self._wanted.clear()
                    if session.trials is not None:
                        session.trials.keep_for_fixed(self.seconds / self.made)

    def _asks_for_more(self) -> bool:
        self._wanted = self.search.wanted()
        return bool(self._wanted)

    def _is_late(self, deadline: float | None) -> bool:
        """Whether a run would probably not end in time; such a run is not begun."""
        session = self.session
        if deadline is None:
            return False
        if not self.made and session.turns is not None:
            # Every test has its first run, as long as there is time.
            return session.turns.is_over(is_first=True)
        pace = self.seconds / self.made if self.made else session.expected_pace(self.name)
        # A test that the first run shows to be fixed is run once more.
        runs = 1 if self.made or session.trials is None else 2
        return time.monotonic() + runs * pace >= deadline

    def _shows_fixed(self) -> bool:
        """Look at what the last run touched, and return whether it shows that nothing in the test can differ."""
        watch = self.runs.watch
        assert watch is not None
        # A module that the first run imported may have touched something; then the second tells.
        is_telling = self.made == 1 or (self.made == 2 and self.imported and not self.probe.touches())
        if is_telling and not self.session.options.full:
            self.is_fixed = self.runs.touched_nothing()
        self.probe.absorb(watch.probe())
        self.imported = watch.imported
        if self.made > 1:
            # What the first run imported is there: whoever imports again does so in every run.
            self.probe.absorb(watch.at_import)
        return self.is_fixed

    def _push(self, search: Search, index: int) -> None:
        note = search.push(self.record, index == 0 and self.runs.keeps_first and self.log.saw_any)
        # Once is enough.
        if note is not None and not self.notes:
            self.notes.append(note)

    def _make_the_only_run(self) -> None:
        """Make the run of a test that is marked as one that fails, which says nothing about flakiness."""
        outcome, error = self._ended(0)
        self.sites.finish("skip", "marked xfail", error if outcome == "fail" else None)
        self.made = 1
        self.notes.append("marked xfail: not searched")
        self.first_error = error


class Merging:
    """A test that shards searched: nothing is run here."""

    def __init__(self, runs: Runs, session: SearchSession) -> None:
        self.runs = runs
        self.session = session

    def set_up(self) -> None:
        """Build no fixtures."""

    def run(self) -> None:
        """Fail as the search does, if there are findings."""
        session, name = self.session, self.runs.test.name
        assert session.merging is not None
        is_judged = session.mode == "detect"
        if session.merging.searched(name, session.record, is_judged) and is_judged:
            _judge(session, name)


class Repeating(Observing):
    """The runs of one test that are repeated for another process."""

    def run(self) -> None:
        """Make the runs and write down what they showed."""
        order = self.session.repeated
        assert order is not None
        with self.runs.wrapping_if_stochastic(), self.recording():
            for index in order.tests[self.name]:
                self.make(index)
        record = self.session.new_record()
        record.add(self.sites.record)
        record.write(order.record_of(self.name))


class Replayed(Observing):
    """One run of a search, to look at."""

    def run(self) -> None:
        """Make the run as the search did, and show what it saw."""
        assert self.session.replayed is not None
        index = self.session.replayed[1]
        with self.runs.wrapping_if_stochastic(), self.recording():
            outcome, error = self.make(index)
        self.session.words.append(self._words(index, outcome))
        if error is not None:
            raise error

    def _words(self, index: int, outcome: Outcome) -> str:
        ended = {"pass": "passed", "fail": "failed", "skip": "was skipped"}[outcome]
        lines = [f"{self.name}: run {index} of the search {ended}"]
        for (call, file, line, literal), number in self.log.numbers.items():
            lines.append(f"  {call} at {file}:{line}: the seed {literal} stands for {number}")
        for index, series, value in self.sites.record.values():
            if series == 0:
                assertion = self.sites.assertions[index]
                site, case = assertion.site, "" if assertion.case is None else f" [{assertion.case}]"
                lines.append(f"  {site.file}:{site.line}: {site.text}{case}: {value:g}")
        return "\n".join(lines)


def _judge(session: SearchSession, name: str) -> None:
    """Fail a test that has findings."""
    findings = session.record.findings_of(name, session.options.probability)
    if findings is None:
        return
    failed, runs = findings
    words = f"flex: {len(failed)} of {count(runs, 'run')} of {name} failed; see the report below"
    if failed:
        index, why, replay = failed[0]
        words += f"\nrun {index}: {why}\nreplay: {replay}"
    fail(words)


def _let_go(error: BaseException) -> None:
    """Let go on what ends the session, and not only a run."""
    if isinstance(error, KeyboardInterrupt | pytest.exit.Exception):
        raise error


def _function(item: pytest.Function) -> Any:
    function = item.function
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return function


def _allow_many_instances(function: Any) -> None:
    """Let hypothesis run a method on many instances of its class, which it takes for a mistake."""
    settings = getattr(function, "_hypothesis_internal_use_settings", None)
    if settings is None:
        return
    from hypothesis import HealthCheck

    if hasattr(HealthCheck, "differing_executors"):
        checks = [*settings.suppress_health_check, HealthCheck.differing_executors]
        function._hypothesis_internal_use_settings = type(settings)(settings, suppress_health_check=checks)


def _is_expected_to_fail(item: pytest.Item) -> bool:
    """Whether a marker says so, and its condition holds."""
    from _pytest.skipping import xfailed_key

    return item.stash.get(xfailed_key, None) is not None and not item.config.option.runxfail


def _min_passes(item: pytest.Function) -> int | None:
    """Return how often the plugin flaky wants a test to pass, if its marker says so."""
    marker = item.get_closest_marker("flaky")
    stated = None if marker is None else marker.kwargs.get("min_passes")
    for holder in (item.function, item.cls):
        # Where its decorator writes it down.
        stated = stated or getattr(holder, "_flaky_min_passes", None)
    return stated if type(stated) is int and 0 < stated < 2**31 else None
