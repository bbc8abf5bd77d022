"""Functions with tolerances, wrapped while a stochastic test runs, so that they take learned ones.

They read a tolerance as a plain number, or compute with it, so a learned one cannot see what it is compared with.
Wrapped, they find out how much tolerance the values need, which is the sample, and check all the rest as ever. Calls
without a learned tolerance go straight through.
"""

from __future__ import annotations

import contextlib
import importlib
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_flex.learning.measure import as_array
from pytest_flex.learning.placeholder import Learned

ANY = sys.float_info.max
"""A tolerance that every finite difference keeps."""

Wrapper = Callable[[Callable[..., Any]], Callable[..., Any]]


def _isclose(original: Callable[..., Any]) -> Callable[..., Any]:
    def isclose(a: Any, b: Any, *, rel_tol: Any = 1e-09, abs_tol: Any = 0.0) -> bool:
        if not _any_learned(rel_tol, abs_tol):
            return original(a, b, rel_tol=rel_tol, abs_tol=abs_tol)
        if not original(a, b, rel_tol=0.0, abs_tol=math.inf):
            return False
        difference, size = abs(a - b), max(abs(a), abs(b))
        if isinstance(abs_tol, Learned):
            _needs(abs_tol, 0.0 if difference <= _number(rel_tol) * size else difference)
        if isinstance(rel_tol, Learned):
            _needs(rel_tol, 0.0 if difference <= _number(abs_tol) else difference / size)
        return True

    return isclose


def _assert_allclose(original: Callable[..., Any]) -> Callable[..., Any]:
    def assert_allclose(actual: Any, desired: Any, rtol: Any = 1e-07, atol: Any = 0, *args: Any, **kwargs: Any) -> None:
        if not _any_learned(rtol, atol):
            return original(actual, desired, rtol, atol, *args, **kwargs)
        # Shapes, NaN and infinity are checked as ever.
        original(actual, desired, 0, ANY, *args, **kwargs)
        _close(actual, desired, rtol, atol)

    return assert_allclose


def _assert_close(original: Callable[..., Any]) -> Callable[..., Any]:
    def assert_close(actual: Any, expected: Any, *, rtol: Any = None, atol: Any = None, **kwargs: Any) -> None:
        if not _any_learned(rtol, atol):
            return original(actual, expected, rtol=rtol, atol=atol, **kwargs)
        if rtol is None or atol is None:
            raise ValueError("torch.testing.assert_close wants rtol and atol, or neither")
        original(actual, expected, rtol=0.0, atol=ANY, **kwargs)
        _close(actual, expected, rtol, atol)

    return assert_close


def _assert_array_less(original: Callable[..., Any]) -> Callable[..., Any]:
    def assert_array_less(x: Any, y: Any, *args: Any, **kwargs: Any) -> None:
        if not _any_learned(x, y):
            return original(x, y, *args, **kwargs)
        assert x < y

    return assert_array_less


def _close(actual: Any, expected: Any, rtol: Any, atol: Any) -> None:
    """Record the tolerance that `|actual - expected| <= atol + rtol * |expected|` needs."""
    import numpy as np

    actual, expected = _floats(actual), _floats(expected)
    with np.errstate(all="ignore"):
        differences, sizes = np.abs(actual - expected), np.abs(expected)
        # Infinities that are equal differ by nothing; whatever else is not finite was checked before.
        differences = np.where(np.isfinite(differences), differences, 0.0)
        if isinstance(atol, Learned):
            needed = differences - _number(rtol) * np.where(np.isfinite(sizes), sizes, 0.0)
            _needs(atol, float(np.max(np.maximum(needed, 0.0), initial=0.0)))
        if isinstance(rtol, Learned):
            needed = np.maximum(differences - _number(atol), 0.0)
            ratios = np.where(needed == 0.0, 0.0, needed / sizes)
            _needs(rtol, float(np.max(ratios, initial=0.0)))


def _floats(values: Any) -> Any:
    import numpy as np

    array = as_array(values)
    return np.asarray(values if array is None else array, dtype=float)


def _scalar_eq(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap the `==` of `pytest.approx` for one number, which all others come down to."""

    def __eq__(self: Any, actual: Any) -> bool:
        if not _any_learned(self.rel, self.abs):
            return original(self, actual)
        array = as_array(actual)
        if array is not None and array.ndim > 0:
            return all(__eq__(self, element) for element in array.flat)
        # Whether these are numbers that can be close at all is asked without a tolerance to speak of.
        if not original(type(self)(self.expected, rel=None, abs=math.inf, nan_ok=self.nan_ok), actual):
            return False
        difference = 0.0 if actual == self.expected else abs(self.expected - actual)
        if math.isnan(difference):
            return True
        size = abs(self.expected)
        if isinstance(self.abs, Learned):
            relative = 0.0 if self.rel is None else _number(self.rel)
            _needs(self.abs, 0.0 if difference <= relative * size else difference)
        if isinstance(self.rel, Learned):
            absolute = 1e-12 if self.abs is None else _number(self.abs)
            within = difference <= absolute
            _needs(self.rel, 0.0 if within else difference / size if size else math.inf)
        return True

    return __eq__


def _scalar_repr(original: Callable[..., Any]) -> Callable[..., Any]:
    def __repr__(self: Any) -> str:
        if isinstance(self.abs, Learned):
            return f"{self.expected} ± {self.abs!r}"
        if isinstance(self.rel, Learned):
            return f"{self.expected} ± {self.rel!r} of it"
        return original(self)

    return __repr__


def _needs(learned: Learned, tolerance: Any) -> None:
    learned._hit(float(tolerance), float(tolerance), "upper")


def _number(tolerance: Any) -> float:
    """Return the other tolerance; if both are learned, each is learned as if there were no other."""
    return 0.0 if isinstance(tolerance, Learned) else float(tolerance)


def _any_learned(*values: Any) -> bool:
    return any(isinstance(value, Learned) for value in values)


FUNCTIONS: list[tuple[str, str, Wrapper]] = [
    ("math", "isclose", _isclose),
    ("numpy.testing", "assert_allclose", _assert_allclose),
    ("numpy.testing", "assert_array_less", _assert_array_less),
    ("torch.testing", "assert_close", _assert_close),
]

_ours: dict[tuple[Wrapper, Any], Any] = {}
"""What each original function is replaced by."""


@contextlib.contextmanager
def wrapped(root: Path) -> Iterator[None]:
    """Wrap what is imported, in its own module and where modules of the project have taken it from there."""
    import_testing()
    scalar = type(pytest.approx(0.0))
    wanted: list[tuple[Any, str, Wrapper]] = [
        (scalar, "__eq__", _scalar_eq),
        (scalar, "__repr__", _scalar_repr),
        *((sys.modules[module], name, wrapper) for module, name, wrapper in FUNCTIONS if module in sys.modules),
    ]
    with replaced(wanted, _modules_below(root)):
        yield


def import_testing() -> None:
    """Import what NumPy imports when it is asked for, which is too late to wrap it."""
    if "numpy" in sys.modules:
        importlib.import_module("numpy.testing")


@contextlib.contextmanager
def replaced(wanted: list[tuple[Any, str, Wrapper]], modules: list[Any]) -> Iterator[None]:
    """Replace what a module or class holds by its wrapper, and in these modules too, under whatever name."""
    done: list[tuple[Any, str, Any]] = []
    try:
        originals = {}
        for holder, name, wrapper in wanted:
            original = vars(holder)[name]
            originals[id(original)] = wrapper
            _replace(holder, name, original, wrapper, done)
        for module in modules:
            for name, value in list(vars(module).items()):
                if id(value) in originals:
                    _replace(module, name, value, originals[id(value)], done)
        yield
    finally:
        for holder, name, original in reversed(done):
            setattr(holder, name, original)


def _replace(holder: Any, name: str, original: Any, wrapper: Wrapper, done: list[tuple[Any, str, Any]]) -> None:
    ours = _ours.get((wrapper, original))
    if ours is None:
        ours = _ours[wrapper, original] = wrapper(original)
    done.append((holder, name, original))
    setattr(holder, name, ours)


_below: tuple[int, list[Any]] = (0, [])
"""The modules of the project, and how many modules there were when they were looked for."""


def _modules_below(root: Path) -> list[Any]:
    """Return the modules of the project: tests and what lies beside them, but no installed packages."""
    global _below
    if _below[0] != len(sys.modules):
        start = str(root)
        files = [(module, getattr(module, "__file__", None)) for module in list(sys.modules.values())]
        ours = [
            module
            for module, file in files
            if isinstance(file, str) and file.startswith(start) and "site-packages" not in file
        ]
        _below = (len(sys.modules), ours)
    return _below[1]
