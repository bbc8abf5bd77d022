"""What is recorded of functions that assert closeness or order, on real pytest processes."""

from __future__ import annotations

from importlib.util import find_spec

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


def test_a_library_in_between_is_seen_through(observation, monkeypatch):
    """A package's own `assert_allclose` calls NumPy's: the assertion is where the test calls it."""
    library = observation.project.path / "site-packages"
    (library / "helping").mkdir(parents=True)
    (library / "helping" / "__init__.py").write_text(
        "from numpy.testing import assert_allclose as original\n"
        "def assert_allclose(a, b, rtol=1e-3, atol=0):\n    original(a, b, rtol=rtol, atol=atol)\n"
    )
    monkeypatch.syspath_prepend(library)
    sites = observation.of(
        "assert_allclose(1.25, 1, atol=0.5)\nassert_allclose(1, 1, 0.25)",
        "-p",
        "no:cacheprovider",
        head=f"import sys\nsys.path.insert(0, {str(library)!r})\nfrom helping import assert_allclose",
    )
    assert [site["line"] for site in sites] == [8, 9]
    assert short(sites) == [
        ("absolute", 0.5, "literal", 0.249),
        ("relative", 0.001, None, -0.25),
        ("relative", 0.25, None, 0.0),
        ("absolute", 0.0, None, -0.25),
    ]


def test_helpers_that_the_project_names(observation):
    observation.project.write(
        "flex.toml",
        """
[[assertion]]
function = "helpers.assert_near"
actual = "a"
expected = "b"
atol = "within"

[[assertion]]
function = "helpers.Checks.ratio"
actual = "value"
expected = "wanted"
rtol = "tolerance"

[[assertion]]
function = "helpers.below"
actual = "value"
upper = "limit"

[[assertion]]
function = "helpers.missing"
actual = "value"
upper = "limit"
""",
    )
    observation.project.write(
        "helpers.py",
        """
import numpy as np

def assert_near(a, b, *, within=0.5):
    np.testing.assert_allclose(a, b, rtol=0, atol=within)

class Checks:
    def ratio(self, value, wanted, tolerance):
        assert abs(value - wanted) <= tolerance * wanted

def below(value, limit):
    if not value < limit:
        raise AssertionError("too much")
""",
    )
    sites = observation.of(
        """
assert_near(1.25, [1, 1])
assert_near(1.25, 1, within=0.3)
helpers.Checks().ratio(1.25, 1, 0.5)
helpers.below(random.random(), 0.8)
""",
        head="import helpers\nfrom helpers import assert_near",
        runs=3,
        code=1,
    )
    assert short(sites)[:3] == [
        ("absolute", 0.5, "default", 0.25),
        ("absolute", 0.3, "literal", 0.25),
        ("relative", 0.5, "literal", 0.25),
    ]
    assert sites[3]["failed"] == [0, 2]
    assert [site["form"] for site in sites] == [
        "helpers.assert_near",
        "helpers.assert_near",
        "helpers.Checks.ratio",
        "helpers.below",
    ]


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
def test_torch(observation):
    sites = observation.of(
        """
x = torch.tensor([1.25, 1.0])
torch.testing.assert_close(x, torch.ones(2), rtol=0.5, atol=0.0)
torch.testing.assert_close(x, x)
torch.testing.assert_close([x, 1.0], [x, 1.0])
assert torch.allclose(x, torch.ones(2), atol=0.5)
assert (x < 2).all()
assert x[0] < 2
assert x[0].item() > 1
assert torch.all(x < torch.tensor([2.0, 2.0]))
""",
        head="import torch",
    )
    assert [series[:3] for series in short(sites)] == [
        ("relative", 0.5, "literal"),
        ("absolute", 0.0, "literal"),
        ("relative", 1.3e-6, "default"),
        ("absolute", 1e-5, "default"),
        # Of several pairs, the one nearest to its own tolerance.
        ("relative", 1e-7, "default"),
        ("absolute", 1e-7, "default"),
        ("absolute", 0.5, "literal"),
        ("relative", 1e-5, "default"),
        ("upper", 2.0, "literal"),
        ("upper", 2.0, "literal"),
        ("lower", 1.0, "literal"),
        ("upper margin", 0.0, None),
    ]
    # One tolerance alone is refused by torch.
    assert sites[1]["series"][0]["knob"]["keyword"] == "atol=1e-05, rtol"


@pytest.mark.skipif(find_spec("tensorflow") is None, reason="TensorFlow is not installed")
def test_tensorflow(observation):
    observation.project.write(
        "test_it.py",
        """
import tensorflow as tf

class TestIt(tf.test.TestCase):
    def test_it(self):
        self.assertAllClose([1.25, tf.constant(1.0)], [1.0, 1.0], atol=0.5)
        self.assertAllClose({"a": tf.ones(2)}, {"a": [1.0, 1.0]})
        self.assertNear(1.25, 1.0, 0.5)
""",
    )
    sites = observation.run()["test_it"]["sites"]
    assert [series[:3] for series in short(sites)] == [
        ("absolute", 0.5, "literal"),
        ("relative", 1e-6, "default"),
        ("relative", 1e-6, "default"),
        ("absolute", 1e-6, "default"),
        ("absolute", 0.5, "literal"),
    ]
