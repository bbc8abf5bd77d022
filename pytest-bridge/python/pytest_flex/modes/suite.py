"""The stochastic tests of one pytest session: what is done with them, and what came of it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from pytest_flex.modes.calibrate import Calibrating
from pytest_flex.modes.enforce import Keeping, Replaying, WithoutBounds
from pytest_flex.modes.finish import Finished, finish
from pytest_flex.modes.record import Recording
from pytest_flex.modes.unchanged import Asking
from pytest_flex.runs.runs import Runs
from pytest_flex.seeds.wide import WideFixtures
from pytest_flex.session import marker
from pytest_flex.session.session import FlexSession

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
        for item in wanted:
            self._take_over(item)
        self.tests = len(wanted)
        self.config.pluginmanager.register(WideFixtures(wanted, self.options.fresh), "flex-wide-fixtures")

    def header(self) -> str | list[str]:
        """Say what flex will do."""
        tests = f"{self.tests} stochastic test{'' if self.tests == 1 else 's'}"
        where = os.path.relpath(self.bounds_file)
        return f"flex: {self.mode} {tests}, seed {self.base}, {where}"

    def finish(self, session: pytest.Session) -> None:
        """Finish a calibration, or hand what was recorded to the process that does."""
        worker = getattr(self.config, "workeroutput", None)
        if worker is not None:
            worker["flex"] = (self.records, self.words, self.unchanged, list(self.same), self.pace)
        elif self.options.unchanged is not None:
            found = {"folder": str(self.folder), "unchanged": self.unchanged}
            Path(self.options.unchanged).write_text(json.dumps(found), encoding="utf-8")
        elif self.mode in ("calibrate", "check") and (self.records or self.unchanged):
            self.finished = finish(self)
            if self.finished.findings and session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def take_over_from(self, worker: tuple[Any, ...]) -> None:
        """Take what a worker of xdist recorded; runs are known by their index, so nothing depends on who made them."""
        records, words, unchanged, same, pace = worker
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
            for line in self.finished.lines:
                terminal.write_line(line)
        elif self.words:
            terminal.section("flex")
            for words in self.words:
                terminal.write_line(words.rstrip())

    def _take_over(self, item: pytest.Function) -> None:
        test = marker.test_of(item, self)
        if self.order is not None:
            first = (self.order.phase, self.order.tests[test.name][0])
            driver: Any = Recording(Runs(item, self, test, first), self.order)
        elif self.options.unchanged is not None:
            driver = Asking(Runs(item, self, test, ("calibrate", 0)))
        elif self.mode == "enforce" and self.replayed is not None:
            driver = Replaying(Runs(item, self, test, self.replayed))
        else:
            kind, phase = DRIVERS[self.mode]
            driver = kind(Runs(item, self, test, (phase, 0)))
        item.setup = getattr(driver, "set_up", driver.runs.set_up_first)  # type: ignore[method-assign]
        item.runtest = driver.run  # type: ignore[method-assign]
