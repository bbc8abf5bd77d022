"""Lets each test be looked at while pytest runs it; `_native.Looking` adds what it sees to the trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_flex._native import Looking, TraceBuilder, Windowed
from pytest_flex.session.session import FlexSession

if TYPE_CHECKING:
    from pytest_flex.tracing.calls import Calls
    from pytest_flex.tracing.wide import WideTouches


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
    wide = _wide_touches(session)
    looking = Looking(trace, ours.relative, wide)
    plugins = session.config.pluginmanager
    plugins.register(Hooks(looking), "flex-tracing")
    if calls is not None:
        from pytest_flex.tracing.calls import CallsOf

        plugins.register(CallsOf(looking, calls), "flex-tracing-calls")
    if wide is not None:
        wide.touched = looking.touches
        plugins.register(wide, "flex-tracing-fixtures")
    return looking


def _wide_touches(session: pytest.Session) -> WideTouches | None:
    if not _has_wide_fixtures(session):
        return None
    from pytest_flex.tracing.wide import WideTouches

    return WideTouches()


def _has_wide_fixtures(session: pytest.Session) -> bool:
    """Return whether there are fixtures that several tests share, other than pytest's own, which touch nothing.

    Looking at each fixture that is set up takes longer than what most tests need besides.
    """
    known = getattr(getattr(session, "_fixturemanager", None), "_arg2fixturedefs", None)
    if known is None:
        return True
    wide = (fixture for all in known.values() for fixture in all if fixture.scope != "function")
    return not all(map(_is_of_pytest, wide))


def _is_of_pytest(fixture: pytest.FixtureDef[Any]) -> bool:
    """Return whether pytest has a fixture everywhere; those by which it calls `setup_module` are of one module."""
    module = getattr(fixture.func, "__module__", None) or ""
    return getattr(fixture, "baseid", None) == "" and module.startswith("_pytest.")
