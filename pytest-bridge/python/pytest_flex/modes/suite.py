"""The stochastic tests of one pytest session: what is done with them, and what came of it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from pytest_flex.modes.calibrate import Calibrating
from pytest_flex.modes.enforce import Keeping, Replaying, WithoutBounds
from pytest_flex.modes.finish import Finished, finish, finish_shard
from pytest_flex.modes.record import Recording
from pytest_flex.modes.unchanged import Asking
from pytest_flex.runs.runs import Runs
from pytest_flex.seeds.wide import WideFixtures
from pytest_flex.session import marker
from pytest_flex.session.session import FlexSession
from pytest_flex.session.words import MORE_RUNS, is_painted, say

DRIVERS: dict[str, tuple[Any, str]] = {
    "enforce": (Keeping, "enforce"),
    "off": (WithoutBounds, "enforce"),
    "trace": (WithoutBounds, "enforce"),
    "calibrate": (Calibrating, "calibrate"),
    "check": (Calibrating, "check"),
}
"""What runs a test in each mode, and the phase of its seeds."""


class Suite(FlexSession):
    """The stochastic tests of this process."""

    def __init__(self, config: pytest.Config) -> None:
        super().__init__(config)
        self.finished: Finished | None = None
        is_first = self.mode != "repeat"
        if is_first and (self.options.shard is not None or self.options.from_ is not None):
            from pytest_flex.session import shards

            self.sharing, self.merging = shards.asked(self), shards.made(self)
            made = self.sharing or self.merging
            assert made is not None
            self.base = made.base

    def take_over(self, items: list[pytest.Item]) -> None:
        """Let flex run the stochastic tests; in a calibration, they are all that is run."""
        wanted: list[pytest.Function] = []
        for item in items:
            if item.get_closest_marker("stochastic") is None:
                continue
            if not isinstance(item, pytest.Function):
                raise pytest.UsageError(f"{item.nodeid}: only Python test functions can be stochastic")
            if self.order is None or self.name_of(item) in self.order.tests:
                wanted.append(item)
        if self.mode in ("calibrate", "check", "repeat"):
            chosen = set(wanted)
            self.config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
            items[:] = wanted
        if self.mode in ("calibrate", "check", "repeat"):
            # Enforcement watches nothing, and loads nothing for that.
            from pytest_flex.probing import watching

            watching.install(self.config)
        drivers: dict[pytest.Item, Any] = {}
        places = {name: place for place, name in enumerate(sorted(self.name_of(item) for item in wanted))}
        for item in wanted:
            drivers[item] = self._take_over(item, places)
        if self.sharing is not None:
            wanted = self._busy(items, drivers)
        self.tests = len(wanted)
        if self.mode in ("calibrate", "check") and self.sharing is None and self.merging is None:
            self.share_time(drivers)
        self.config.pluginmanager.register(WideFixtures(wanted, self.options.fresh), "flex-wide-fixtures")

    def header(self) -> str | list[str]:
        """Say what flex will do."""
        tests = f"{self.tests} stochastic test{'' if self.tests == 1 else 's'}"
        where = os.path.relpath(self.bounds_file)
        return f"flex: {self.mode} {tests}, seed {self.base}, {where}"

    def finish(self, session: pytest.Session) -> None:
        """Finish a calibration, or hand what was recorded to the process that does."""
        if self.turns is not None:
            self.turns.keep()
        worker = getattr(self.config, "workeroutput", None)
        if worker is not None:
            worker["flex"] = (self.records, self.words, self.unchanged, list(self.same), self.pace, self.again)
            if self.sharing is not None:
                self.sharing.end(not self.is_short)
        elif self.options.unchanged is not None:
            found = {"folder": str(self.folder), "unchanged": self.unchanged}
            Path(self.options.unchanged).write_text(json.dumps(found), encoding="utf-8")
        elif self.sharing is not None:
            self.finished = finish_shard(self)
        elif self.mode in ("calibrate", "check") and (self.records or self.unchanged):
            self.finished = finish(self, self._is_painted())
            if self.finished.wants_more and session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = MORE_RUNS
            if self.finished.findings and session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def take_over_from(self, worker: tuple[Any, ...]) -> None:
        """Take what a worker of xdist recorded; runs are known by their index, so nothing depends on who made them."""
        records, words, unchanged, same, pace, again = worker
        for kind, orders in again.items():
            self.again[kind].update(orders)
        self.pace.update(pace)
        self.unchanged.extend(unchanged)
        self.same.update(same)
        for name, record in records.items():
            self.records.setdefault(name, record)
        self.words.extend(words)

    def summarise(self, terminal: Any) -> None:
        """Show what came of it."""
        if self.finished is not None:
            terminal.section("flex")
            for line in [*self.finished.lines, *self.missed()]:
                say(terminal, line)
        elif self.words:
            terminal.section("flex")
            for words in self.words:
                for line in words.rstrip().split("\n"):
                    say(terminal, line)

    def _is_painted(self) -> bool:
        terminal = self.config.pluginmanager.getplugin("terminalreporter")
        return terminal is not None and is_painted(terminal)

    def _busy(self, items: list[pytest.Item], drivers: dict[pytest.Item, Any]) -> list[pytest.Item]:
        """Leave out tests of which this shard makes no run here, and return the others."""
        idle = [item for item, driver in drivers.items() if driver.is_idle]
        for item in idle:
            if drivers[item].again is not None:
                kind, order = drivers[item].again
                self.again[kind][drivers[item].test.name] = order
        self.config.hook.pytest_deselected(items=idle)
        items[:] = [item for item in items if item not in idle]
        return items

    def _take_over(self, item: pytest.Function, places: dict[str, int]) -> Any:
        """Let flex run a test, and return what does."""
        test = marker.test_of(item, self)
        if self.sharing is not None:
            from pytest_flex.modes.sharing import Sharing

            place = (places[test.name], len(places))
            driver: Any = Sharing(Runs(item, self, test, (self.mode, 0)), self.sharing, place)
        elif self.merging is not None:
            from pytest_flex.modes.sharing import Merging

            driver = Merging(Runs(item, self, test, (self.mode, 0)))
        elif self.order is not None:
            first = (self.order.phase, self.order.tests[test.name][0])
            driver = Recording(Runs(item, self, test, first), self.order)
        elif self.options.unchanged is not None:
            driver = Asking(Runs(item, self, test, ("calibrate", 0)))
        elif self.mode == "enforce" and self.replayed is not None:
            driver = Replaying(Runs(item, self, test, self.replayed, judged=True))
        else:
            kind, phase = DRIVERS[self.mode]
            driver = kind(Runs(item, self, test, (phase, 0), judged=phase == "enforce"))
        item.setup = getattr(driver, "set_up", driver.runs.set_up_first)  # type: ignore[method-assign]
        item.runtest = driver.run  # type: ignore[method-assign]
        return driver
