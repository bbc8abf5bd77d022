"""Looks at each test while pytest runs it, and adds what it saw to the trace."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

from pytest_flex._native import Executed, Probe, TraceBuilder
from pytest_flex.probing import watching
from pytest_flex.session.session import FlexSession
from pytest_flex.tracing.wide import WideTouches

if TYPE_CHECKING:
    from pytest_flex.tracing.calls import Calls


class Looking:
    """Looks at each test while pytest runs it."""

    def __init__(self, session: FlexSession, trace: TraceBuilder, calls: Calls | None) -> None:
        self.session = session
        self.trace = trace
        self.calls = calls
        self.wide = WideTouches()
        self.reports: list[pytest.TestReport] = []
        self.executed: Executed | None = None
        self.watch: watching.Watch

    def close(self) -> None:
        """Leave the interpreter as it was, once all tests have been looked at."""
        if self.calls is not None:
            self.calls.close(self.trace)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Look at one test."""
        self.reports, self.executed = [], None
        self.watch = watching.Watch(seeded=False)
        result = yield
        session = self.session
        self.trace.add(
            session.name_of(item),
            (session.relative(str(item.path)), (item.location[1] or 0) + 1),
            _outcome(self.reports),
            sum(report.duration for report in self.reports if report.when == "call"),
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

    # Those of an older kind: what a test raises does not pass through them, so that no traceback shows it, and what
    # follows is always done.
    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_setup(self) -> Generator[None, object, None]:
        """Watch the fixtures of a test."""
        self.watch.open()
        yield
        self.watch.shut()

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, None]:
        """Watch a test, and trace its calls."""
        if self.calls is not None:
            self.calls.start(item)
        self.watch.open()
        yield
        self.watch.shut()
        if self.calls is not None:
            self.executed = self.calls.stop()

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_teardown(self) -> Generator[None, object, None]:
        """Watch what is torn down."""
        self.watch.open()
        yield
        self.watch.shut()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, None]:
        """Take note of what a fixture touches that other tests have, too."""
        if fixturedef.scope == "function":
            yield
            return
        before = self.watch.probe().touches()
        yield
        self.wide.set_up(fixturedef, before, self.watch.probe().touches())

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Take note of how a phase of the test ended."""
        report = yield
        self.reports.append(report)
        return report


def _outcome(reports: list[pytest.TestReport]) -> str:
    """Return how a test ended: in each of its phases."""
    if any(report.failed for report in reports):
        return "fail"
    return "skip" if any(report.skipped for report in reports) else "pass"
