"""Runs that are made to be compared with those of another version of the code, and where they are written down."""

from __future__ import annotations

import json
import time
import zlib
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class PairsOrder:
    """What the process is asked to do."""

    base: str
    record: str
    """The file for what the runs showed."""
    every: list[int]
    """The runs of every test, unless tests are named."""
    tests: dict[str, list[int]] | None = None
    """The runs of these tests; others are left out."""
    deal: list[int] | None = None
    """Of every test only those of this shard: its place, and how many there are."""
    seconds: float | None = None
    """After so many seconds no further run begins."""
    warm: bool = False
    """Whether the first run of a test is made once before, so that imports do not count."""
    started: float = field(default_factory=time.monotonic)

    @classmethod
    def read(cls, file: str) -> PairsOrder:
        """Read an order from its file."""
        return cls(**json.loads(Path(file).read_text(encoding="utf-8")))

    def has(self, test: str) -> bool:
        """Whether runs of a test are wanted."""
        if self.tests is not None:
            return test in self.tests
        # Versions may have other tests: none of them depends on which there are.
        return self.deal is None or zlib.crc32(test.encode()) % self.deal[1] == self.deal[0]

    def runs_of(self, test: str) -> list[int]:
        """Return the runs of a test, in their order."""
        return self.every if self.tests is None else self.tests[test]

    def is_late(self) -> bool:
        """Whether no further run is to begin."""
        return self.seconds is not None and time.monotonic() - self.started >= self.seconds
