"""Fixtures that live longer than a test: what they draw is shared by all runs, so it must be the same everywhere.

They are set up under a seed that is fixed by the fixture and its parameters, the same in calibration and enforcement.
With `--flex-fresh` they are built anew for each run instead, and draw from its seed.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import pytest

from pytest_flex import running
from pytest_flex._native import Seeds
from pytest_flex.probing.window import outside
from pytest_flex.seeds import literal_seeds, seeding

REBUILT = {None: (), "module": ("class", "module"), "session": ("class", "module", "package", "session")}
"""The scopes that are built anew."""


class WideFixtures:
    """Seeds the wider fixtures of stochastic tests."""

    def __init__(self, items: Sequence[pytest.Item], fresh: str | None) -> None:
        self.per_run = ("function", *REBUILT[fresh])
        self.fixtures = set()
        self.drawn: dict[Any, None] = {}
        """Those that drew something random."""
        for item in items:
            for fixtures in item._fixtureinfo.name2fixturedefs.values():  # type: ignore[attr-defined]
                self.fixtures.update(fixtures)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Generator[None, Any, Any]:
        """Set a wider fixture up under its own seed, and go on as if nothing had been drawn."""
        # A test may also ask for one by name while it runs.
        is_ours = fixturedef in self.fixtures or running.run is not None
        if fixturedef.scope in self.per_run or not is_ours:
            return (yield)
        with outside():
            return (yield from self._set_up(fixturedef, request))

    def _set_up(self, fixturedef: Any, request: Any) -> Generator[None, Any, Any]:
        before = seeding.States()
        name = f"{fixturedef.baseid}::{fixturedef.argname}[{getattr(request, 'param_index', 0)}]"
        seed = Seeds("fixture", "calibrate", name).run(0)
        with literal_seeds.under(None):
            seeding.seed_all(seed)
        seeded = seeding.States()
        # The seeds that the source states hold here: the fixture is shared by all runs.
        under = None if literal_seeds.run is None else literal_seeds.SeededRun(seed, as_written=True)
        try:
            with literal_seeds.under(under):
                return (yield)
        finally:
            if (under is not None and under.used) or not seeded.are_current():
                self.drawn[fixturedef] = None
            before.restore()
