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
from typing import Any

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
    if isinstance(value, Real):
        return float(value)
    if not hasattr(kind, "__array__"):
        return float(value) if isinstance(value, Decimal) else None
    array = as_array(value)
    if array is None or array.dtype.kind == "b" or array.size == 0:
        return None
    return float(array) if array.ndim == 0 else array.astype(float, copy=False)


def collected(value: Any) -> Any | None:
    """Return what `numbers` returns, and lists and tuples as arrays, as NumPy's own functions take them."""
    if isinstance(value, list | tuple) and "numpy" in sys.modules:
        value = sys.modules["numpy"].asarray(value)
    return numbers(value)


def extreme(values: Any, greatest: bool) -> float:
    """Return the greatest or least of the values; NaN if there is one."""
    if type(values) is float:
        return values
    return float(values.max() if greatest else values.min())


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


class Closeness:
    """How much of each tolerance values need so that they count as close, given the other one.

    `adds`: whether the tolerances are added up, as NumPy does, or the larger one counts, as `math.isclose` does.
    `larger`: whether a relative tolerance is one of the larger value, or of the expected one.
    """

    __slots__ = ("absolute", "adds", "atol", "equal_nan", "larger", "relative", "rtol")

    def __init__(
        self, rtol: float, atol: float, adds: bool = True, larger: bool = False, equal_nan: bool = False
    ) -> None:
        self.rtol = rtol
        self.atol = atol
        self.adds = adds
        self.larger = larger
        self.equal_nan = equal_nan
        self.absolute: float | None = None
        self.relative: float | None = None

    def see(self, actual: Any, expected: Any) -> None:
        """Compare two numbers, or two arrays of them; the neediest pair so far counts."""
        if type(actual) is float and type(expected) is float:
            needed = self._pair(actual, expected)
        elif type(actual) is not float and type(expected) is not float and actual.shape != expected.shape:
            raise ValueError("arrays of different shapes are not close, whatever the tolerance")
        else:
            needed = self._arrays(actual, expected)
        if needed is not None:
            absolute, relative = needed
            self.absolute = absolute if self.absolute is None else _worse(self.absolute, absolute)
            self.relative = relative if self.relative is None else _worse(self.relative, relative)

    def _pair(self, actual: float, expected: float) -> tuple[float, float] | None:
        if actual == expected:
            difference = 0.0
            if math.isinf(expected):
                return 0.0, 0.0
        else:
            difference = abs(actual - expected)
        if difference != difference:
            return None if self.equal_nan and actual != actual and expected != expected else (math.nan, math.nan)
        if difference == math.inf:
            return math.inf, math.inf
        size = max(abs(actual), abs(expected)) if self.larger else abs(expected)
        allowed = self.rtol * size
        if self.adds:
            above = difference - self.atol
            return difference - allowed, above / size if size else math.inf if above > 0 else 0.0
        ratio = difference / size if size else math.inf if difference else 0.0
        return (
            difference if difference <= self.atol or difference > allowed else 0.0,
            ratio if difference <= allowed or difference > self.atol else 0.0,
        )

    def _arrays(self, actual: Any, expected: Any) -> tuple[float, float] | None:
        np = sys.modules["numpy"]
        with np.errstate(all="ignore"):
            difference, size = np.abs(actual - expected), np.abs(expected)
            if self.adds:
                # Nothing special in most cases.
                absolute = float((difference - self.rtol * size).max())
                relative = float(((difference - self.atol) / size).max())
                if math.isfinite(absolute) and math.isfinite(relative):
                    return absolute, relative
            return self._special(np, *np.broadcast_arrays(actual, expected))

    def _special(self, np: Any, actual: Any, expected: Any) -> tuple[float, float] | None:
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
        return float(absolute.max()), float(relative.max())


def _worse(one: float, other: float) -> float:
    """Return the greater; NaN is worse than anything."""
    return one if one != one or one > other else other
