"""Runs of a test that are made one after the other and recorded, in calibration and by its shards."""

from __future__ import annotations

import time

from pytest_flex import _native
from pytest_flex.modes.enforce import fail
from pytest_flex.runs.ending import HungRun, Skipped, why
from pytest_flex.runs.runs import Runs


class Collecting:
    """Some runs of one test, and what they showed."""

    lost = "nothing was learned"
    """What a run that hangs means for the test."""

    def __init__(self, runs: Runs, makes_all: bool) -> None:
        self.runs = runs
        self.test = runs.test
        self.recording = _native.Recording(self.test)
        self.failures: list[tuple[int, str]] = []
        self.seconds = 0.0
        self.made = 0
        self.is_fixed = False
        """Whether a run showed that nothing in the test can differ."""
        runs.watches = not (runs.session.options.isolate or makes_all)

    def _make(self, index: int) -> None:
        runs = self.runs
        started = time.perf_counter()
        try:
            runs.make(index)
            failure = None
        except Skipped:
            if self.made == 0:
                raise
            failure = None
        except HungRun as error:
            fail(f"{runs.hung(error, index)}\n{self.lost}: a test that hangs now and then is to be mended first")
        except BaseException as error:
            failure = why(error)
            if failure is not None and "from pytest-timeout" in failure:
                fail(
                    f"flex: {self.test.name}: {failure}\n{self.lost}: pytest-timeout holds all runs of a test "
                    "against the time of one; calibrate with -p no:timeout, and give a run a limit by "
                    "@stochastic(timeout=…)"
                )
        self.seconds += time.perf_counter() - started
        self.recording.run(index, failure, runs.recorder)
        if failure is not None:
            self.failures.append((index, failure))
        self.made += 1
        if runs.watches:
            # A module that the first run imported may have touched something; then the second tells.
            self.is_fixed = runs.touched_nothing()
            runs.watches = self.made < 2 and not self.is_fixed and not runs.touches()

    def _record(self) -> bytes:
        return self.recording.record(self.seconds, self.runs.recorder, _native.Probe() if self.is_fixed else None)
