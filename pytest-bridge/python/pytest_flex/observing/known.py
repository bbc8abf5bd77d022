"""The functions that are recorded: of NumPy, unittest, math, torch and TensorFlow.

Each has a measure: how much of its tolerance the arguments need, as the function itself decides.
"""

from __future__ import annotations

import functools
import math
import sys
from typing import Any

from pytest_flex.observing.comparing import Closeness, Needed, collected, extreme, neediest, numbers, pairs
from pytest_flex.observing.functions import Asserting, Given, Measure
from pytest_flex.observing.tolerances import Call, Measured


def _close(
    names: tuple[str, str, str, str],
    adds: bool = True,
    larger: bool = False,
    equal_nan: bool = False,
    broadcasts: bool = True,
) -> Measure:
    """Return a measure for two values, or collections of them, a relative and an absolute tolerance."""
    actual, expected, rtol, atol = names

    @functools.lru_cache
    def closeness(rtol: float, atol: float, equal_nan: bool) -> Closeness:
        # Most calls have the tolerances of those before.
        return Closeness(float(rtol), float(atol), adds, larger, bool(equal_nan))

    def measure(function: Asserting, call: Call) -> list[Measured]:
        _, args, kwargs, _ = call
        # What most calls are like: everything but the values has a name.
        given = {**function.defaults, **kwargs} if len(args) == 2 else function.given(call)
        one, other = args if len(args) == 2 else (given[actual], given[expected])
        close = closeness(given[rtol], given[atol], given.get("equal_nan", equal_nan))
        a, b = collected(one), collected(other)
        if a is None or b is None:
            return []
        # One number beside an array needs no array of its own.
        if broadcasts and not (type(a) is float or type(b) is float) and a.shape != b.shape:
            a, b = sys.modules["numpy"].broadcast_arrays(a, b)
        return _both(close.needed(a, b), close, rtol, atol)

    return measure


def _both(needed: Needed | None, close: Closeness, rtol: str, atol: str) -> list[Measured]:
    if needed is None:
        return []
    return [("relative", needed[1], close.rtol, rtol), ("absolute", needed[0], close.atol, atol)]


def _assert_close(function: Asserting, call: Call) -> list[Measured]:
    """`torch.testing.assert_close`: the tolerances depend on the types if they are not given."""
    given = function.given(call)
    found: dict[str, tuple[float, float]] = {}
    for actual, expected in pairs(given["actual"], given["expected"]):
        rtol, atol = given.get("rtol"), given.get("atol")
        if rtol is None or atol is None:
            rtol, atol = _torch_tolerances(actual, expected)
        close = Closeness(float(rtol), float(atol), equal_nan=bool(given.get("equal_nan", False)))
        a, b = numbers(actual), numbers(expected)
        if a is None or b is None:
            return []
        for role, value, bound, _ in _both(close.needed(a, b), close, "rtol", "atol"):
            # Of several pairs the one nearest to its own tolerance.
            if role not in found or value - bound > found[role][0] - found[role][1] or value != value:
                found[role] = (value, bound)
    arguments = {"relative": "rtol", "absolute": "atol"}
    return [(role, value, bound, arguments[role]) for role, (value, bound) in found.items()]


def _torch_tolerances(*values: Any) -> tuple[float, float]:
    """Return torch's tolerances for values of these types, as its documentation lists them: the larger ones count."""
    torch = sys.modules["torch"]
    listed = {
        torch.float16: (1e-3, 1e-5),
        torch.bfloat16: (1.6e-2, 1e-5),
        torch.float32: (1.3e-6, 1e-5),
        torch.float64: (1e-7, 1e-7),
    }
    each = [listed.get(torch.as_tensor(_wide(value)).dtype, (0.0, 0.0)) for value in values]
    return max(rtol for rtol, _ in each), max(atol for _, atol in each)


def _wide(value: Any) -> Any:
    """Return a number of Python's as torch takes it: with double precision."""
    return sys.modules["torch"].tensor(value, dtype=sys.modules["torch"].float64) if type(value) is float else value


def _nested(function: Asserting, call: Call) -> list[Measured]:
    """TensorFlow's `assertAllClose`, which takes collections of arrays."""
    given = function.given(call)
    close = Closeness(float(given["rtol"]), float(given["atol"]), equal_nan=True)
    needed = None
    for one, other in pairs(given["a"], given["b"]):
        a, b = collected(one), collected(other)
        if a is None or b is None:
            return []
        needed = neediest(needed, close.needed(a, b))
    return _both(needed, close, "rtol", "atol")


def _difference(given: Given, one: str, other: str) -> float | None:
    a, b = collected(given[one]), collected(given[other])
    if a is None or b is None:
        return None
    needed = Closeness(0.0, 0.0, equal_nan=True).needed(a, b)
    return None if needed is None else needed[0]


def _decimal(function: Asserting, call: Call) -> list[Measured]:
    """NumPy: |actual − desired| < 1.5 · 10^−decimal."""
    given = function.given(call)
    value = _difference(given, "actual", "desired")
    bound = 1.5 * 10.0 ** -given["decimal"]
    return [] if value is None else [("decimal", value, bound, "decimal")]


def _significant(function: Asserting, call: Call) -> list[Measured]:
    """NumPy: the difference in units of the power of ten at or below the mean of both sizes."""
    given = function.given(call)
    actual, desired = numbers(given["actual"]), numbers(given["desired"])
    if type(actual) is not float or type(desired) is not float:
        return []
    size = 0.5 * (abs(actual) + abs(desired))
    scale = 10.0 ** math.floor(math.log10(size)) if size and math.isfinite(size) else 1.0
    value = 0.0 if actual == desired else abs(desired / scale - actual / scale)
    return [("significant", value, 10.0 ** -(given["significant"] - 1), "significant")]


def _ulps(function: Asserting, call: Call) -> list[Measured]:
    """NumPy counts them, and returns them if they are not too many."""
    given = function.given(call)
    original, _, _, counted = call
    if counted is None:
        counted = original(given["a"], given["b"], math.inf, given.get("dtype"))
    value = numbers(counted)
    return [] if value is None else [("ulps", extreme(value, True), float(given["maxulp"]), "maxulp")]


def _almost(function: Asserting, call: Call) -> list[Measured]:
    """unittest: a difference of at most `delta`, or one that rounds to 0."""
    given = function.given(call)
    first, second = numbers(given["first"]), numbers(given["second"])
    if type(first) is not float or type(second) is not float:
        return []
    difference = 0.0 if first == second else abs(first - second)
    if given["delta"] is not None:
        return [("absolute", difference, float(given["delta"]), "delta")]
    places = 7 if given["places"] is None else int(given["places"])
    return [("places", difference, greatest_that_rounds_to_0(places), "places")]


@functools.cache
def greatest_that_rounds_to_0(places: int) -> float:
    """Return the greatest number that `round` makes 0: half a unit of the last place, or the next number below."""
    bound = 0.5 * 10.0**-places
    while round(bound, places) != 0:
        bound = math.nextafter(bound, 0.0)
    while round(math.nextafter(bound, math.inf), places) == 0:
        bound = math.nextafter(bound, math.inf)
    return bound


def _near(function: Asserting, call: Call) -> list[Measured]:
    """TensorFlow: |f1 − f2| ≤ err."""
    given = function.given(call)
    value = _difference(given, "f1", "f2")
    return [] if value is None else [("absolute", value, float(given["err"]), "err")]


def _numpy(name: str, parameters: str, measure: Measure, **defaults: Any) -> Asserting:
    words = tuple(parameters.split())
    return Asserting("numpy.testing", name, f"numpy.testing.{name}", words, defaults, measure)


def _predicate(holder: str, name: str, parameters: str, measure: Measure, **defaults: Any) -> Asserting:
    words = tuple(parameters.split())
    return Asserting(holder, name, f"{holder}.{name}", words, defaults, measure, is_predicate=True)


def _order(name: str, order: str) -> Asserting:
    return Asserting("unittest.TestCase", name, f"unittest.{name}", ("self", "a", "b"), order=order)


_ALLCLOSE = ("a", "b", "rtol", "atol")

KNOWN = (
    _numpy(
        "assert_allclose",
        "actual desired rtol atol equal_nan",
        _close(("actual", "desired", "rtol", "atol"), equal_nan=True, broadcasts=False),
        rtol=1e-07,
        atol=0,
    ),
    _numpy("assert_almost_equal", "actual desired decimal", _decimal, decimal=7),
    _numpy("assert_array_almost_equal", "actual desired decimal", _decimal, decimal=6),
    _numpy("assert_approx_equal", "actual desired significant", _significant, significant=7),
    _numpy("assert_array_max_ulp", "a b maxulp dtype", _ulps, maxulp=1),
    Asserting(
        "numpy.testing",
        "assert_array_less",
        "numpy.testing.assert_array_less",
        ("x", "y"),
        order="less",
        number=collected,
    ),
    _predicate("numpy", "allclose", "a b rtol atol equal_nan", _close(_ALLCLOSE), rtol=1e-05, atol=1e-08),
    _predicate("numpy", "isclose", "a b rtol atol equal_nan", _close(_ALLCLOSE), rtol=1e-05, atol=1e-08),
    _predicate(
        "math",
        "isclose",
        "a b",
        _close(("a", "b", "rel_tol", "abs_tol"), adds=False, larger=True),
        rel_tol=1e-09,
        abs_tol=0.0,
    ),
    _order("assertLess", "less"),
    _order("assertLessEqual", "less"),
    _order("assertGreater", "greater"),
    _order("assertGreaterEqual", "greater"),
    Asserting(
        "unittest.TestCase",
        "assertAlmostEqual",
        "unittest.assertAlmostEqual",
        ("self", "first", "second", "places", "msg", "delta"),
        {"places": 7, "delta": None},
        _almost,
    ),
    Asserting(
        "torch.testing", "assert_close", "torch.testing.assert_close", ("actual", "expected"), measure=_assert_close
    ),
    _predicate(
        "torch",
        "allclose",
        "input other rtol atol equal_nan",
        _close(("input", "other", "rtol", "atol")),
        rtol=1e-05,
        atol=1e-08,
    ),
    _predicate(
        "torch",
        "isclose",
        "input other rtol atol equal_nan",
        _close(("input", "other", "rtol", "atol")),
        rtol=1e-05,
        atol=1e-08,
    ),
    Asserting(
        "tensorflow.test.TestCase",
        "assertAllClose",
        "tensorflow.test.TestCase.assertAllClose",
        ("self", "a", "b", "rtol", "atol", "msg"),
        {"rtol": 1e-06, "atol": 1e-06},
        _nested,
    ),
    Asserting(
        "tensorflow.test.TestCase",
        "assertNear",
        "tensorflow.test.TestCase.assertNear",
        ("self", "f1", "f2", "err", "msg"),
        measure=_near,
    ),
)
