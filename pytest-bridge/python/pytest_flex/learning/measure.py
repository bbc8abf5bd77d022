"""Numbers from whatever is compared with a learned bound: Python's, NumPy's, torch's and JAX's, scalars and arrays."""

from __future__ import annotations

import sys
from numbers import Number, Real
from typing import Any


def extremes(value: Any) -> tuple[float, float] | None:
    """Return the least and the greatest of the values; `None` if these are no numbers."""
    if type(value) is float or type(value) is int:
        return value, value
    if isinstance(value, Real):
        return float(value), float(value)
    array = as_array(value)
    if array is None:
        # Decimal is a number, but not a real one.
        return (float(value), float(value)) if _is_decimal(value) else None
    if array.size == 0:
        raise ValueError("an array without elements was compared with learned()")
    # A NaN anywhere makes both NaN, which is beyond every bound.
    return float(array.min()), float(array.max())


def ends_of_type(value: Any) -> tuple[float, float] | None:
    """Return the least and the greatest number that the type can hold, for NumPy's integers and what is true or false.

    An `int` has no ends, though many a one is never negative.
    """
    if isinstance(value, bool):
        return 0.0, 1.0
    dtype = getattr(value, "dtype", None)
    kind = getattr(dtype, "kind", None)
    if kind == "b":
        return 0.0, 1.0
    if kind == "u" or kind == "i":
        ends = sys.modules["numpy"].iinfo(dtype)
        return float(ends.min), float(ends.max)
    return None


def as_array(value: Any) -> Any | None:
    """Return a NumPy array of real numbers, if this is something like one."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().double().numpy()
    if not (hasattr(value, "__array__") or hasattr(value, "__array_interface__")):
        return None
    import numpy as np

    array = np.asarray(value)
    return array if array.dtype.kind in "fiub" else None


def true_like(value: Any) -> Any:
    """Return a truth of the kind that the comparison would have given, so that `.all()` works on that of an array."""
    if type(value) is float or type(value) is int:
        return True
    if hasattr(value, "detach"):
        return sys.modules["torch"].tensor(True)
    if hasattr(value, "__array__"):
        return sys.modules["numpy"].True_
    return True


def _is_decimal(value: Any) -> bool:
    return isinstance(value, Number) and not isinstance(value, complex)
