"""Trials that the gate asks for: how many of each test, until when, and under which seeds."""

from __future__ import annotations

import contextlib
import json
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BROKEN_AFTER = 10
"""After so many runs that all failed, a test is broken, and not flaky."""


class OutOfTime(BaseException):
    """A run that is only measured takes longer than its share of the time."""


@dataclass
class Trials:
    """What the gate asks for."""

    tests: dict[str, tuple[int, float]]
    """The number of trials, and the seconds that one takes, by node id without parameters."""
    same_seed: bool
    """Whether all trials have one seed."""
    measures: float | None
    """The share of what is left that a run may take, if it is only asked how long runs take."""
    ends: float | None
    """When everything is to have ended, if there is a time bank."""
    start: float
    """The seconds that it took to start this process."""
    kept: float = 0.0
    """The seconds that are kept for second runs of fixed tests, in another process."""

    @classmethod
    def read(cls, file: str) -> Trials:
        """Read the file that the gate wrote."""
        found: dict[str, Any] = json.loads(Path(file).read_text(encoding="utf-8"))
        tests = {name: (trials, each) for name, (trials, each) in found["tests"].items()}
        start = max(0.0, time.time() - found["began"])
        ends = None if found["seconds"] is None else time.monotonic() + found["seconds"] - start
        return cls(tests, found["same_seed"], found["measures"], ends, start)

    @property
    def deadline(self) -> float | None:
        """When trials are to have ended."""
        return None if self.ends is None else self.ends - self.kept

    @property
    def repeats_all(self) -> bool:
        """Whether runs of tests that vary are made again, too: a time bank has better uses."""
        return self.ends is None and self.measures is None

    @contextlib.contextmanager
    def limited(self) -> Iterator[None]:
        """End a run that is only measured when it takes too long: it would take the time of all others."""
        is_possible = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
        if self.measures is None or self.ends is None or not is_possible:
            yield
            return

        def end(*_: Any) -> None:
            raise OutOfTime

        before = signal.signal(signal.SIGALRM, end)
        signal.setitimer(signal.ITIMER_REAL, max(0.001, self.measures * (self.ends - time.monotonic())))
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def keep_for_fixed(self, seconds: float) -> None:
        """Keep time for the second run of a fixed test."""
        self.kept += seconds + (0.0 if self.kept else self.start)

    def of(self, name: str) -> tuple[int, float]:
        """Return the number of trials of a test, and the seconds that one takes."""
        function = name.split("[", 1)[0]
        for asked, wanted in self.tests.items():
            of = asked.split("[", 1)[0]
            if function == of or function.endswith("/" + of) or of.endswith("/" + function):
                return wanted
            if function.startswith(of + "::") or ("/" + function).find("/" + of + "::") >= 0:
                return wanted
        return max(self.tests.values(), default=(1, 0.0))
