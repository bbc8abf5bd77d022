"""Trials that the gate asks for: how many of each test, until when, and under which seeds."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BROKEN_AFTER = 10
"""After so many runs that all failed, a test is broken, and not flaky."""


@dataclass
class Trials:
    """What the gate asks for."""

    tests: dict[str, tuple[int, float]]
    """The number of trials, and the seconds that one takes, by node id without parameters."""
    same_seed: bool
    """Whether all trials have one seed."""
    measures: bool
    """Whether it is only asked how long runs take."""
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
        return self.ends is None and not self.measures

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
