"""Literal seeds: while runs are made, a number that the source seeds a generator with stands for another one.

Equal numbers stand for equal ones within a run, as a test expects that seeds twice with 42, and for others in the next
run. Run 0 keeps the originals. A generator without a seed gets one that follows the run, so that it can be repeated.
What is replaced in the libraries, so that they ask here, is in `seed_hooks`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_flex.seeds.seed_log import SeedLog

_SEEDS = os.path.dirname(__file__) + os.sep
_OURS = os.path.dirname(os.path.dirname(__file__)) + os.sep

run: SeededRun | None = None
"""The run under way; outside of runs everything is as the source has it."""


@dataclass
class SeededRun:
    """What the seeds of one run are."""

    seed: bytes
    as_written: bool
    """Whether the source's numbers hold."""
    index: int = 0
    log: SeedLog | None = None
    used: bool = field(default=False, init=False)
    """Whether somebody seeded something."""
    unseeded: int = field(default=0, init=False)
    """Generators without a seed so far."""

    def number_for(self, literal: object) -> int:
        """Return the 32 bits that stand for a literal seed: every library takes as many."""
        text = f"{type(literal).__name__} {literal!r}" if not isinstance(literal, int) else str(int(literal))
        return int.from_bytes(hashlib.sha256(self.seed + b"literal" + text.encode()).digest()[:4], "little")


@contextlib.contextmanager
def under(seeded: SeededRun | None) -> Iterator[None]:
    """Let seeds be those of a run; `None` for as they are written."""
    global run
    before, run = run, seeded
    try:
        yield
    finally:
        run = before


def varied(literal: Any, call: str, quiet: bool = False) -> Any:
    """Return what a literal seed stands for in the run under way."""
    if run is None or _is_importing():
        return literal
    run.used = True
    number = literal if run.as_written else run.number_for(literal)
    if run.log is not None and not quiet:
        run.log.saw_literal(call, literal, number, run.index)
    return number


def _is_importing() -> bool:
    """Return whether a module is being imported by the test: what that seeds, once for all runs, is not the test's."""
    frame: FrameType | None = sys._getframe(2)
    # The hooks that were called come first; the next of ours is whoever makes the run.
    while frame is not None and frame.f_code.co_filename.startswith(_SEEDS):
        frame = frame.f_back
    while frame is not None and not frame.f_code.co_filename.startswith(_OURS):
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def asked_for_entropy() -> None:
    """Write down who asks the operating system for randomness, which is not replaced: secrets stay secret."""
    if run is not None and run.log is not None:
        run.log.saw_unseeded()


def unseeded(bits: int) -> int:
    """Return so many bits for a generator without a seed, by the run under way: the next of its numbers."""
    assert run is not None, "a run is under way"
    run.used = True
    run.unseeded += 1
    drawn = hashlib.sha256(run.seed + b"unseeded" + str(run.unseeded).encode()).digest()
    return int.from_bytes(drawn, "little") % (1 << bits)
