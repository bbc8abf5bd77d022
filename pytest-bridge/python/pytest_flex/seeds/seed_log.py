"""What seeds the runs of one test came across: those that the source states, and randomness that follows none."""

from __future__ import annotations

import linecache
import os
import re
import sys
import time
from pathlib import Path
from types import FrameType

import pytest

from pytest_flex.runs import doctests

LOOKED_AT = 5
"""Runs whose seeds are written down: those that a literal seed stands in are soon seen."""

_OURS = os.path.dirname(os.path.dirname(__file__)) + os.sep
_NEWER = re.compile(r"\b(default_rng|SeedSequence|PCG64DXSM|PCG64|Philox|SFC64|MT19937)\s*\(")


class SeedLog:
    """The seeds of one test."""

    def __init__(self, root: Path, test_file: str, item: pytest.Item) -> None:
        self.root = root
        self.test_file = test_file
        self.item = item
        self.runs: set[int] = set()
        self.literals: dict[tuple[str, str, int, int], set[int]] = {}
        """The runs that seeded with a number, by call, place and number."""
        self.numbers: dict[tuple[str, str, int, int], int] = {}
        """What such a number stood for in the last run."""
        self.unseeded: dict[str, None] = {}
        self.others: dict[str, set[int]] = {}
        """The runs that seeded with something else, by what is to be said of it."""
        self._files: dict[str, str | None] = {}

    @property
    def saw_any(self) -> bool:
        """Whether the source states a seed, as far as can be told."""
        return bool(self.literals or self.others)

    def saw_literal(self, call: str, literal: object, number: int, run: int) -> None:
        """Take note of a seed, if it comes from the project."""
        self.runs.add(run)
        if len(self.runs) > LOOKED_AT:
            return
        caller = _caller()
        frame, file = self._in_project(caller)
        if frame is None or file is None:
            return
        line = self._line(frame)
        if frame is not caller:
            call = "random_state"
            line += _stated(frame, literal) - frame.f_lineno
        elif call == "numpy.random.default_rng":
            named = _NEWER.search(linecache.getline(frame.f_code.co_filename, frame.f_lineno))
            call = f"numpy.random.{named[1]}" if named else call
        if not isinstance(literal, int) or not -(2**63) <= literal < 2**63:
            words = f"the seed {str(literal)[:40]!r} of {call} at {file}:{line} is varied, too"
            self.others.setdefault(words, set()).add(run)
        elif _looks_like_the_clock(literal):
            self.unseeded[f"{call}(the clock) at {file}:{line}"] = None
        elif literal == os.getpid():
            self.unseeded[f"{call}(the process id) at {file}:{line}"] = None
        else:
            key = (call, file, line, int(literal))
            self.literals.setdefault(key, set()).add(run)
            self.numbers[key] = number

    def saw_unseeded(self) -> None:
        """Take note that somebody asked the operating system for randomness."""
        caller = _caller()
        frame, file = self._in_project(caller)
        if frame is not None and len(self.unseeded) < 20:
            self.unseeded[f"{_source(caller)} at {file}:{self._line(frame)}"] = None

    def literal_seeds(self) -> list[tuple[str, str, int, int]]:
        """Return the seeds that the source states, those that are the same in run after run: call, place and number."""
        return [seed for seed, runs in sorted(self.literals.items()) if self._is_literal(runs)]

    def other_seeds(self) -> list[str]:
        """Return what is to be said of seeds that are no numbers."""
        return [words for words, runs in self.others.items() if self._is_literal(runs)]

    def _is_literal(self, runs: set[int]) -> bool:
        """Whether a seed that so many runs had is not itself drawn in each."""
        return len(runs) >= min(2, len(self.runs))

    def _in_project(self, frame: FrameType | None) -> tuple[FrameType | None, str | None]:
        """Return the nearest frame of the project, and its file."""
        while frame is not None:
            file = self._relative(frame.f_code.co_filename)
            if file is not None:
                return frame, file
            frame = frame.f_back
        return None, None

    def _line(self, frame: FrameType) -> int:
        """Return the line in the file that a frame is in; an example of a doctest counts its own."""
        return frame.f_lineno + (doctests.line_before(self.item, frame.f_code.co_filename) or 0)

    def _relative(self, file: str) -> str | None:
        """Return the file relative to the project's folder; `None` if it is not one of the project's."""
        if doctests.line_before(self.item, file) is not None:
            file = self.test_file
        if file not in self._files:
            relative = Path(os.path.relpath(file, self.root)).as_posix() if os.path.isabs(file) else ".."
            installed = "site-packages" in relative or "dist-packages" in relative
            is_ours = file == self.test_file or not (relative.startswith("..") or installed)
            self._files[file] = relative if is_ours else None
        return self._files[file]


def _caller() -> FrameType | None:
    """Return the frame that seeds: outside of flex, and of the module `random`."""
    frame: FrameType | None = sys._getframe(2)
    inner = sys.modules["random"].__file__
    while frame is not None and (frame.f_code.co_filename == inner or frame.f_code.co_filename.startswith(_OURS)):
        frame = frame.f_back
    return frame


def _stated(frame: FrameType, literal: object) -> int:
    """Return the line where a number that a library seeds with stands, as far as that can be seen; else the call's."""
    keyword = re.compile(rf"\b(random_state|random_seed|seed|rng)\s*=\s*{re.escape(str(literal))}\b")
    for line in range(frame.f_lineno, frame.f_code.co_firstlineno - 1, -1):
        if keyword.search(linecache.getline(frame.f_code.co_filename, line)):
            return line
    return frame.f_lineno


def _looks_like_the_clock(number: int) -> bool:
    now = time.time()
    return any(abs(number / unit - now) < 86400 for unit in (1, 1e3, 1e6, 1e9))


def _source(caller: FrameType | None) -> str:
    """Return what was called for randomness of the operating system."""
    module = "" if caller is None else caller.f_globals.get("__name__", "")
    return {"uuid": "uuid.uuid4()", "secrets": "secrets"}.get(module, "os.urandom() or random.SystemRandom")
