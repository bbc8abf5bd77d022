"""Traces all calls of a test: from the call of its function to its return, on all threads."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Generator
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from pytest_flex._native import Executed, Looking, TraceBuilder


class Calls:
    """The calls of one test after the other."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._installed = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
        self._source = _source(list(dict.fromkeys([*self._installed, self._root])))

    def start(self, item: pytest.Item) -> None:
        """Begin with a test, before it is called."""
        code = getattr(getattr(item, "obj", None), "__code__", None)
        # What is called need not be a function of Python; then everything from here on is the test.
        self._source.start(code if isinstance(code, CodeType) else None)

    def stop(self) -> Executed:
        """End with a test, and return what it executed."""
        return self._source.stop()

    def close(self, trace: TraceBuilder) -> None:
        """Leave the interpreter as it was, and say what functions and sources the tests of a trace are about."""
        self._source.close()
        trace.name_functions(self._source.tracer)
        trace.add_sources(_loaded(self._root, self._installed))


class CallsOf:
    """Hooks that trace the call of each test."""

    def __init__(self, looking: Looking, calls: Calls) -> None:
        self._looking, self._calls = looking, calls

    # Of an older kind: what a test raises does not pass through it, so that no traceback shows it.
    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, None]:
        """Trace a test."""
        self._calls.start(item)
        yield
        self._looking.executed(self._calls.stop())


def _loaded(root: str, installed: list[str]) -> list[str]:
    """Return the source files of the project that were loaded, relative to its root."""
    files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    inside, outside = root.rstrip(os.sep) + os.sep, tuple(folder + os.sep for folder in installed)
    own = (file for file in files if isinstance(file, str) and file.startswith(inside) and file.endswith(".py"))
    return sorted(file[len(inside) :].replace(os.sep, "/") for file in own if not file.startswith(outside))


def _source(folders: list[str]) -> Any:
    """Return whoever tells of calls here."""
    if sys.version_info >= (3, 12):
        from pytest_flex.tracing.monitoring import Monitoring

        return Monitoring(folders)
    from pytest_flex.tracing.profiling import Profiling

    return Profiling(folders)
