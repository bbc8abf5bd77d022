"""`sys.monitoring` of CPython 3.12 and newer, which tells of all threads and knows several tools at once."""

from __future__ import annotations

import sys
from types import CodeType

import pytest

from pytest_flex._native import CallTracer, Executed

assert sys.version_info >= (3, 12)
monitoring = sys.monitoring
events = monitoring.events

EVERYWHERE = events.PY_START | events.CALL | events.PY_UNWIND
# Those of debuggers, coverage, profilers and optimisers come last.
TOOLS = (4, 3, 2, 0, 5, 1)


class Monitoring:
    """Tells the tracer of calls, and of each place as long as it wants to know."""

    def __init__(self, folders: list[str]) -> None:
        tool = next((tool for tool in TOOLS if monitoring.get_tool(tool) is None), None)
        if tool is None:
            raise pytest.UsageError("--flex-calls: other tools have taken all places of sys.monitoring")
        self.tool = tool
        self.test: CodeType | None = None
        tracer = self.tracer = CallTracer(folders, disable=monitoring.DISABLE)
        monitoring.use_tool_id(tool, "pytest-flex")
        self.callbacks = {
            events.PY_START: tracer.begun,
            events.PY_RETURN: tracer.ended,
            events.PY_UNWIND: tracer.ended,
            events.CALL: tracer.called,
        }
        for event, callback in self.callbacks.items():
            monitoring.register_callback(tool, event, callback)

    def start(self, test: CodeType | None) -> None:
        """Begin with a test, given its code if it has some."""
        self.test = test
        self.tracer.start(test)
        # What was seen in the test before is told again.
        monitoring.restart_events()
        if test is not None:
            monitoring.set_local_events(self.tool, test, events.PY_RETURN)
        monitoring.set_events(self.tool, EVERYWHERE)

    def stop(self) -> Executed:
        """End with a test, and return what it executed."""
        monitoring.set_events(self.tool, 0)
        if self.test is not None:
            monitoring.set_local_events(self.tool, self.test, 0)
        return self.tracer.stop()

    def close(self) -> None:
        """Leave the interpreter as it was."""
        for event in self.callbacks:
            monitoring.register_callback(self.tool, event, None)
        monitoring.free_tool_id(self.tool)
