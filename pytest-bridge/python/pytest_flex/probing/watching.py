"""Lets everything that varies report to the `_native.Watch` of the run under way."""

from __future__ import annotations

import sys

import pytest

from pytest_flex import _native
from pytest_flex.probing import entries, generators, sources

_is_installed = False


def install(config: pytest.Config) -> None:
    """Let all of it report; outside of runs that does nothing."""
    global _is_installed
    sources.describe(config)
    if not _is_installed:
        _is_installed = True
        entries.intercept_all()
        _native.hear_audit_events()
        _native.on_imports(_catch_up)
    _native.catch_up()


def _catch_up() -> bool:
    """Let what was imported since report, too; returns whether there is such."""
    found = _awaited.keys() & sys.modules.keys()
    for module in found:
        _awaited.pop(module)()
    return bool(found)


_awaited = {**generators.LIBRARIES, **entries.LATE}
"""What is to be done when a module is imported."""
