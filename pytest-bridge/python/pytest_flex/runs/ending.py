"""How a run ended, in words."""

from __future__ import annotations

import pytest

Skipped = (pytest.skip.Exception, pytest.xfail.Exception)


class IsolatedFailure(Exception):
    """A run that failed in its own process."""


class HungRun(Exception):
    """A run that did not end in time, and was ended with its process."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"it had not ended after {seconds:.1f} s")
        self.seconds = seconds


def why(error: BaseException) -> str:
    """Return why a run failed by itself, in one line; what is meant for pytest itself goes on to it."""
    if isinstance(error, HungRun) or not isinstance(error, Exception | pytest.fail.Exception):
        raise error
    return in_one_line(error)


def in_one_line(error: BaseException) -> str:
    """Return what went wrong, in one line."""
    if isinstance(error, IsolatedFailure):
        return str(error)
    first = str(error).strip().split("\n", 1)[0]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
