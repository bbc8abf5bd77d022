"""How a run ended, in words."""

from __future__ import annotations

import sys

import pytest

Skipped = (pytest.skip.Exception, pytest.xfail.Exception)


class IsolatedFailure(Exception):
    """A run that failed in its own process."""


class Inconclusive(Exception):
    """Raised by a test: this run tells nothing of the code, such as when the network was down.

    It counts neither as passed nor as failed, and another is made in its place.
    """


class HungRun(Exception):
    """A run that did not end in time, and was ended with its process."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"it had not ended after {seconds:.1f} s")
        self.seconds = seconds


def inconclusive(error: BaseException) -> str | None:
    """Return why a run tells nothing; `None` if it ended otherwise. Tasks of a group may all say so."""
    if isinstance(error, Inconclusive):
        return str(error).strip() or "no reason given"
    reasons = [inconclusive(each) for each in getattr(error, "exceptions", ())]
    return None if None in reasons or not reasons else reasons[0]


def why(error: BaseException) -> str | None:
    """Return why a run failed by itself, in one line; `None` if it only tells nothing.

    What is meant for pytest itself goes on to it.
    """
    if inconclusive(error) is not None:
        return None
    if isinstance(error, HungRun) or not isinstance(error, Exception | pytest.fail.Exception):
        raise error
    return in_one_line(error)


def in_one_line(error: BaseException) -> str:
    """Return what went wrong, in one line."""
    if isinstance(error, IsolatedFailure):
        return str(error)
    if "doctest" in sys.modules:
        from pytest_flex.runs import doctests

        words = doctests.why(error)
        if words is not None:
            return words
    first = str(error).strip().split("\n", 1)[0]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
