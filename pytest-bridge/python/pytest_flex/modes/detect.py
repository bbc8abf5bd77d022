"""The search of one test: runs are made until the engine has enough, and what they showed becomes part of the record.

Run 0 has the seeds that the source states, all others vary them. A run that fails is an answer, whatever it raised.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import pytest

from pytest_flex._native import Search
from pytest_flex.observing import hook
from pytest_flex.observing.observed import Sites
from pytest_flex.runs import repeats
from pytest_flex.runs.runs import Runs, Skipped, in_one_line
from pytest_flex.seeds.module_source import module_source
from pytest_flex.seeds.seed_log import SeedLog
from pytest_flex.session.progress import Progress

if TYPE_CHECKING:
    from pytest_flex.session.searching import Searching


@dataclass(frozen=True)
class Seen:
    """What a run showed."""

    index: int
    outcome: Literal["pass", "fail", "skip"]
    why: str | None
    failed_site: int | None
    hits: list[tuple[str, float | None, float | None, float]]
    error: BaseException | None


class Observing:
    """Makes runs of one test and looks at them."""

    def __init__(self, runs: Runs, suite: Searching) -> None:
        self.runs = runs
        self.suite = suite
        self.name = runs.test.name
        code = getattr(_function(runs.item), "__code__", None)
        self.file = code.co_filename if code is not None else str(runs.item.path)
        self.line = code.co_firstlineno if code is not None else 1
        _allow_many_instances(runs.item.function)
        runs.varies_seeds = runs.keeps_first = True
        runs.seed_log = self.log = SeedLog(suite.folder, self.file)
        runs.sites = Sites(suite.folder)
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
        return hook.recording(self.suite.folder)

    def make(self, index: int) -> Seen:
        """Make a run."""
        error: BaseException | None = None
        outcome: Literal["pass", "fail", "skip"] = "pass"
        try:
            if self._setup_error is not None:
                failed, self._setup_error = self._setup_error, None
                raise failed
            self.runs.make(index)
        except Skipped as skipped:
            error, outcome = skipped, "skip"
        except BaseException as failure:
            _let_go(failure)
            error, outcome = failure, "fail"
        assert self.runs.sites is not None
        failed_site, hits = self.runs.sites.finish(error if outcome == "fail" else None)
        return Seen(index, outcome, None if error is None else in_one_line(error), failed_site, hits, error)


class Detecting(Observing):
    """The search of one test."""

    def __init__(self, runs: Runs, suite: Searching) -> None:
        super().__init__(runs, suite)
        self.seen: list[Seen] = []
        self.repeats: list[dict[str, Any]] = []
        self.seconds = 0.0
        self.notes: list[str] = []
        self.first_error: BaseException | None = None

    def run(self) -> None:
        """Make the runs of the test, within pytest's call of it."""
        suite = self.suite
        try:
            with self.runs.wrapping_if_stochastic(), self.recording():
                if _is_expected_to_fail(self.runs.item):
                    self._make_the_only_run()
                else:
                    self._search()
                    self._repeat()
        finally:
            if self.seen:
                suite.add(self.name, self.part())
        # A skip is a skip for pytest, too.
        if self.first_error is not None:
            raise self.first_error
        suite.judge(self.name)

    def part(self) -> dict[str, Any]:
        """Return what the record says of the test."""
        suite, item = self.suite, self.runs.item
        assert self.runs.sites is not None
        source = module_source(self.file)
        literal_seeds = self.log.literal_seeds()
        return {
            "name": self.name,
            "file": suite.relative(self.file),
            "line": self.line,
            "span": None if source is None else source.span_of(self.line),
            "is_stochastic": item.get_closest_marker("stochastic") is not None,
            "replay": suite.replay_of(item),
            "seconds_per_run": self.seconds / len(self.seen) if self.seen else 0.0,
            "first_as_written": bool(literal_seeds),
            "literal_seeds": literal_seeds,
            "unseeded": list(self.log.unseeded),
            "notes": [*self.notes, *self.log.other_seeds(), *suite.notes_of(item, self.file)],
            "runs": [_run(seen) for seen in self.seen],
            "sites": self.runs.sites.to_json(),
            "repeats": self.repeats,
        }

    def _search(self) -> None:
        suite, search = self.suite, self.suite.new_search()
        deadline = suite.deadline_of_next()
        with Progress(suite.config, self.name) as progress:
            while wanted := search.wanted():
                for done, index in enumerate(wanted):
                    if self.seen and deadline is not None and time.monotonic() >= deadline:
                        search.out_of_time()
                        break
                    progress.show(index, index - done + len(wanted))
                    seen = self._make(index)
                    self._push(search, seen)
                    if index == 0 and seen.outcome == "skip":
                        self.first_error = seen.error
                        return

    def _push(self, search: Search, seen: Seen) -> None:
        as_written = seen.index == 0 and self.log.saw_any
        try:
            search.push(seen.index, as_written, seen.outcome, seen.hits)
        except ValueError as error:
            # Of such a run only the outcome counts; one note is enough.
            if not self.notes:
                self.notes.append(str(error))

    def _make_the_only_run(self) -> None:
        """Make the run of a test that is marked as one that fails, which says nothing about flakiness."""
        seen = self.make(0)
        self.seen.append(replace(seen, outcome="skip", why="marked xfail", error=None))
        self.notes.append("marked xfail: not searched")
        self.first_error = seen.error

    def _make(self, index: int) -> Seen:
        started = time.perf_counter()
        seen = self.make(index)
        self.seconds += time.perf_counter() - started
        # An error holds on to all that the run had.
        self.seen.append(replace(seen, hits=[], error=None))
        return seen

    def _repeat(self) -> None:
        """Make some runs again, later in the same process."""
        sites = self.runs.sites
        assert sites is not None
        chosen = repeats.chosen([_run(seen) for seen in self.seen], self.seconds / len(self.seen))
        self.runs.sites = Sites(self.suite.folder)
        try:
            found = repeats.made(self, chosen)
        finally:
            self.runs.sites = sites
        self.repeats += repeats.placed(found, "same-process", sites.to_json())


class Repeating(Observing):
    """The runs of one test that are repeated for another process."""

    def run(self) -> None:
        """Make the runs and write down what they showed."""
        order = self.suite.repeated
        assert order is not None
        with self.runs.wrapping_if_stochastic(), self.recording():
            found = repeats.made(self, order.tests[self.name])
        order.record_of(self.name).write_text(json.dumps(found), encoding="utf-8")


class Replayed(Observing):
    """One run of a search, to look at."""

    def run(self) -> None:
        """Make the run as the search did, and show what it saw."""
        assert self.suite.replayed is not None
        index = self.suite.replayed[1]
        with self.runs.wrapping_if_stochastic(), self.recording():
            seen = self.make(index)
        self.suite.words.append(self._words(seen))
        if seen.error is not None:
            raise seen.error

    def _words(self, seen: Seen) -> str:
        ended = {"pass": "passed", "fail": "failed", "skip": "was skipped"}[seen.outcome]
        lines = [f"{self.name}: run {seen.index} of the search {ended}"]
        for (call, file, line, literal), number in self.log.numbers.items():
            lines.append(f"  {call} at {file}:{line}: the seed {literal} stands for {number}")
        assert self.runs.sites is not None
        sites = self.runs.sites.to_json()
        for site, series, value in self.runs.sites.values():
            if series == 0:
                lines.append(f"  {sites[site]['file']}:{sites[site]['line']}: {sites[site]['text']}: {value:g}")
        return "\n".join(lines)


def _run(seen: Seen) -> dict[str, Any]:
    run: dict[str, Any] = {"index": seen.index, "outcome": seen.outcome}
    if seen.why is not None:
        run["why"] = seen.why
    if seen.failed_site is not None:
        run["failed_site"] = seen.failed_site
    return run


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
