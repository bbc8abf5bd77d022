"""Traces all calls of a test: from the call of its function to its return, on all threads."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from pytest_flex._native import Executed


class Calls:
    """The calls of one test after the other."""

    def __init__(self, root: Path) -> None:
        places = (sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
        self._source = _source(list(dict.fromkeys([*places, str(root)])))

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


def _source(folders: list[str]) -> Any:
    """Return whoever tells of calls here."""
    if sys.version_info >= (3, 12):
        from pytest_flex.tracing.monitoring import Monitoring

        return Monitoring(folders)
    from pytest_flex.tracing.profiling import Profiling

    return Profiling(folders)
