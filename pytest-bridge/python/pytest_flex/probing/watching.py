"""The watch of one run: its window, and what the run touched while that was open."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from pytest_flex import _native
from pytest_flex.probing import entries, generators, sources

_is_installed = False


def install(config: pytest.Config) -> None:
    """Let everything that varies report to the watch of the run under way; outside of runs that does nothing."""
    global _is_installed
    sources.describe(config)
    if not _is_installed:
        _is_installed = True
        entries.intercept_all()
        _native.hear_audit_events()
    _catch_up()


class Watch:
    """What one run touches."""

    def __init__(self, *, seeded: bool) -> None:
        """Begin a run, before it is seeded; `seeded` says whether the global generators are.

        What was imported since the last run reports once this one is over, which then counts as having imported it.
        """
        generators.begin_run(seeded)
        self._probe = _native.Probe()
        self.at_import = _native.Probe()
        """What modules touched that the run imported; that is no part of what it touched."""
        self.imported = False
        """Whether they touched something, or could have unseen: then another run tells, which does not import them."""

    def open(self) -> None:
        """Open the window: what is done from now on belongs to the run."""
        _native.open_window()

    def shut(self) -> None:
        """Close the window."""
        _native.shut_window()

    def __enter__(self) -> Watch:
        self.open()
        return self

    def __exit__(self, *raised: Any) -> None:
        self.shut()

    def touches(self) -> list[Any]:
        """Return what the run touched so far, while it is under way."""
        _native.collect(self._probe, self.at_import)
        return self._probe.touches()

    def probe(self) -> _native.Probe:
        """Return what the run touched, once it is over."""
        at_import = _native.collect(self._probe, self.at_import)
        self.imported |= _catch_up() or at_import
        if generators.holds_unseen(self._probe):
            _native.collect(self._probe, self.at_import)
        return self._probe


def _catch_up() -> bool:
    """Let what was imported since report, too; returns whether there is such."""
    global _looked_at
    state = len(sys.modules), next(reversed(sys.modules))
    if state == _looked_at:
        return False
    _looked_at = state
    found = _awaited.keys() & sys.modules.keys()
    for module in found:
        _awaited.pop(module)()
    return bool(found)


_looked_at: tuple[int, str] | None = None
"""How many modules there were at the last look, and which was the newest."""

_awaited = {**generators.LIBRARIES, **entries.LATE}
"""What is to be done when a module is imported."""
