"""Subtests: one that fails fails its run. pytest would report each at once, as a failure of the session."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_flex import running


def install(config: pytest.Config) -> None:
    """Let test functions of this session keep what their subtests report while a run is made."""

    def hooks(item: pytest.Function) -> Any:
        usual = item.session.gethookproxy(item.path)
        return usual if running.run is None else _Keeping(usual, running.run.subtest_errors)

    pytest.Function.ihook = property(hooks)  # type: ignore[assignment, method-assign]
    config.add_cleanup(lambda: delattr(pytest.Function, "ihook"))


class _Keeping:
    """The hooks of an item, without reports."""

    def __init__(self, hooks: Any, errors: list[BaseException]) -> None:
        self._hooks = hooks
        self._errors = errors

    def __getattr__(self, name: str) -> Any:
        return getattr(self._hooks, name)

    def pytest_runtest_makereport(self, item: pytest.Item, call: Any) -> Any:
        """Keep what was raised, and make the report of a subtest that passed."""
        if call.excinfo is not None:
            if not isinstance(call.excinfo.value, pytest.skip.Exception | pytest.xfail.Exception):
                self._errors.append(call.excinfo.value)
            call.excinfo = None
        return self._hooks.pytest_runtest_makereport(item=item, call=call)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Report nothing."""
