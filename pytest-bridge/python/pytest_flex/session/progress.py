"""How far a calibration or a search is: one line that stays on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from pytest_flex import _native
from pytest_flex.session.words import spelt

if TYPE_CHECKING:
    from pytest_flex.session.session import FlexSession

PATIENCE = 30.0
"""Seconds after which a test says how far it is where no line can stay."""

PART = 25
"""What the guard so far costs is one part in so many of the time."""

LABEL = 20
"""Columns that the name of a test has at least."""


class Progress:
    """The progress of one test among others."""

    def __init__(self, session: FlexSession, test: str, guard: Callable[[], str | None] | None = None) -> None:
        config = session.config
        self.reporter = config.pluginmanager.getplugin("terminalreporter")
        if config.option.verbose < 0:
            self.reporter = None
        self.session = session
        self.test = test
        self.guard = guard
        """Computes in words what the runs so far would teach."""
        self.stays = self.reporter is not None and self.reporter.isatty and not _is_unwatched()
        self.pause = 0.2 if self.stays or config.option.verbose > 1 else PATIENCE
        self.began = time.monotonic()
        self.shown = self.began if self.pause == PATIENCE else 0.0
        self.has_line = False
        self._guard: str | None = None
        self._next_guard = 0.0

    def show(self, done: int, wanted: int) -> None:
        """Say how many runs are done, a few times a second."""
        now = time.monotonic()
        if self.reporter is None or now - self.shown < self.pause:
            return
        self.shown = now
        width = self.reporter._tw.fullwidth - 1 if self.stays else 1000
        line = spelt(self.reporter, self.line(done, wanted, now, width))
        if self.stays:
            self._write(line, width)
        else:
            with self._uncaptured():
                self.reporter.ensure_newline()
                self.reporter.write_line(line)

    def line(self, done: int, wanted: int, now: float, width: int) -> str:
        """Return as much as fits beside the end of the name: the first parts, all of each."""
        line = f"run {done} of {wanted}"
        elapsed = now - self.began
        if done >= 2 and elapsed >= 1.0:
            left = elapsed / done * (wanted - done)
            whole = self._whole(elapsed, left)
            for part in (f", {_native.about(left)} left", self._guard_now(now), whole):
                if part is not None and len("flex: : ") + LABEL + len(line) + len(part) <= width:
                    line += part
        room = width - len(f"flex: : {line}")
        name = self.test if len(self.test) <= room else "…" + self.test[len(self.test) + 1 - max(1, room) :]
        return f"flex: {name}: {line}"

    def _whole(self, elapsed: float, left: float) -> str | None:
        """Return how far all tests of this process are, if those that come are like those that were."""
        session = self.session
        if session.tests < 2:
            return None
        done = session.done()
        took = elapsed if done == 0 else (self.began - session.began) / done
        waiting = max(0, session.tests - done - 1)
        seconds = left + waiting * max(took, elapsed + left if done == 0 else 0.0)
        if session.options.time_budget is not None:
            seconds = min(seconds, max(0.0, session.began + session.options.time_budget - time.monotonic()))
        return f"; {done} of {session.tests} tests, about {_native.about(seconds)} left"

    def _guard_now(self, now: float) -> str | None:
        if self.guard is not None and now >= self._next_guard:
            words = self.guard()
            self._guard = None if words is None else f", {words}"
            self._next_guard = time.monotonic() + PART * (time.monotonic() - now)
        return self._guard

    def _write(self, line: str, width: int) -> None:
        """Write over the line; without words, put back what pytest had written there, which it goes on with."""
        assert self.reporter is not None
        self.has_line = bool(line)
        writer = self.reporter._tw
        before = "" if line else "\r" + writer._current_line
        with self._uncaptured():
            # Past pytest's own count of columns: it is right again when the line is gone.
            writer._file.write("\r" + line[:width].ljust(width) + before)
            writer._file.flush()

    def _uncaptured(self) -> contextlib.AbstractContextManager[None]:
        """Return a context in which what is written is seen; what a test prints is captured meanwhile."""
        capture = self.session.config.pluginmanager.getplugin("capturemanager")
        return capture.global_and_fixture_disabled() if capture is not None else contextlib.nullcontext()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.reporter is not None and self.has_line:
            self._write("", self.reporter._tw.fullwidth - 1)


def _is_unwatched() -> bool:
    """Return whether nobody looks at the terminal, or it can only add lines."""
    return os.environ.get("CI", "") not in ("", "0", "false") or os.environ.get("TERM") == "dumb"
