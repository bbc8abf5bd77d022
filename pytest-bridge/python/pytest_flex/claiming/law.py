"""Laws that values are held against: whatever has a `cdf`, such as the distributions of scipy.stats, or a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_flex.claiming.values import UnusableError


def places(values: list[float], law: Any) -> tuple[list[float], list[float]]:
    """Return where in a law each value begins and ends: the probabilities of less, and of no more."""
    cdf = getattr(law, "cdf", None)
    if cdf is None:
        if not callable(law):
            raise UnusableError(f"{law!r} is not a law: it has no `cdf`, and is no function that is one")
        cdf = law
    upto = _at(cdf, values)
    for value, probability in zip(values, upto, strict=True):
        if not 0.0 <= probability <= 1.0:
            raise UnusableError(f"the law says {probability} at {value}, which is not between 0 and 1")
    mass = _mass_of(law)
    if mass is None:
        return upto, upto
    # Where a step is lost in rounding, it begins where it ends.
    return [max(end - step, 0.0) for end, step in zip(upto, _at(mass, values), strict=True)], upto


def _mass_of(law: Any) -> Callable[[Any], Any] | None:
    """Return the function of single probabilities, of a law that is discrete."""
    # Old frozen distributions of scipy all have a `pmf`, which only discrete ones can answer.
    if hasattr(getattr(law, "dist", law), "pmf"):
        return law.pmf
    return None


def _at(function: Callable[[Any], Any], values: list[float]) -> list[float]:
    """Return the values of a function; scipy is asked for all at once."""
    if len(values) > 1 and type(getattr(function, "__self__", None)).__module__.startswith("scipy."):
        import numpy as np

        return np.asarray(function(np.array(values)), dtype=float).tolist()
    return [float(function(value)) for value in values]
