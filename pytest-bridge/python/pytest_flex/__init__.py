"""Statistical assertions for pytest: bounds are learned, and hold with a stated false-alarm rate.

>>> from pytest_flex import learned, stochastic
>>>
>>> @stochastic(confidence=0.9999)
... def test_the_mean_is_close_to_a_half(flex_rng):
...     assert abs(flex_rng.random(1000).mean() - 0.5) < learned()

`pytest --flex=calibrate` learns the bound and writes it into `flex-bounds.toml`, which is committed; `pytest` enforces
it. `mean`, `rate`, `distributed`, `same_distribution` and `no_worse` claim something of all runs together, and need no
calibration. `bound` and `Learner` are the engine without a test.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_flex._native import LearnedBound, Learner, Side, __version__, bound
    from pytest_flex.claiming.claim import distributed, mean, no_worse, rate, same_distribution
    from pytest_flex.learning.placeholder import learned
    from pytest_flex.runs.ending import Inconclusive

__all__ = [
    "Inconclusive",
    "LearnedBound",
    "Learner",
    "Side",
    "__version__",
    "bound",
    "distributed",
    "learned",
    "mean",
    "no_worse",
    "rate",
    "same_distribution",
    "stochastic",
]

_CLAIMS = ("distributed", "mean", "no_worse", "rate", "same_distribution")

stochastic = pytest.mark.stochastic
"""`@stochastic` is `@pytest.mark.stochastic`."""


def __getattr__(name: str) -> Any:
    # What is not used is not loaded, so that pytest starts no slower in projects that do not use it.
    if name == "learned":
        from pytest_flex.learning.placeholder import learned

        return learned
    if name == "Inconclusive":
        from pytest_flex.runs.ending import Inconclusive

        return Inconclusive
    if name in _CLAIMS:
        from pytest_flex.claiming import claim

        return getattr(claim, name)
    if name in __all__:
        from pytest_flex import _native

        return getattr(_native, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
