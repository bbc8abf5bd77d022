"""Subtests: one that fails fails its run, and what assertions in it see is a case of its test.

pytest would report each at once, as a failure of the session.
"""

from __future__ import annotations

import functools
import re
import unittest
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any

import pytest
from _pytest._io.saferepr import saferepr

from pytest_flex import running

_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")
"""Where an object lies, which is elsewhere in every process."""


def install(config: pytest.Config) -> None:
    """Let test functions of this session keep what their subtests report while a run is made."""

    def hooks(item: pytest.Function) -> Any:
        usual = item.session.gethookproxy(item.path)
        return usual if running.run is None else _Keeping(usual, running.run.subtest_errors)

    pytest.Function.ihook = property(hooks)  # type: ignore[assignment, method-assign]
    config.add_cleanup(lambda: delattr(pytest.Function, "ihook"))
    _name_cases(config, unittest.TestCase, "subTest")
    # They came with pytest 9.
    if hasattr(pytest, "Subtests"):
        _name_cases(config, pytest.Subtests, "test")


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


class _Case:
    """A subtest, as a context: whoever listens is told that it begins and ends."""

    def __init__(self, context: AbstractContextManager[None], case: str) -> None:
        self._context = context
        self._case = case
        self._leave: Callable[[BaseException | None], None] | None = None

    def __enter__(self) -> None:
        self._context.__enter__()
        sites = running.sites
        if sites is not None:
            self._leave = functools.partial(sites.leave, sites.enter(self._case))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        if self._leave is not None:
            self._leave(error)
        return self._context.__exit__(kind, error, traceback)


def _name_cases(config: pytest.Config, holder: Any, name: str) -> None:
    """Let subtests that this method begins be cases of the test."""
    begin = getattr(holder, name)

    @functools.wraps(begin)
    def subtest(self: Any, *args: Any, **parameters: Any) -> _Case:
        # Those of unittest have the parameters of the ones around them, too.
        around = getattr(getattr(self, "_subtest", None), "params", {})
        stated = {**around, **parameters}
        message = args[0] if args else stated.pop("msg", None)
        return _Case(begin(self, *args, **parameters), _described(message, stated))

    setattr(holder, name, subtest)
    config.add_cleanup(lambda: setattr(holder, name, begin))


def _described(message: object, parameters: Mapping[str, Any]) -> str:
    """Describe a subtest by its message and its parameters, which are written as pytest does."""
    stated = ", ".join(f"{name}={saferepr(value)}" for name, value in parameters.items())
    if message is not None:
        stated = f"{message} ({stated})" if stated else str(message)
    return _ADDRESS.sub("", stated) or "<subtest>"
