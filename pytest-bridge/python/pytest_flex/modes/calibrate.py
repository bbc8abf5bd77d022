"""Calibration of one test: runs are made until the engine has enough, and what they showed is kept as a record."""

from __future__ import annotations

import time

from pytest_flex import _native
from pytest_flex.modes.enforce import fail
from pytest_flex.modes.unchanged import is_unchanged
from pytest_flex.runs.ending import HungRun, Skipped, why
from pytest_flex.runs.runs import Runs
from pytest_flex.session.progress import Progress
from pytest_flex.session.session import FlexSession


class Calibrating:
    """The calibration of one test."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        self.test = runs.test
        self.recording = _native.Recording(self.test)
        self.failures: list[tuple[int, str]] = []
        self.seconds = 0.0
        self.made = 0
        self.is_fixed = False
        """Whether a run showed that nothing in the test can differ."""
        runs.watches = not (runs.session.options.isolate or runs.session.options.full)
        self.deadline: float | None = None

    def run(self) -> None:
        """Make the runs of the test, within pytest's call of it."""
        runs, session = self.runs, self.runs.session
        self.deadline = session.deadline_of_next()
        progress = Progress(session.config, self.test.name)
        with runs.wrapping(), progress:
            if is_unchanged(runs):
                if not session.options.full:
                    session.unchanged.append(self.test.name)
                    return
                session.same.add(self.test.name)
            self._make(0)
            wanted = self._wanted()
            while wanted:
                for done, index in enumerate(wanted):
                    if self._is_late() or self.is_fixed:
                        break
                    progress.show(index, index - done + len(wanted))
                    self._make(index)
                wanted = self._wanted()
        session.records[self.test.name] = self._record()
        session.pace[self.test.name] = self.seconds / self.made
        if self.failures:
            index, words = self.failures[0]
            seed = f"{session.base}@{session.mode}:{index}"
            fail(
                f"flex: {len(self.failures)} runs of {self.test.name} failed by themselves, "
                f"such as run {index}: {words}\n"
                f"replay: pytest {session.selection_of(runs.item)} --flex-seed={_native.quoted(seed)}"
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
        except HungRun as error:
            fail(
                f"{runs.hung(error, index)}\nnothing was learned: a test that hangs now and then is to be mended first"
            )
        except BaseException as error:
            failure = why(error)
        self.seconds += time.perf_counter() - started
        self.recording.run(index, failure, runs.recorder)
        if failure is not None:
            self.failures.append((index, failure))
        self.made += 1
        if runs.watches:
            # A module that the first run imported may have touched something; then the second tells.
            self.is_fixed = runs.touched_nothing()
            runs.watches = self.made < 2 and not self.is_fixed and not runs.touches()

    def _wanted(self) -> list[int]:
        mistakes = self.runs.recorder.mistakes
        if mistakes:
            fail(f"flex: {self.test.name} cannot be calibrated\n" + "\n".join(f"error: {words}" for words in mistakes))
        if self._is_late():
            return []
        try:
            word, what = calibration_of(self.test.name, self._record(), self.runs.session).step()
        except ValueError as error:
            fail(f"flex: {self.test.name} cannot be calibrated: {error}")
        return what if word == "collect" and isinstance(what, list) else []

    def _record(self) -> bytes:
        return self.recording.record(self.seconds, self.runs.recorder, _native.Probe() if self.is_fixed else None)

    def _is_late(self) -> bool:
        takes = self.seconds / max(1, self.made)
        return self.deadline is not None and time.monotonic() + takes >= self.deadline


def calibration_of(
    name: str, record: bytes, session: FlexSession, plan: _native.SuitePlan | None = None
) -> _native.Calibration:
    """Return the calibration of a test from what was recorded, and what it may spend."""
    return _native.Calibration(
        record,
        session.base,
        runs=session.options.runs or session.environment.runs,
        max_runs=session.options.max_runs,
        accept=session.options.accept,
        check=session.mode == "check",
        variant=session.environment.variant,
        plan=plan,
        same=name in session.same,
    )
