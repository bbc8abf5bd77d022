"""Numbers and outcomes from whatever a claim is called with: one or several, of Python, NumPy, torch and JAX."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Number, Real
from typing import Any

from pytest_flex.learning.measure import as_array


class UnusableError(TypeError):
    """What a claim is called with is not what it is about."""


def numbers(value: Any) -> list[float]:
    """Return the numbers, of nested sequences and arrays in their order."""
    if isinstance(value, Real):
        return [float(value)]
    array = as_array(value)
    if array is not None:
        return array.astype(float).ravel().tolist()
    if isinstance(value, Number) and not isinstance(value, complex):
        # Decimal is a number, but not a real one.
        return [float(value)]  # type: ignore[arg-type]
    if _is_several(value):
        return [number for element in value for number in numbers(element)]
    raise UnusableError(f"{_shown(value)} is not a number, nor several")


def outcomes(value: Any) -> list[float]:
    """Return 1 for what is true and 0 for what is not."""
    if isinstance(value, bool):
        return [float(value)]
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    dtype = getattr(value, "dtype", None)
    if getattr(dtype, "kind", None) == "b":
        return numbers(value)
    if dtype is None and _is_several(value):
        return [outcome for element in value for outcome in outcomes(element)]
    words = "is neither true nor false; compare numbers first, as in `rate(error < 0.1) > 0.9`"
    raise UnusableError(f"{_shown(value)} {words}")


def _is_several(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | dict)


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 40 else f"a value of type {type(value).__name__}"
