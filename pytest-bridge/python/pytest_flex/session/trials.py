"""Trials that the gate asks for: how many of each test, until when, and under which seeds."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BROKEN_AFTER = 10
"""After so many runs that all failed, a test is broken, and not flaky."""


@dataclass(frozen=True)
class Trials:
    """What the gate asks for."""

    tests: dict[str, tuple[int, float]]
    """The number of trials, and the seconds that one takes, by node id without parameters."""
    same_seed: bool
    """Whether all trials have one seed."""
    ends: float | None
    """When nothing more is to begin."""

    @classmethod
    def read(cls, file: str) -> Trials:
        """Read the file that the gate wrote."""
        found: dict[str, Any] = json.loads(Path(file).read_text(encoding="utf-8"))
        seconds = found["seconds"]
        tests = {name: (trials, each) for name, (trials, each) in found["tests"].items()}
        return cls(tests, found["same_seed"], None if seconds is None else time.monotonic() + seconds)

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
