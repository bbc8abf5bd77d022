"""hypothesis: of a stochastic test with `@given`, a run is one example under one seed, and both follow from the run.

hypothesis begins every search with the simplest example, and seeds all global generators alike for each. So the first
example is let through in nine runs of ten, in the tenth it is the one that counts; and generators are seeded when the
example is there, by the run. An example that fails is shrunk under the seed of its run, so that a replay ends with the
same pair. Only `hypothesis.inner_test`, which hypothesis has for this, its settings and its seed are set.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

from pytest_flex.seeds import seeding

SIMPLEST = 10
"""One run in so many has the simplest example."""

OURS: dict[str, Callable[[bytes], Any]] = {
    "flex_rng": seeding.generator,
    "flex_seed": seeding.number,
    "flex_key": seeding.key,
}
"""Fixtures that are made anew for each example."""


class Given:
    """The examples of one test."""

    def __init__(self, function: Any, shrinks: bool) -> None:
        from hypothesis import HealthCheck, Phase, settings

        self.function = function
        self.inner = function.hypothesis.inner_test
        self.shrinks = shrinks

        def of(count: int) -> Any:
            return settings(
                function._hypothesis_internal_use_settings,
                max_examples=count,
                phases=(Phase.generate, Phase.shrink) if shrinks else (Phase.generate,),
                # Nothing may depend on what was found before, or on how fast the machine is.
                database=None,
                deadline=None,
                derandomize=False,
                report_multiple_bugs=False,
                suppress_health_check=list(HealthCheck),
            )

        self.simplest, self.other = of(1), of(2)
        function._hypothesis_internal_use_settings = self.other

    def call(self, seed: bytes, body: Callable[[], object]) -> None:
        """Call the test as the run with this seed."""
        if not self._call(seed, body, seed[20] % SIMPLEST == 0):
            # There is no other example.
            self._call(seed, body, True)

    def _call(self, seed: bytes, body: Callable[[], object], is_simplest: bool) -> bool:
        """Call the test, and return whether an example counted."""
        function, count = self.function, 0

        def example(*args: Any, **kwargs: Any) -> Any:
            nonlocal count
            __tracebackhide__ = True
            count += 1
            if count == 1 and not is_simplest:
                return None
            kwargs.update({name: make(seed) for name, make in OURS.items() if name in kwargs})
            seeding.seed_all(seed)
            return self.inner(*args, **kwargs)

        function.hypothesis.inner_test = functools.update_wrapper(example, self.inner)
        function._hypothesis_internal_use_settings = self.simplest if is_simplest else self.other
        function._hypothesis_internal_use_seed = int.from_bytes(seed[:8], "little")
        try:
            body()
        finally:
            function.hypothesis.inner_test = self.inner
        return is_simplest or count > 1


def given_of(item: pytest.Item, shrinks: bool) -> Given | None:
    """Return the examples of a stochastic test, if hypothesis calls it."""
    function = getattr(item, "function", None)
    if not getattr(function, "is_hypothesis_test", False) or item.get_closest_marker("stochastic") is None:
        return None
    return Given(function, shrinks)
