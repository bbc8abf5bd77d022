"""Calibration of one test: runs are made until the engine has enough, and what they showed is kept as a record."""

from __future__ import annotations

import time

from pytest_flex import _native
from pytest_flex.modes.enforce import fail
from pytest_flex.runs.runs import Runs, Skipped
from pytest_flex.session.progress import Progress


class Calibrating:
    """The calibration of one test."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        self.test = runs.test
        self.recording = _native.Recording(self.test)
        self.failures: list[tuple[int, str]] = []
        self.seconds = 0.0
        self.deadline: float | None = None

    def run(self) -> None:
        """Make the runs of the test, within pytest's call of it."""
        runs, suite = self.runs, self.runs.suite
        self.deadline = suite.deadline_of_next()
        progress = Progress(suite.config, self.test.name)
        with runs.wrapping(), progress:
            self._make(0)
            wanted = self._wanted()
            while wanted:
                for done, index in enumerate(wanted):
                    if self._is_late():
                        break
                    progress.show(index, index - done + len(wanted))
                    self._make(index)
                wanted = self._wanted()
        suite.records[self.test.name] = self._record()
        if self.failures:
            index, why = self.failures[0]
            seed = f"{suite.base}@{suite.mode}:{index}"
            fail(
                f"flex: {len(self.failures)} runs of {self.test.name} failed by themselves, such as run {index}: {why}"
                f"\nreplay: pytest {suite.selection_of(runs.item)} --flex-seed={_native.quoted(seed)}"
            )

    def _make(self, index: int) -> None:
        runs = self.runs
        started = time.perf_counter()
        try:
            runs.make(index)
            failure = None
        except Skipped:
            if index == 0:
                raise
            failure = None
        except BaseException as error:
            failure = runs.why(error)
        self.seconds += time.perf_counter() - started
        self.recording.run(index, failure, runs.recorder)
        if failure is not None:
            self.failures.append((index, failure))

    def _wanted(self) -> list[int]:
        mistakes = self.runs.recorder.mistakes
        if mistakes:
            fail(f"flex: {self.test.name} cannot be calibrated\n" + "\n".join(f"error: {words}" for words in mistakes))
        if self._is_late():
            return []
        try:
            word, what = self.runs.suite.calibration_of(self._record()).step()
        except ValueError as error:
            fail(f"flex: {self.test.name} cannot be calibrated: {error}")
        return what if word == "collect" and isinstance(what, list) else []

    def _record(self) -> bytes:
        return self.recording.record(self.seconds, self.runs.recorder)

    def _is_late(self) -> bool:
        return self.deadline is not None and time.monotonic() >= self.deadline
