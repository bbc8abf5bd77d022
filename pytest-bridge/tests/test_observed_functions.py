"""What is recorded of functions that assert closeness or order, on real pytest processes."""

from __future__ import annotations

import pytest
from observation import patched, short

HEAD = """
import math
import unittest
import numpy as np
import numpy.testing as npt
from numpy.testing import assert_allclose as close, assert_array_less
from pytest import approx

DIGITS = 3
TOLERANCE = {"rtol": 0.5}
x = 1.25
"""

CASES = [
    # NumPy: the tolerance that is written comes first.
    (
        "npt.assert_allclose(x, 1.0, atol=0.5)",
        [("absolute", 0.5, "literal", 0.2499999), ("relative", 1e-7, "default", -0.25)],
    ),
    (
        "close([x, 1], [1, 1], 0.5)",
        [("relative", 0.5, "literal", 0.25), ("absolute", 0.0, "default", -0.25)],
    ),
    (
        "close(\n    x,\n    1.0,\n    rtol=0.125,\n    atol=0.25,  # why\n)",
        [("absolute", 0.25, "literal", 0.125), ("relative", 0.125, "literal", 0.0)],
    ),
    ("close(x, (x),)", [("relative", 1e-7, "default", 0.0), ("absolute", 0.0, "default", -1.25e-7)]),
    ("close(x, 1.0, **TOLERANCE)", [("relative", 0.5, None, 0.25), ("absolute", 0.0, None, -0.25)]),
    ("close(*[x, 1.0], rtol=0.5)", [("relative", 0.5, "literal", 0.25), ("absolute", 0.0, None, -0.25)]),
    (
        "close([0.0, 2.0], [0, 1], atol=1)",
        [("absolute", 1.0, "literal", 0.9999999), ("relative", 1e-7, "default", 0.0)],
    ),
    ("close([math.nan, 2], [math.nan, 2])", [("relative", 1e-7, "default", 0.0), ("absolute", 0.0, "default", -2e-7)]),
    ("close([math.inf, 2], [math.inf, 2])", [("relative", 1e-7, "default", 0.0), ("absolute", 0.0, "default", 0.0)]),
    ("close([], [])", []),
    ("close(1j, 1j)", []),
    ("npt.assert_almost_equal(x, 1.0, decimal=0)", [("decimal", 1.5, "literal", 0.25)]),
    ("npt.assert_almost_equal([x], [x])", [("decimal", 1.5e-7, "default", 0.0)]),
    ("npt.assert_array_almost_equal([x, 1], [x, 1.0], DIGITS)", [("decimal", 1.5e-3, "constant", 0.0)]),
    ("npt.assert_array_almost_equal([x], [x])", [("decimal", 1.5e-6, "default", 0.0)]),
    ("npt.assert_approx_equal(125.0, 120.0, significant=2)", [("significant", 0.1, "literal", 0.05)]),
    ("npt.assert_approx_equal(0, 0)", [("significant", 1e-6, "default", 0.0)]),
    ("npt.assert_array_max_ulp(1.0, 1.0 + 2 ** -51, maxulp=3)", [("ulps", 3.0, "literal", 2.0)]),
    ("assert_array_less([x, 0], 2)", [("upper", 2.0, "literal", 1.25)]),
    ("assert_array_less(-1, [x, 0])", [("lower", -1.0, "literal", 0.0)]),
    ("assert_array_less([x, 0], [2, 0.5])", [("upper margin", 0.0, None, -0.5)]),
    # Asserted truths; others are not recorded.
    (
        "assert np.allclose(x, 1, atol=0.5)",
        [("absolute", 0.5, "literal", 0.24999), ("relative", 1e-5, "default", -0.25)],
    ),
    (
        "assert np.isclose([x], [1], rtol=0.5, atol=0).all()",
        [("relative", 0.5, "literal", 0.25), ("absolute", 0.0, "literal", -0.25)],
    ),
    ("assert math.isclose(x, 1, rel_tol=0.5)", [("relative", 0.5, "literal", 0.2), ("absolute", 0.0, "default", 0.0)]),
    (
        "assert math.isclose(x, 1, abs_tol=0.5)",
        [("absolute", 0.5, "literal", 0.25), ("relative", 1e-9, "default", 0.0)],
    ),
    ("assert not math.isclose(x, 2)", []),
    ("assert math.isclose(x, 2) or True", []),
    ("close_enough = np.allclose(x, 1)", []),
    # pytest: the larger tolerance counts.
    ("assert x == approx(1, abs=0.5)", [("absolute", 0.5, "literal", 0.25)]),
    ("assert approx(1.0, 0.5) == x", [("relative", 0.5, "literal", 0.25), ("absolute", 1e-12, "default", 0.0)]),
    ("assert x == approx(x)", [("relative", 1e-6, "default", 0.0), ("absolute", 1e-12, "default", 0.0)]),
    (
        "assert x == approx(1, rel=0.1, abs=0.5)",
        [("absolute", 0.5, "literal", 0.25), ("relative", 0.1, "literal", 0.0)],
    ),
    ("assert [x, 1] == approx([1, 1.0], abs=0.5)", [("absolute", 0.5, "literal", 0.25)]),
    ("assert {'a': x} == approx({'a': 1}, abs=0.5)", [("absolute", 0.5, "literal", 0.25)]),
    ("assert np.array([x, 1]) == approx(1, abs=0.5)", [("absolute", 0.5, "literal", 0.25)]),
    ("assert np.array([x, 1]) == approx(np.ones(2), abs=0.5)", [("absolute", 0.5, "literal", 0.25)]),
    ("assert all(v == approx(1, abs=0.5) for v in [x, 1])", [("absolute", 0.5, "literal", 0.25)]),
    ("expected = approx(1, abs=0.5)\nassert x == expected", [("absolute", 0.5, None, 0.25)]),
    ("assert x != approx(1, abs=0.125)", [("lower margin", 0.0, None, 0.125)]),
    ("assert not x == approx(1, abs=0.125)", [("lower margin", 0.0, None, 0.125)]),
    ("assert [x, 1] != approx([1, 1], abs=0.125)", [("lower margin", 0.0, None, 0.125)]),
    ("assert 'a' == approx('a')", []),
]


def test_functions(observation):
    tests = [HEAD]
    for number, (body, _) in enumerate(CASES):
        tests.append(f"def test_{number}():\n" + "".join(f"    {line}\n" for line in body.split("\n")))
    observation.project.write("test_functions.py", "\n".join(tests))
    found = observation.run()
    for number, (body, expected) in enumerate(CASES):
        sites = found[f"test_{number}"]["sites"]
        seen = short(sites)
        assert [series[:3] for series in seen] == [series[:3] for series in expected], body
        assert [series[3] for series in seen] == pytest.approx([series[3] for series in expected], rel=1e-9), body
        observation.check_knobs(sites)


def test_other_numbers_are_used_where_they_are_written(observation):
    """Each number is replaced in the source by one that cannot hold, and the test fails for it."""
    body = """
from numpy.testing import assert_allclose, assert_almost_equal
from pytest import approx
def test_it():
    assert_allclose(
        1.25,
        (1.0),  # é, and a comma
        atol=0.5,
    )
    assert_almost_equal(1.0, 1.0)
    assert 1.0 + 1e-13 == approx(1.0)
"""
    file = observation.project.write("test_it.py", body)
    sites = observation.run()["test_it"]["sites"]
    tighter = {"atol": "1e-30", "decimal": "-3", "rel": "-1", "rtol": "-1"}
    for site in sites:
        knob = site["series"][0]["knob"]
        keyword = knob.get("keyword", "atol")
        file.write_bytes(patched(body.encode(), knob, tighter[keyword]))
        if keyword == "decimal":
            # It holds all the more.
            observation.project.pytest("test_it.py")
            file.write_bytes(patched(body.encode(), knob, "30"))
            continue
        printed = observation.project.pytest("test_it.py", code=1)
        assert "1 failed" in printed


def test_unittest(observation):
    observation.project.write(
        "test_it.py",
        """
import unittest

class TestIt(unittest.TestCase):
    def test_it(self):
        x = 1 / 4
        self.assertLess(x, 0.5)
        self.assertLessEqual(0.1, x)
        self.assertGreater(x, 0.1, "why")
        self.assertGreaterEqual(x, x - 1)
        self.assertAlmostEqual(x, x + 1e-9)
        self.assertAlmostEqual(x, 0.2, 1)
        self.assertAlmostEqual(x, x, places=0, msg="why")
        self.assertAlmostEqual(x, 0, delta=0.5)
        self.assertTrue(x < 0.5)
        self.assertTrue(0 < x and x < 0.5, "why")
        self.assertFalse(x * 2 < 0.1)
        self.assertTrue(abs(v - 1) < 0.9 for v in [x])
        self.assertTrue(all(abs(v - 1) < 0.9 for v in [x]))
        self.assertLess("a", "b")
        with self.assertRaises(AssertionError):
            self.assertLess(x, 0.1)
""",
    )
    sites = observation.run()["test_it"]["sites"]
    assert short(sites) == [
        ("upper", 0.5, "literal", 0.25),
        ("lower", 0.1, "literal", 0.25),
        ("lower", 0.1, "literal", 0.25),
        ("lower margin", 0.0, None, 1.0),
        ("places", 5e-8, "default", pytest.approx(1e-9)),
        ("places", pytest.approx(0.05), "literal", pytest.approx(0.05)),
        ("places", 0.5, "literal", 0.0),
        ("absolute", 0.5, "literal", 0.25),
        ("upper", 0.5, "literal", 0.25),
        ("lower", 0.0, "literal", 0.25),
        ("upper", 0.5, "literal", 0.25),
        ("lower", 0.1, "literal", 0.5),
        ("upper", 0.9, "literal", 0.75),
    ]
    assert {site["form"] for site in sites} == {
        "unittest.assertLess",
        "unittest.assertLessEqual",
        "unittest.assertGreater",
        "unittest.assertGreaterEqual",
        "unittest.assertAlmostEqual",
        "unittest.assertTrue",
        "unittest.assertFalse",
    }
    observation.check_knobs(sites)


def test_places_are_those_of_round():
    from pytest_flex.observing.known import greatest_that_rounds_to_0

    for places in range(-3, 16):
        bound = greatest_that_rounds_to_0(places)
        assert bound == pytest.approx(0.5 * 10.0**-places, rel=1e-15)
        assert round(bound, places) == 0
        assert round(bound * (1 + 3e-16), places) != 0


def test_the_call_that_failed_is_found(observation):
    observation.project.write(
        "test_it.py",
        """
import random
import unittest
import numpy as np

def helper(x):
    np.testing.assert_allclose(x, 0, atol=0.9)

def test_function():
    x = random.random()
    helper(x)
    np.testing.assert_array_less(x, 0.8); np.testing.assert_array_less(0.2, x)
    assert np.allclose(x, 0.3, atol=0.1)

def test_shapes():
    np.testing.assert_allclose([1] * random.choice([1, 2, 2]), [1, 1])

def test_within():
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(random.random(), 0, atol=0.5)

class TestIt(unittest.TestCase):
    def test_method(self):
        x = random.random()
        self.assertLess(x, 0.9)
        self.assertTrue(x < 0.8)
""",
    )
    found = observation.run(runs=4, code=1)
    # 0.844, 0.134, 0.956, 0.238
    failed = {test: [run["failed"] for run in found[test]["runs"]] for test in found}
    assert failed == {
        "test_function": [1, 2, 0, None],
        "test_shapes": [None, 0, 0, 0],
        "test_within": [0, None, 0, None],
        "test_method": [1, None, 0, None],
    }
    (series, _) = found["test_shapes"]["sites"][0]["series"]
    assert [run for run, _ in series["values"]] == [0]
