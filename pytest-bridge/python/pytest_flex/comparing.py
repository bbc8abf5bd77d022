"""What an assertion compares, in numbers: of arrays and other collections the element that is nearest to failing.

`None` stands for what is no number, and is not recorded. Nothing here may change what it looks at: iterators are left
alone, and so is everything that only pretends to be an array.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

from pytest_flex.measure import as_array
from pytest_flex.placeholder import Learned


def numbers(value: Any) -> Any | None:
    """Return a float, or an array of floats with at least one element."""
    kind = type(value)
    if kind is float:
        return value
    if kind is int:
        return float(value)
    if kind is bool or isinstance(value, Learned):
        return None
    np: Any = sys.modules.get("numpy")
    if np is not None and kind is np.ndarray and value.dtype.char == "d" and value.ndim and value.size:
        return value
    if np is None or kind is not np.ndarray:
        if isinstance(value, Real):
            return float(value)
        if not hasattr(kind, "__array__"):
            return float(value) if isinstance(value, Decimal) else None
        value = as_array(value)
    if value is None or value.dtype.kind not in "fiu" or value.size == 0:
        return None
    if value.ndim == 0:
        return float(value)
    return value.astype(float)


def collected(value: Any) -> Any | None:
    """Return what `numbers` returns, and lists and tuples as arrays, as NumPy's own functions take them."""
    if type(value) is float:
        return value
    if isinstance(value, list | tuple) and "numpy" in sys.modules:
        value = sys.modules["numpy"].asarray(value)
    return numbers(value)


def extreme(values: Any, greatest: bool) -> float:
    """Return the greatest or least of the values; NaN if there is one."""
    if type(values) is float:
        return values
    # Quicker than `max` for the few elements that most arrays have; NaN comes first for both.
    found: float = values.item(values.argmax() if greatest else values.argmin())
    return found


def pairs(actual: Any, expected: Any) -> Iterator[tuple[Any, Any]]:
    """Return what is compared with what, in collections of equal form."""
    if isinstance(expected, Mapping):
        for key, value in expected.items():
            yield from pairs(actual[key], value)
    elif isinstance(expected, list | tuple) and not hasattr(type(actual), "__array__"):
        for one, other in zip(actual, expected, strict=True):
            yield from pairs(one, other)
    else:
        yield actual, expected


Needed = tuple[float, float]
"""How much of an absolute tolerance is needed, given the relative one, and the other way round."""

FEW = 16
"""Up to so many elements Python is quicker than NumPy."""


class Closeness(NamedTuple):
    """Two tolerances, and what they mean."""

    rtol: float
    atol: float
    adds: bool = True
    """Whether they are added up, as NumPy does, or the larger one counts, as `math.isclose` does."""
    larger: bool = False
    """Whether the relative one is relative to the larger value, or to the expected one."""
    equal_nan: bool = False

    def needed(self, actual: Any, expected: Any) -> Needed | None:
        """Return what two numbers need to count as close, or the neediest elements of two arrays."""
        if type(actual) is float and type(expected) is float:
            return self._pair(actual, expected)
        if type(actual) is not float and type(expected) is not float:
            if actual.shape != expected.shape:
                raise ValueError("arrays of different shapes are not close, whatever the tolerance")
            if self.adds and actual.size <= FEW:
                found = self._few(actual.ravel().tolist(), expected.ravel().tolist())
                if found is not None:
                    return found
        np = sys.modules["numpy"]
        with np.errstate(all="ignore"):
            if self.adds:
                # Nothing special in most cases.
                difference, size = np.abs(actual - expected), np.abs(expected)
                absolute = extreme(difference - self.rtol * size, True)
                relative = extreme((difference - self.atol if self.atol else difference) / size, True)
                if math.isfinite(absolute) and math.isfinite(relative):
                    return absolute, relative
            return self._special(np, *np.broadcast_arrays(actual, expected))

    def _pair(self, actual: float, expected: float) -> Needed | None:
        difference = abs(actual - expected)
        if not difference < math.inf:
            if actual == expected:
                return 0.0, 0.0
            if difference == difference:
                return math.inf, math.inf
            return None if self.equal_nan and actual != actual and expected != expected else (math.nan, math.nan)
        rtol, atol, adds, larger, _ = self
        size = max(abs(actual), abs(expected)) if larger else abs(expected)
        allowed = rtol * size
        if adds:
            above = difference - atol
            return difference - allowed, above / size if size else math.inf if above > 0 else 0.0
        ratio = difference / size if size else math.inf if difference else 0.0
        return (
            0.0 if atol < difference <= allowed else difference,
            0.0 if allowed < difference <= atol else ratio,
        )

    def _few(self, actual: list[float], expected: list[float]) -> Needed | None:
        """Return what a few ordinary pairs need; nothing if there are zeros, infinities or NaN among them."""
        rtol, atol, _, _, _ = self
        absolute = relative = -math.inf
        total = 0.0
        try:
            for one, other in zip(actual, expected, strict=True):
                difference, size = abs(one - other), abs(other)
                needed = difference - rtol * size
                total += needed
                if needed > absolute:
                    absolute = needed
                needed = (difference - atol) / size
                if needed > relative:
                    relative = needed
        except ZeroDivisionError:
            return None
        # One NaN or infinity is enough to make the sum one.
        return (absolute, relative) if math.isfinite(total) else None

    def _special(self, np: Any, actual: Any, expected: Any) -> Needed | None:
        """Compare arrays that may hold zeros, infinities and NaN."""
        difference = np.where(actual == expected, 0.0, np.abs(actual - expected))
        size = np.maximum(np.abs(actual), np.abs(expected)) if self.larger else np.abs(expected)
        # Infinities are equal, or differ by infinity.
        size = np.where(np.isinf(size), 0.0, size)
        allowed = self.rtol * size
        above = difference - self.atol if self.adds else difference
        # 0 times NaN is NaN.
        ratio = np.where(size > 0.0, above / size, np.where(above > 0.0, math.inf, 0.0 * above))
        if self.adds:
            absolute, relative = difference - allowed, ratio
        else:
            absolute = np.where((difference > self.atol) & (difference <= allowed), 0.0, difference)
            relative = np.where((difference > allowed) & (difference <= self.atol), 0.0, ratio)
        if self.equal_nan:
            kept = ~(np.isnan(actual) & np.isnan(expected))
            absolute, relative = absolute[kept], relative[kept]
            if absolute.size == 0:
                return None
        return extreme(absolute, True), extreme(relative, True)


def neediest(found: Needed | None, other: Needed | None) -> Needed | None:
    """Return the greater need of each tolerance."""
    if found is None or other is None:
        return found or other
    return _worse(found[0], other[0]), _worse(found[1], other[1])


def _worse(one: float, other: float) -> float:
    """Return the greater; NaN is worse than anything."""
    return one if one != one or one > other else other
