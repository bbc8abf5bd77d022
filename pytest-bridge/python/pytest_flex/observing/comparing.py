"""What an assertion compares, in numbers: of arrays and other collections the element that is nearest to failing.

`None` stands for what is no number, and is not recorded. Nothing here may change what it looks at: iterators are left
alone, and so is everything that only pretends to be an array.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

from pytest_flex import _native
from pytest_flex.learning.measure import as_array
from pytest_flex.learning.placeholder import Learned


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
    kind = type(value)
    if kind is float:
        return value
    if (kind is list or kind is tuple) and "numpy" in sys.modules:
        value = sys.modules["numpy"].asarray(value)
    return numbers(value)


def share_of(values: Any) -> float | None:
    """Return which part of the elements is true, if they are truths and there are some."""
    if isinstance(values, list | tuple | set | frozenset):
        np: Any = sys.modules.get("numpy")
        kinds = (bool,) if np is None else (bool, np.bool_)
        if not values or not all(isinstance(value, kinds) for value in values):
            return None
        return sum(map(bool, values)) / len(values)
    array = as_array(values) if hasattr(type(values), "__array__") else None
    if array is None or array.dtype.kind != "b" or array.ndim == 0 or array.size == 0:
        return None
    return float(array.mean())


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
        if type(actual) is not float:
            if type(expected) is not float and actual.shape != expected.shape:
                raise ValueError("arrays of different shapes are not close, whatever the tolerance")
            actual = actual.tobytes()
        if type(expected) is not float:
            expected = expected.tobytes()
        return _native.needed(actual, expected, *self)


def neediest(found: Needed | None, other: Needed | None) -> Needed | None:
    """Return the greater need of each tolerance."""
    if found is None or other is None:
        return found or other
    return _worse(found[0], other[0]), _worse(found[1], other[1])


def _worse(one: float, other: float) -> float:
    """Return the greater; NaN is worse than anything."""
    return one if one != one or one > other else other
