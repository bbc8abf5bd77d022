"""Calibration of one test: runs are made until the engine has enough, and what they showed is kept as a record."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pytest_flex import _native
from pytest_flex.modes.collecting import Collecting
from pytest_flex.modes.enforce import fail
from pytest_flex.modes.unchanged import is_unchanged
from pytest_flex.runs.runs import Runs
from pytest_flex.session.progress import Progress
from pytest_flex.session.session import FlexSession

if TYPE_CHECKING:
    from pytest_flex.session.turns import Turn


class Calibrating(Collecting):
    """The calibration of one test."""

    def __init__(self, runs: Runs) -> None:
        super().__init__(runs, runs.session.makes_all_runs)
        self.waits = False
        self._wanted: list[int] | None = None
        """Runs that are to be made next; `None` before the first is."""
        self._is_kept = False
        self._is_whole = False
        """Whether its last turn was not interrupted."""

    def run(self) -> None:
        """Make the runs of the test, or those of one turn, within pytest's call of it."""
        runs, session = self.runs, self.runs.session
        self.waits = False
        with runs.wrapping(), Progress(session, self.test.name, self._guard) as progress:
            if self._wanted is None:
                if session.turns is not None and session.turns.is_over():
                    session.skip_for_time(self.test.name)
                if is_unchanged(runs):
                    if not session.makes_all_runs:
                        session.unchanged.append(self.test.name)
                        return
                    session.same.add(self.test.name)
                self._make(0)
                self._wanted = self._asked()
            self._go_on(self._wanted, progress)
        if not self.waits:
            self.conclude()

    def conclude(self) -> None:
        """Keep what was recorded, and fail if runs failed."""
        self.waits = False
        self.keep()
        session = self.runs.session
        if self.failures:
            index, words = self.failures[0]
            seed = f"{session.base}@{session.mode}:{index}"
            many = len(self.failures)
            runs, themselves = ("1 run", "itself") if many == 1 else (f"{many} runs", "themselves")
            fail(
                f"flex: {runs} of {self.test.name} failed by {themselves}, such as run {index}: {words}\n"
                f"replay: pytest {session.selection_of(self.runs.item)} --flex-seed={_native.quoted(seed)}"
            )

    def keep(self) -> None:
        """Keep what was recorded, unless the test was interrupted in the midst of a turn."""
        session = self.runs.session
        if self._is_whole and not self._is_kept:
            self._is_kept = True
            session.records[self.test.name] = self._record()
            session.pace[self.test.name] = self.seconds / self.made

    def _go_on(self, wanted: list[int], progress: Progress) -> None:
        """Make the runs that are wanted, as far as the turn goes."""
        turn, before = self.runs.session.turn, self.made
        self._is_whole = False
        while wanted:
            index = wanted[0]
            if turn is not None and (self._is_late(turn) or (turn.most and self.made - before >= turn.most)):
                # For this run pytest sets fixtures up, if the test has another turn.
                self.waits, self.runs.first_index = True, index
                break
            progress.show(index, self.made + len(wanted))
            self._make(wanted.pop(0))
            if self.is_fixed:
                wanted.clear()
            if not wanted:
                wanted += self._asked()
        self._is_whole = True

    def _asked(self) -> list[int]:
        """Return the runs that the engine asks for."""
        mistakes = self.runs.recorder.mistakes
        if mistakes:
            fail(f"flex: {self.test.name} cannot be calibrated\n" + "\n".join(f"error: {words}" for words in mistakes))
        try:
            word, what = calibration_of(self.test.name, self._record(), self.runs.session).step()
        except ValueError as error:
            fail(f"flex: {self.test.name} cannot be calibrated: {error}")
        return what if word == "collect" and isinstance(what, list) else []

    def _guard(self) -> str | None:
        """Return what the runs so far would teach, in words."""
        try:
            return calibration_of(self.test.name, self._record(), self.runs.session).guards()
        except ValueError:
            # It is said when the runs are over.
            return None

    def _is_late(self, turn: Turn) -> bool:
        takes = self.seconds / max(1, self.made)
        return turn.deadline is not None and time.monotonic() + takes >= turn.deadline


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
        history=session.history if session.mode == "calibrate" else None,
    )
