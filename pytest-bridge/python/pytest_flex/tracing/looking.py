"""Lets each test be looked at while pytest runs it; `_native.Looking` adds what it sees to the trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from _pytest.fixtures import FixtureDef
from _pytest.scope import Scope

from pytest_flex._native import Looking, SharedFixtures, TraceBuilder, Windowed
from pytest_flex.session.session import FlexSession

if TYPE_CHECKING:
    from pytest_flex.tracing.calls import Calls


class Hooks:
    """Hands each test over."""

    def __init__(self, looking: Looking) -> None:
        self._looking = looking

    # It decides nothing: the protocol goes on with the next one that is asked.
    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        """Begin with a test."""
        self._looking.begin(item)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take note of how a phase of the test ended; with the last one it is over."""
        self._looking.reported(report)


def look(ours: FlexSession, session: pytest.Session, trace: TraceBuilder, calls: Calls | None) -> Looking:
    """Look at the tests of a session from now on; set-up and tear-down, too, are called with a window around them."""
    state = session._setupstate
    state.setup, state.teardown_exact = Windowed(state.setup), Windowed(state.teardown_exact)
    looking = Looking(trace, ours.relative)
    plugins = session.config.pluginmanager
    plugins.register(Hooks(looking), "flex-tracing")
    if calls is not None:
        from pytest_flex.tracing.calls import CallsOf

        plugins.register(CallsOf(looking, calls), "flex-tracing-calls")
    _look_at_shared_fixtures(looking, session.config)
    return looking


def _look_at_shared_fixtures(looking: Looking, config: pytest.Config) -> None:
    execute = FixtureDef.execute
    FixtureDef.execute = SharedFixtures(execute, looking, Scope.Function)  # type: ignore[method-assign]

    def leave() -> None:
        FixtureDef.execute = execute  # type: ignore[method-assign]

    config.add_cleanup(leave)
