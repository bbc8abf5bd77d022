"""Enforcement: a test is run once, and again where a value is in doubt; the engine says which, and what to report."""

from __future__ import annotations

import contextlib
import time
from typing import NoReturn, TypeAlias

import pytest

from pytest_flex._native import Enforcement, Kept
from pytest_flex.learning.placeholder import Learned
from pytest_flex.runs.ending import HungRun, IsolatedFailure, Skipped, inconclusive
from pytest_flex.runs.runs import Runs


class FlexWarning(pytest.PytestWarning):
    """Something about a stochastic test that does not fail it."""


Wanted: TypeAlias = int | tuple[str, int]
"""A run to be made: its index, or a run of the calibration with this base seed."""


class Enforcing:
    """One test against the bounds file."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        self.test = runs.test
        self.kept: Kept | None = None
        """Runs that are kept until the verdict is there."""
        self.deadline: float | None = None
        self.made = 0
        """Runs of all kinds."""

    def set_up(self) -> None:
        """Set up the first run, in pytest's own setup phase."""
        self.runs.set_up_first()

    def run(self) -> None:
        """Make the runs of the test, within pytest's call of it. In quarantine, a failure is an expected one."""
        try:
            self._enforce()
        except (Exception, pytest.fail.Exception) as error:
            quarantine = self.runs.session.environment.quarantine(self.test.name)
            if quarantine is None:
                raise
            holds, words = quarantine
            self.runs.item.add_report_section("call", "flex", words)
            if not holds:
                raise
            what = str(error).strip().split("\n")[0]
            pytest.xfail(f"{words}: {what}")

    def _enforce(self) -> None:
        try:
            self._decide()
        except (KeyboardInterrupt, SystemExit, pytest.exit.Exception):
            # Whoever interrupts it may want it to go on.
            raise
        except BaseException:
            self._forget()
            raise
        self._forget()

    def _decide(self) -> None:
        runs, enforcement = self.runs, self._enforcement()
        self.deadline = runs.session.deadline_of_next()
        if self.test.time_limit is not None:
            limit = time.monotonic() + self.test.time_limit
            self.deadline = limit if self.deadline is None else min(limit, self.deadline)
        passed = skipped = False
        try:
            with runs.wrapping():
                answer = self._answered(enforcement)
            runs.session.decided += 1
            if answer is not None:
                self._annotate(enforcement)
                fail(answer)
            passed = True
        except Skipped:
            skipped = True
            raise
        finally:
            if not skipped:
                self._keep(enforcement, passed)
        self._passes(enforcement)

    def _annotate(self, enforcement: Enforcement) -> None:
        """Let GitHub show the failure beside the source."""
        session = self.runs.session
        words = enforcement.annotation(session.folder)
        if words is not None:
            session.words.append(words.rstrip())

    def _keep(self, enforcement: Enforcement, passed: bool) -> None:
        """Keep what the run showed that was judged, red or green: who collects values must have all of them."""
        runs = self.runs
        words = enforcement.keep(runs.session.kept_folder(), runs.recorder, passed)
        if words is not None:
            runs.session.words.append(words)
        if getattr(runs.item.config.option, "xmlpath", None):
            runs.item.user_properties.append(("flex", enforcement.line(runs.recorder, passed).rstrip()))
            runs.item.user_properties.append(("flex-runs", self.made))

    def _answered(self, enforcement: Enforcement) -> str | None:
        """Make runs until there is a verdict."""
        answer = self._make(self.runs.first_index, enforcement)
        while isinstance(answer, int | tuple):
            if isinstance(answer, int) and self.deadline is not None and time.monotonic() >= self.deadline:
                answer = enforcement.out_of_time()
                if not isinstance(answer, int | tuple):
                    break
            answer = self._again(answer, enforcement)
        return answer

    def _forget(self) -> None:
        if self.kept is not None:
            self.kept.forget()
            self.kept = None

    def _again(self, wanted: Wanted, enforcement: Enforcement) -> Wanted | str | None:
        runs = self.runs
        if runs.item.config.option.usepdb and isinstance(wanted, int) and enforcement.is_in_doubt():
            fail(
                f"flex: {self.test.name}: a value is in doubt, and reruns are not made under --pdb, where each could "
                f"stop; run it without --pdb, or look at one run with --flex-seed={runs.base}@enforce:{wanted}"
            )
        return self._make(wanted, enforcement, is_first=False)

    def _make(self, wanted: Wanted, enforcement: Enforcement, is_first: bool = True) -> Wanted | str | None:
        """Make a run, and return what comes after it.

        One that fails by itself in every attempt is an ordinary failure, with how to repeat it.
        """
        self.made += 1
        try:
            self._run(wanted)
        except Skipped:
            # A site that was not reached was not beyond its bound.
            if is_first:
                raise
        except pytest.exit.Exception:
            raise
        except HungRun as error:
            # Whatever the other runs showed: a test that hangs now and then is not fine.
            base, run = (None, wanted) if isinstance(wanted, int) else wanted
            fail(self.runs.hung(error, run, base))
        except (Exception, pytest.fail.Exception) as error:
            reason = inconclusive(error)
            if reason is not None:
                return self._see_inconclusive(enforcement, reason)
            # The debugger is to see the first failure; a replay that fails is none.
            if not self.runs.item.config.option.usepdb or isinstance(wanted, tuple):
                goes_on, answer = enforcement.see_failure(self.runs.recorder)
                if goes_on:
                    return answer
            words = enforcement.failed_by_itself()
            if isinstance(error, IsolatedFailure):
                fail(f"{error}\n{words}")
            self.runs.item.add_report_section("call", "flex", words)
            raise
        return self._see(enforcement)

    def _see_inconclusive(self, enforcement: Enforcement, reason: str) -> Wanted | str | None:
        return enforcement.see_inconclusive(reason)

    def _run(self, wanted: Wanted) -> None:
        if not isinstance(wanted, int):
            self.runs.replay(*wanted)
        elif self.kept is not None and self.kept.take(wanted, self.runs.recorder):
            self.runs.leave_out()
        else:
            self.runs.make(wanted)
            if self.kept is not None:
                self.kept.keep(wanted, self.runs.recorder)

    def _passes(self, enforcement: Enforcement) -> None:
        session = self.runs.session
        changed = enforcement.changed()
        if changed is not None and not session.said_changed:
            session.said_changed = True
            session.words.append(changed)
        session.words.extend(enforcement.notes())
        cache = getattr(session.config, "cache", None)
        if cache is not None and enforcement.has_strays():
            # Nothing depends on the log; where it cannot be written there is none.
            with contextlib.suppress(OSError):
                enforcement.log_strays(cache.mkdir("flex"))
        if session.environment.log:
            session.words.append(enforcement.passed(self.runs.recorder))

    def _see(self, enforcement: Enforcement) -> Wanted | str | None:
        answer = enforcement.see(self.runs.recorder)
        for warning in enforcement.take_warnings():
            self.runs.item.warn(FlexWarning(warning.strip()))
        return answer

    def _enforcement(self, bounds: bool = True) -> Enforcement:
        session, base = self.runs.session, self.runs.base
        seed = base if session.replayed is None else "{}@{}:{}".format(base, *session.replayed)
        try:
            enforcement = Enforcement(self.test, session.environment, seed, session.bounds_file if bounds else None)
        except ValueError as error:
            fail(f"error: {error}")
        self.runs.words_for = lambda learned: _words(learned, enforcement, session.bounds_file)
        return enforcement


class Keeping(Enforcing):
    """One test against the bounds file, which goes on where it was interrupted if it asks for that."""

    def set_up(self) -> None:
        """Open what is kept, which says under which seed to go on, and set up the first run."""
        runs, session = self.runs, self.runs.session
        cache = getattr(session.config, "cache", None)
        if self.test.keeps_runs and cache is not None:
            with contextlib.suppress(OSError):
                folder = cache.mkdir("flex") / "runs"
                self.kept = Kept.open(folder, self.test, session.sources, session.stated_base, runs.base)
        if self.kept is not None:
            runs.go_on_under(self.kept.base)
            if self.kept.words is not None:
                session.words.append(self.kept.words)
        super().set_up()


class WithoutBounds(Enforcing):
    """One test, run once, with no learned bounds."""

    def _enforce(self) -> None:
        enforcement = self._enforcement(bounds=False)
        with self.runs.wrapping():
            answer = self._make(self.runs.first_index, enforcement)
            while isinstance(answer, int | tuple):
                # The last run told nothing.
                answer = self._make(answer, enforcement)
        if answer is not None:
            fail(answer)

    def _see(self, enforcement: Enforcement) -> Wanted | str | None:
        return enforcement.see_declared(self.runs.recorder)


class Replaying(WithoutBounds):
    """One run of one test, of any phase, to see what it showed."""

    def run(self) -> None:
        """Make the run and show what it saw."""
        runs, enforcement = self.runs, self._enforcement(bounds=False)
        assert runs.session.replayed is not None
        try:
            with runs.wrapping():
                answer = self._make(runs.first_index, enforcement)
        finally:
            runs.session.words.append(enforcement.replayed(*runs.session.replayed, runs.recorder))
        if answer is not None:
            fail(str(answer))

    def _see_inconclusive(self, enforcement: Enforcement, reason: str) -> NoReturn:
        fail(f"flex: {self.test.name}: the run is inconclusive: {reason!r}")


def fail(report: str) -> NoReturn:
    """Fail a test with words instead of a traceback."""
    __tracebackhide__ = True
    # What it was about to raise stands in the report.
    raise pytest.fail.Exception(report.strip(), pytrace=False) from None


def _words(learned: Learned, enforcement: Enforcement, bounds_file: object) -> str:
    """Return the bound that stands for `learned()`, and where it comes from."""
    bound = enforcement.bound_of(learned._site.id, learned._case)
    if bound is None:
        return "learned(), not calibrated yet"
    return f"learned(), {' '.join(bound.split())}, from {getattr(bounds_file, 'name', bounds_file)}"
