"""The stochastic tests of one pytest session: where their bounds are, what is done with them, and what came of it."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from pytest_flex import _native
from pytest_flex.modes.calibrate import Calibrating
from pytest_flex.modes.enforce import Enforcing, Replaying, WithoutBounds
from pytest_flex.modes.record import Order, Recording
from pytest_flex.options import OPTIONS, Options
from pytest_flex.runs import wide
from pytest_flex.runs.runs import Runs
from pytest_flex.session import marker
from pytest_flex.session.finish import Finished, finish

BOUNDS_FILE = "flex-bounds.toml"

DRIVERS: dict[str, tuple[Any, str]] = {
    "enforce": (Enforcing, "enforce"),
    "off": (WithoutBounds, "enforce"),
    "calibrate": (Calibrating, "calibrate"),
    "check": (Calibrating, "check"),
}
"""What runs a test in each mode, and the phase of its seeds."""


class Suite:
    """The stochastic tests of this process."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.options: Options = config.stash[OPTIONS]
        self.rootpath = config.rootpath
        self.bounds_file = _bounds_file(config, self.options)
        self.folder = config.rootpath if self.bounds_file is None else self.bounds_file.parent
        try:
            self.environment = _native.Environment(self.folder)
        except ValueError as error:
            raise pytest.UsageError(str(error)) from None
        self.mode = self.options.mode or self.environment.mode
        self.order = None if self.options.order is None else Order.read(self.options.order)
        if self.mode == "record" and self.options.mode is None:
            raise pytest.UsageError("FLEX_MODE=record is for `cargo flex`; use --flex=calibrate")
        self.base, self.replayed = self._seed()
        if self.replayed is not None and self.mode in ("calibrate", "check"):
            raise pytest.UsageError("a calibration has a base seed, not a single run: leave out what begins with `@`")
        self.tests = 0
        self._ends: float | None = None
        self.records: dict[str, bytes] = {}
        """What calibrations recorded, by the name of the test."""
        self.finished: Finished | None = None
        self.words: list[str] = []
        """Verdicts to show."""
        if self.mode in ("calibrate", "check"):
            self._check_bounds_file()

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
        for item in wanted:
            self._take_over(item)
        self.tests = len(wanted)
        self.config.pluginmanager.register(wide.WideFixtures(wanted, self.options.fresh), "flex-wide-fixtures")

    def name_of(self, item: pytest.Item) -> str:
        """Return the node id relative to the bounds file, so that it is the same from every folder."""
        return _node_id(item, self.folder)

    def selection_of(self, item: pytest.Item) -> str:
        """Return the arguments of pytest that run exactly this test, from the folder where pytest was started."""
        start = self.config.invocation_params.dir
        words = [_native.quoted(_node_id(item, start))]
        if self.config.option.inifilename:
            words.append(f"-c {_native.quoted(self.config.option.inifilename)}")
        for name in ("flex_bounds", "flex_fresh"):
            value = self.config.getoption(name)
            if value is not None:
                words.append(f"--{name.replace('_', '-')}={_native.quoted(value)}")
        for name in ("flex_isolate", "flex_vary_seeds"):
            if self.config.getoption(name):
                words.append(f"--{name.replace('_', '-')}")
        return " ".join(words)

    def calibration_of(self, record: bytes, plan: _native.SuitePlan | None = None) -> _native.Calibration:
        """Return the calibration of a test from what was recorded, and what it may spend."""
        return _native.Calibration(
            record,
            self.base,
            runs=self.options.runs or self.environment.runs,
            max_runs=self.options.max_runs,
            accept=self.options.accept,
            check=self.mode == "check",
            variant=self.environment.variant,
            plan=plan,
        )

    def deadline_of_next(self) -> float | None:
        """Return when the next test must end: what is left of the time is shared evenly by those that come."""
        if self.options.time_budget is None:
            return None
        now = time.monotonic()
        if self._ends is None:
            self._ends = now + self.options.time_budget
        left = max(1, self.tests - len(self.records))
        return now + max(0.0, self._ends - now) / left

    def header(self) -> str | list[str]:
        """Say what flex will do."""
        tests = f"{self.tests} stochastic test{'' if self.tests == 1 else 's'}"
        where = "no bounds file" if self.bounds_file is None else os.path.relpath(self.bounds_file)
        return f"flex: {self.mode} {tests}, seed {self.base}, {where}"

    def finish(self, session: pytest.Session) -> None:
        """Finish a calibration, or hand what was recorded to the process that does."""
        worker = getattr(self.config, "workeroutput", None)
        if worker is not None:
            worker["flex"] = (self.records, self.words)
        elif self.mode in ("calibrate", "check") and self.records:
            self.finished = finish(self)
            if self.finished.findings and session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def take_over_from(self, worker: tuple[dict[str, bytes], list[str]]) -> None:
        """Take what a worker of xdist recorded; runs are known by their index, so nothing depends on who made them."""
        records, words = worker
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
        elif self.mode == "enforce" and self.replayed is not None:
            driver = Replaying(Runs(item, self, test, self.replayed))
        else:
            kind, phase = DRIVERS[self.mode]
            driver = kind(Runs(item, self, test, (phase, 0)))
        item.setup = driver.runs.set_up_first  # type: ignore[method-assign]
        item.runtest = driver.run  # type: ignore[method-assign]

    def _seed(self) -> tuple[str, tuple[str, int] | None]:
        stated = self.options.seed or self.environment.seed
        if self.order is not None:
            return self.order.base, None
        if stated is not None:
            return _native.parse_seed(stated)
        # All processes of one session have the same.
        given = getattr(self.config, "workerinput", {}).get("flex_base")
        return given or _native.fresh_base(), None

    def _check_bounds_file(self) -> None:
        if self.bounds_file is None:
            raise pytest.UsageError(
                f"there is no place for {BOUNDS_FILE}: add an ini file, such as a pyproject.toml with "
                "[tool.pytest.ini_options], or give --flex-bounds=PATH"
            )
        if not hasattr(self.config, "workerinput"):
            try:
                _native.check_writable(self.bounds_file)
            except OSError as error:
                raise pytest.UsageError(str(error)) from None


def _bounds_file(config: pytest.Config, options: Options) -> Path | None:
    """Return where the bounds are: beside the ini file, or in the nearest folder above that has some."""
    beside = config.inipath.parent if config.inipath else config.rootpath
    if config.getoption("flex_bounds") is not None:
        return config.invocation_params.dir / config.getoption("flex_bounds")
    stated = options.bounds or os.environ.get("FLEX_BOUNDS")
    if stated:
        return beside / stated
    if config.inipath:
        return beside / BOUNDS_FILE
    for folder in [config.rootpath, *config.rootpath.parents]:
        if (folder / BOUNDS_FILE).exists():
            return folder / BOUNDS_FILE
    return None


def _node_id(item: pytest.Item, folder: Path) -> str:
    path = Path(os.path.relpath(item.path, folder)).as_posix()
    return "::".join([path, *item.nodeid.split("::")[1:]])
