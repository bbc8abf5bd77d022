"""What fixtures touch that several tests share: it is seen once, and every test that has the fixture touches it."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from pytest_flex._native import Probe


class WideTouches:
    """What the fixtures touched that are wider than one test."""

    def __init__(self) -> None:
        self.touched: Any = list
        """Whom to ask what the present test touched so far."""
        self._touches: dict[Any, list[Any]] = {}
        self._fresh: set[Any] = set()
        """Those that were set up for the present test, which has their touches already."""

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, None]:
        """Take note of what a fixture touches that other tests have, too."""
        if fixturedef.scope == "function":
            yield
            return
        before = self.touched()
        yield
        self._set_up(fixturedef, before, self.touched())

    def _set_up(self, fixture: pytest.FixtureDef[Any], before: list[Any], after: list[Any]) -> None:
        """Take note of what the test had touched before and after a fixture was set up for it."""
        counts = {touch[:3]: touch[3] for touch in before}
        touches = [
            (*touch[:3], touch[3] - counts.get(touch[:3], 0), touch[4])
            for touch in after
            if touch[3] > counts.get(touch[:3], 0)
        ]
        if touches:
            self._touches[fixture] = touches
            self._fresh.add(fixture)

    def add_to(self, probe: Probe, item: pytest.Item) -> None:
        """Add what the fixtures of a test touched when they were set up for one before."""
        if not self._touches:
            return
        known, self._fresh = self._touches.keys() - self._fresh, set()
        info = getattr(item, "_fixtureinfo", None)
        fixtures = [] if info is None else [fixture for all in info.name2fixturedefs.values() for fixture in all]
        for fixture in known.intersection(fixtures):
            for cause, what, seeded, count, place in self._touches[fixture]:
                probe.add(cause, what, seeded=seeded, count=count, place=place)
