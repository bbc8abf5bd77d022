"""Turns: with a time budget, pytest calls a test several times, and no test waits for all runs of another.

In the first round every test makes its first runs, within a part of an even share of the time; one that is shown fixed
needs no more. In further rounds those that need more share what is left, and what one does not use is there for the
others. A test is reported once: when it is done, or with what it has when the time is up. Workers of xdist do this with
the tests that they are given, each for itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import pytest
from _pytest.runner import runtestprotocol

from pytest_flex import options

if TYPE_CHECKING:
    from pytest_flex.session.session import FlexSession

FIRST = 30
"""The runs that a test makes at most in its first turn."""

FIRST_PART = 0.25
"""The part of an even share that a test has in its first turn: the rest is for those of which one run takes longer."""

STARTS = 3
"""How many times as long as the tests took to collect is kept for the end: two processes make runs again."""

REPEATS = 2
"""Runs that are made again of a slow test that does not fail: in another process, and under other hashes."""

MOST_KEPT = 0.3
"""The part of the time that is kept for all that: first runs of tests are worth more."""


@dataclass(frozen=True)
class Turn:
    """The conditions under which a test makes runs."""

    deadline: float | None = None
    """When its share of the time is up."""
    most: int | None = None
    """The runs that it may make."""


class TakesTurns(Protocol):
    """A test that can stop between two runs, and go on from there when pytest calls it again."""

    made: int
    seconds: float
    waits: bool
    """Whether it stopped because its turn was over."""

    def conclude(self) -> None:
        """Make do with the runs that there are; what it raises is the verdict."""

    def keep(self) -> None:
        """Keep what was seen, when the session ends before the test does."""


class Turns:
    """The turns of all tests of this process."""

    def __init__(self, session: FlexSession, seconds: float) -> None:
        self.ends = options.began + seconds
        starting = time.monotonic() - options.began
        # Another process takes as long to collect the tests.
        self.most_kept = MOST_KEPT * seconds
        self.kept = min(STARTS * starting, self.most_kept)
        """The seconds that are kept for making runs again."""
        self.starting = starting
        self.current = Turn()
        self.drivers: dict[pytest.Item, TakesTurns] = {}
        self._session = session
        self._setups: dict[pytest.Item, Callable[[], None]] = {}
        """How tests set up the first run of a turn; further runs put pytest's own way in the place of it."""
        self._waiting: list[pytest.Item] = []
        self._to_come = 0
        """Tests that have yet to have their turn in this round."""
        self._workers = 1
        self._in_first_round = True
        self._reports: dict[pytest.Item, list[pytest.TestReport]] = {}
        """Those of the last turn of tests that wait."""
        self._durations: dict[pytest.Item, dict[str, float]] = {}

    def begin(self, drivers: dict[pytest.Item, TakesTurns]) -> None:
        """Take note of the tests."""
        self.drivers = drivers
        self._setups = {item: item.setup for item in drivers}
        self._workers = getattr(self._session.config, "workerinput", {}).get("workercount", 1)
        self._to_come = -(-len(drivers) // self._workers)

    def left(self) -> float:
        """Return the seconds that are left of all."""
        return self.ends - time.monotonic()

    def is_over(self, is_first: bool = False) -> bool:
        """Whether no further run may begin; the first of a test is worth more than some that are made again."""
        return self.left() <= (0.5 * self.kept if is_first else self.kept)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        """Let a test have its turn, and report it if it was the last."""
        driver = self.drivers.get(item)
        if driver is None:
            return None
        made = driver.made
        item.setup = self._setups[item]  # type: ignore[method-assign]
        self.current = self._turn()
        self._to_come -= 1
        # Fixtures that those share who wait need not be built again.
        after = nextitem or next((other for other in self._waiting if other is not item), None)
        reports = runtestprotocol(item, log=False, nextitem=after)
        durations = self._durations.setdefault(item, {})
        for report in reports:
            durations[report.when or ""] = durations.get(report.when or "", 0.0) + report.duration
        if not made and driver.made:
            self.kept = min(self.kept + REPEATS * driver.seconds / driver.made, self.most_kept)
        if driver.waits and all(report.passed for report in reports):
            self._waiting.append(item)
            self._reports[item] = reports
        else:
            if driver.waits:
                # Its fixtures broke; what it showed before is worth a verdict, too.
                reports[1:2] = [self._concluded(item)]
            self._report(item, reports)
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Any:
        """Go on in rounds when every test has had its first turn."""
        result = yield
        # Whoever stops at the first failure has asked for that.
        if not (session.shouldfail or session.shouldstop):
            self._go_on(session)
        return result

    def keep(self) -> None:
        """Keep what was seen of tests that have no verdict, when the session ends early."""
        for driver in self.drivers.values():
            driver.keep()

    def _turn(self) -> Turn:
        # A worker of xdist does not know how many tests will come to it.
        least = 2 if self._in_first_round and self._workers > 1 else 1
        share = max(0.0, self.left() - self.kept) / max(least, self._to_come)
        if self._in_first_round:
            return Turn(time.monotonic() + FIRST_PART * share, FIRST)
        return Turn(time.monotonic() + share)

    def _go_on(self, session: pytest.Session) -> None:
        self._in_first_round = False
        is_cut_small = False
        while self._waiting and not self.is_over():
            going, self._waiting = self._waiting, []
            made = self._made(going)
            for place, item in enumerate(going):
                # Where no share is long enough for a run, the time is for those who come first.
                self._to_come = 1 if is_cut_small else len(going) - place
                if self.is_over():
                    self._waiting.append(item)
                    continue
                following = going[place + 1] if place + 1 < len(going) else None
                _be_at(item)
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if session.shouldfail:
                    raise session.Failed(session.shouldfail)
                if session.shouldstop:
                    raise session.Interrupted(session.shouldstop)
            if self._made(going) == made:
                if is_cut_small:
                    break
                is_cut_small = True
        for item in self._waiting:
            _be_at(item)
            setup, _, teardown = self._reports[item]
            self._report(item, [setup, self._concluded(item), teardown])

    def _made(self, items: list[pytest.Item]) -> int:
        return sum(self.drivers[item].made for item in items)

    def _concluded(self, item: pytest.Item) -> pytest.TestReport:
        """Return the report of a test that makes do with what it has."""
        call = pytest.CallInfo.from_call(
            self.drivers[item].conclude, when="call", reraise=(pytest.exit.Exception, KeyboardInterrupt)
        )
        report: pytest.TestReport = item.ihook.pytest_runtest_makereport(item=item, call=call)
        return report

    def _report(self, item: pytest.Item, reports: list[pytest.TestReport]) -> None:
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in reports:
            report.duration = self._durations[item].get(report.when or "", report.duration)
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)


def _be_at(item: pytest.Item) -> None:
    """Let xdist know which test comes next, if this is one of its workers: its reports have the number of a test."""
    for plugin in item.config.pluginmanager.get_plugins():
        if hasattr(plugin, "item_index") and hasattr(plugin, "run_one_test"):
            plugin.item_index = item.session.items.index(item)
