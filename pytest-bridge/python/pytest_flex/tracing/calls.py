"""Traces all calls of a test: from the call of its function to its return, on all threads."""

from __future__ import annotations

import inspect
import sys
import sysconfig
from pathlib import Path
from types import CodeType
from typing import Protocol

import pytest

from pytest_flex._native import CallTracer, Executed

PAUSES = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class Source(Protocol):
    """Whoever tells the tracer of calls."""

    def start(self, test: CodeType | None) -> None:
        """Begin with a test, given its code if it has some."""

    def stop(self) -> Executed:
        """End with a test, and return what it executed."""

    def close(self) -> None:
        """Leave the interpreter as it was."""


class Calls:
    """The calls of one test after the other."""

    def __init__(self, root: Path) -> None:
        places = (sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
        folders = list(dict.fromkeys([*places, str(root)]))
        self._source: Source = _Monitoring(folders) if sys.version_info >= (3, 12) else _Profiling(folders)

    def start(self, item: pytest.Item) -> None:
        """Begin with a test, before it is called."""
        code = getattr(getattr(item, "obj", None), "__code__", None)
        # What is called need not be a function of Python; then everything from here on is the test.
        self._source.start(code if isinstance(code, CodeType) else None)

    def stop(self) -> Executed:
        """End with a test, and return what it executed."""
        return self._source.stop()

    def close(self) -> None:
        """Leave the interpreter as it was."""
        self._source.close()


if sys.version_info >= (3, 12):
    monitoring = sys.monitoring
    events = monitoring.events

    class _Monitoring:
        """`sys.monitoring`, which tells of all threads and knows several tools at once."""

        EVERYWHERE = events.PY_START | events.CALL | events.PY_UNWIND

        def __init__(self, folders: list[str]) -> None:
            # Those of debuggers, coverage, profilers and optimisers come last.
            free = (tool for tool in (4, 3, 2, 0, 5, 1) if monitoring.get_tool(tool) is None)
            tool = next(free, None)
            if tool is None:
                raise pytest.UsageError("--flex-calls: other tools have taken all places of sys.monitoring")
            self.tool = tool
            self.test: CodeType | None = None
            tracer = self.tracer = CallTracer(folders, disable=monitoring.DISABLE)
            monitoring.use_tool_id(tool, "pytest-flex")
            self._register(
                {
                    events.PY_START: tracer.begun,
                    events.PY_RETURN: tracer.ended,
                    events.PY_UNWIND: tracer.ended,
                    events.CALL: tracer.called,
                }
            )

        def start(self, test: CodeType | None) -> None:
            self.test = test
            self.tracer.start(test)
            # What was seen in the test before is told again.
            monitoring.restart_events()
            if test is not None:
                monitoring.set_local_events(self.tool, test, events.PY_RETURN)
            monitoring.set_events(self.tool, self.EVERYWHERE)

        def stop(self) -> Executed:
            monitoring.set_events(self.tool, 0)
            if self.test is not None:
                monitoring.set_local_events(self.tool, self.test, 0)
            return self.tracer.stop()

        def close(self) -> None:
            self._register(dict.fromkeys((events.PY_START, events.PY_RETURN, events.PY_UNWIND, events.CALL)))
            monitoring.free_tool_id(self.tool)

        def _register(self, callbacks: dict[int, object]) -> None:
            for event, callback in callbacks.items():
                monitoring.register_callback(self.tool, event, callback)

else:

    class _Profiling:
        """A profile function, of which a thread has one; coverage has a trace function, which is something else."""

        def __init__(self, folders: list[str]) -> None:
            if sys.getprofile() is not None:
                raise pytest.UsageError(
                    "--flex-calls cannot be used under a profiler: before Python 3.12 there can be only one"
                )
            self.tracer = CallTracer(folders, addresses=_addresses())

        def start(self, test: CodeType | None) -> None:
            # For a profile function every pause is a return.
            self.tracer.start(test, returns=test is not None and not test.co_flags & PAUSES)

        def stop(self) -> Executed:
            return self.tracer.stop()

        def close(self) -> None:
            """Do nothing: between tests nothing is set."""


def _addresses() -> tuple[int, int, int]:
    """Return where the interpreter has what sets a profile function on all threads, which its stable API has not."""
    import ctypes

    names = ("_PyEval_SetProfile", "PyInterpreterState_ThreadHead", "PyThreadState_Next")
    try:
        found = [ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0 for name in names]
    except AttributeError as error:
        raise pytest.UsageError(f"--flex-calls: this interpreter cannot be traced: {error}") from None
    return found[0], found[1], found[2]
