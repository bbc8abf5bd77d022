"""Looks at each test while pytest runs it, and adds what it saw to the trace."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

from pytest_flex._native import Executed, Probe, TraceBuilder, Windowed
from pytest_flex.probing import watching
from pytest_flex.session.session import FlexSession
from pytest_flex.tracing.wide import WideTouches, has_wide_fixtures

if TYPE_CHECKING:
    from pytest_flex.tracing.calls import Calls


class Looking:
    """Looks at each test while pytest runs it.

    What belongs to a test is what pytest calls for it: its set-up, its function and its tear-down. These are called by
    functions of C that open a window around them, which are quicker than hooks and on nobody's stack.
    """

    def __init__(self, session: FlexSession, trace: TraceBuilder, calls: Calls | None) -> None:
        self.session = session
        self.trace = trace
        self.calls = calls
        self.wide = WideTouches(lambda: self.watch.touches())
        self.outcome = "pass"
        self.seconds = 0.0
        self.executed: Executed | None = None
        self.watch: watching.Watch

    def begin(self, session: pytest.Session) -> None:
        """Look at the tests of a session from now on."""
        state = session._setupstate
        state.setup, state.teardown_exact = Windowed(state.setup), Windowed(state.teardown_exact)
        plugins = session.config.pluginmanager
        plugins.register(self, "flex-tracing")
        if self.calls is not None:
            from pytest_flex.tracing.calls import CallsOf

            plugins.register(CallsOf(self, self.calls), "flex-tracing-calls")
        if has_wide_fixtures(session):
            plugins.register(self.wide, "flex-tracing-fixtures")

    def close(self) -> None:
        """Leave the interpreter as it was, once all tests have been looked at."""
        if self.calls is not None:
            self.calls.close(self.trace)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Look at one test."""
        self.outcome, self.seconds, self.executed = "pass", 0.0, None
        self.watch = watching.Watch(seeded=False)
        own = item.__dict__.get("runtest")
        item.runtest = Windowed(item.runtest)  # type: ignore[method-assign]
        result = yield
        if own is None:
            del item.runtest
        else:
            item.runtest = own  # type: ignore[method-assign]
        self.trace.add(
            self.session.name_of(item),
            (self.session.relative(str(item.path)), (item.location[1] or 0) + 1),
            self.outcome,
            self.seconds,
            probe=self._probe(item),
            executed=self.executed,
        )
        return result

    def _probe(self, item: pytest.Item) -> Probe | None:
        """Return what the test touched; `None` if something was imported that may have done so unseen."""
        probe = self.watch.probe()
        probe.absorb(self.watch.at_import)
        self.wide.add_to(probe, item)
        return None if self.watch.imported and not probe.touches() else probe

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take note of how a phase of the test ended."""
        if report.when == "call":
            self.seconds += report.duration
        outcome = report.outcome
        if outcome == "passed":
            return
        if outcome == "failed":
            self.outcome = "fail"
        elif self.outcome == "pass":
            self.outcome = "skip"
