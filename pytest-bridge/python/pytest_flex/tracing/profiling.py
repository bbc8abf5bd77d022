"""A profile function, before CPython 3.12: a thread has one, beside the trace function by which coverage measures."""

from __future__ import annotations

import ctypes
import inspect
import sys
from types import CodeType

import pytest

from pytest_flex._native import CallTracer, Executed

PAUSES = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class Profiling:
    """Tells the tracer of all calls; it sets the function itself."""

    def __init__(self, folders: list[str]) -> None:
        if sys.getprofile() is not None:
            raise pytest.UsageError(
                "--flex-calls cannot be used under a profiler: before Python 3.12 there can be only one"
            )
        self.tracer = CallTracer(folders, addresses=_addresses())

    def start(self, test: CodeType | None) -> None:
        """Begin with a test, given its code if it has some."""
        # For a profile function every pause is a return.
        self.tracer.start(test, returns=test is not None and not test.co_flags & PAUSES)

    def stop(self) -> Executed:
        """End with a test, and return what it executed."""
        return self.tracer.stop()

    def close(self) -> None:
        """Do nothing: between tests nothing is set."""


def _addresses() -> tuple[int, int, int]:
    """Return where the interpreter has what sets a profile function on all threads, which its stable API has not."""
    names = ("_PyEval_SetProfile", "PyInterpreterState_ThreadHead", "PyThreadState_Next")
    try:
        found = [ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0 for name in names]
    except AttributeError as error:
        raise pytest.UsageError(f"--flex-calls: this interpreter cannot be traced: {error}") from None
    return found[0], found[1], found[2]
