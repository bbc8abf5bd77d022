"""Where `learned()` can stand, and what it says where it cannot."""

from __future__ import annotations

import pytest

HEAD = """
import math, random
from decimal import Decimal
from fractions import Fraction
from math import isclose
import numpy as np
from numpy.testing import assert_allclose
import pytest
import pytest_flex
from pytest_flex import learned, stochastic
"""


def test_every_way_to_compare_is_learned_and_enforced(project):
    project.write(
        "test_ways.py",
        HEAD
        + """
@stochastic(runs=30)
def test_numbers(flex_rng):
    x = flex_rng.normal()
    assert x < learned()
    assert learned() >= x * 2
    assert x > learned()
    assert learned() < x < learned()
    assert np.float64(x) < learned(name="scalar")
    assert np.float32(x) <= learned(name="narrow")
    assert int(10 * x) < learned(name="int")
    for size in (1, 2):
        assert x * size < learned(case=size)
    assert abs(x) < learned(domain=(0, 1000)), "a message"

@stochastic(runs=30)
def test_arrays(flex_rng):
    x = flex_rng.normal(size=(5, 2))
    assert x < learned()
    assert (x > learned()).all()
    assert np.all(learned() > x)
    np.testing.assert_array_less(x, learned())
    np.testing.assert_array_less(learned(), x)

@stochastic(runs=30)
def test_tolerances(flex_rng):
    x = 1 + flex_rng.normal() / 100
    many = 1 + flex_rng.normal(size=3) / 100
    assert x == pytest.approx(1, abs=learned())
    assert x == pytest.approx(1, rel=learned())
    assert x == pytest.approx(1, rel=1e-9, abs=learned(name="both"))
    assert list(many) == pytest.approx([1, 1, 1], abs=learned())
    assert {"a": x} == pytest.approx({"a": 1}, rel=learned(name="mapping"))
    assert many == pytest.approx(np.ones(3), abs=learned(name="numpy"))
    assert math.isclose(x, 1, abs_tol=learned())
    assert isclose(x, 1, rel_tol=learned())
    np.testing.assert_allclose(many, 1, atol=learned())
    assert_allclose(many, np.ones(3), rtol=learned(), atol=1e-9)
    # Without a learned tolerance they are what they were.
    assert not math.isclose(x, 2)
    assert x != pytest.approx(2)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(many, 2)
""",
    )
    printed = project.calibrate()
    assert "3 tests calibrated" in printed
    sites = project.sites()
    assert "assert x < learned()" in sites
    assert "assert learned() < x < learned()#2" in sites
    assert "assert x * size < learned(case=size) [2]" in sites
    assert "assert abs(x) < learned(domain=(0, 1000))" in sites
    assert len(sites) == 11 + 5 + 10
    for seed in range(3):
        project.pytest(f"--flex-seed=green{seed}")


def test_samples_are_what_the_tolerance_must_be(project):
    project.write(
        "test_samples.py",
        HEAD
        + """
@stochastic
def test_it():
    assert 3.0 == pytest.approx(2.0, abs=learned(name="approx abs"))
    assert 3.0 == pytest.approx(2.0, rel=learned(name="approx rel"))
    assert math.isclose(3.0, 2.0, abs_tol=learned(name="isclose abs"))
    assert math.isclose(3.0, 2.0, rel_tol=learned(name="isclose rel"))
    np.testing.assert_allclose([3.0, 2.5], 2.0, rtol=0.25, atol=learned(name="allclose atol"))
    np.testing.assert_allclose([3.0, 2.5], 2.0, rtol=learned(name="allclose rtol"), atol=0.25)
    assert np.array([1.0, 7.0]) < learned(name="array")
    assert np.array([1.0, 7.0]) > learned(name="least")
""",
    )
    printed = project.pytest("--flex-seed=a@enforce:0")
    for line in [
        "approx abs: 1",
        "approx rel: 0.5",
        "isclose abs: 1",
        "isclose rel: 0.3333333333333333",
        "allclose atol: 0.5",
        "allclose rtol: 0.375",
        "array: 7",
        "least: 1",
    ]:
        assert f"  {line}\n" in printed + "\n"


def test_what_is_not_close_at_all_fails_as_ever(project):
    project.write(
        "test_hard.py",
        HEAD
        + """
@stochastic
@pytest.mark.parametrize("check", [
    lambda: np.testing.assert_allclose([1.0, 2.0, 3.0], [1.0, 2.0], atol=learned(name="a")),
    lambda: np.testing.assert_allclose([1.0, math.nan], [1.0, 2.0], atol=learned(name="a")),
    lambda: pytest.fail("not close") if [1.0, 2.0] != [1.0] else None,
])
def test_it(check):
    check()
""",
    )
    printed = project.pytest("--flex-seed=a", code=1)
    assert "3 failed" in printed
    assert "replay: pytest" in printed


@pytest.mark.parametrize(
    "statement",
    [
        "if x < learned(): pass",
        "assert not x > learned()",
        "y = 1 if x < learned() else 2",
        "assert x < learned() + 1",
        "assert x < 2 * learned()",
        "assert abs(learned()) > x",
        "assert learned()",
        "assert x == learned()",
        "assert x != learned()",
        "assert float(learned()) > x",
        "np.add(x, learned())",
        "assert Fraction(1, 3) < learned()",
        "assert Decimal(1) < learned()",
    ],
)
def test_misuse_is_a_clear_error(project, statement):
    project.write("test_misuse.py", HEAD + f"\n@stochastic\ndef test_it():\n    x = random.random()\n    {statement}\n")
    printed = project.pytest("--flex=off", "--flex-seed=a", code=1)
    errors = [
        "always holds",
        "nothing can be computed",
        "does not support ufuncs",
        "write float(…)",
        "InvalidOperation",
    ]
    assert any(error in printed for error in errors)


def test_outside_of_a_stochastic_test_it_is_a_clear_error(project):
    project.write("test_outside.py", HEAD + "\ndef test_it():\n    assert 1 < learned()\n")
    assert "mark the test with @stochastic" in project.pytest(code=1)


def test_two_assertions_with_one_name_are_a_mistake(project):
    project.write(
        "test_twice.py",
        HEAD + "\n@stochastic\ndef test_it():\n    assert 1 < learned('a')\n    assert 1 > learned('a')\n",
    )
    printed = project.calibrate(code=1)
    assert "differs in tail, domain or confidence" in printed


def test_a_failure_shows_the_bound_in_place_of_learned(project):
    project.write(
        "test_repr.py",
        HEAD
        + """
LIMIT = 2

@stochastic
def test_it(flex_rng):
    x = flex_rng.random()
    assert x < learned() and x < LIMIT
    assert x == pytest.approx(0, abs=learned())
""",
    )
    project.calibrate()
    project.replace("test_repr.py", "LIMIT = 2", "LIMIT = -1")
    printed = project.pytest("--flex-seed=a", code=1)
    assert "learned(), guard 0.6" in printed
    assert "from flex-bounds.toml" in printed
    assert "replay: pytest test_repr.py::test_it --flex-seed=a" in printed


def test_sites_survive_moving_and_reformatting(project):
    source = """
def helper(x):
    assert x < learned()

@stochastic
def test_it(flex_rng):
    x = flex_rng.random()
    assert x < learned()
    helper(x)
    assert [y < learned() for y in (x, x / 2)]
    assert x < learned()
"""
    project.write("test_sites.py", HEAD + source)
    project.calibrate()
    assert project.sites() == [
        "assert [y < learned() for y in (x, x / 2)]",
        "assert x < learned()",
        "assert x < learned()#2",
        "helper: assert x < learned()",
    ]
    moved = source.replace("    assert x < learned()\n", "    # moved\n\n    assert (  x <\n        learned())\n")
    project.write("test_sites.py", HEAD + "\n\n" + moved)
    project.pytest("--flex-seed=green")


def test_types_know_their_ends(project):
    project.write(
        "test_ends.py",
        HEAD
        + """
@stochastic
def test_it(flex_rng):
    count = max(0.0, flex_rng.normal(30, 12))
    assert np.uint8(count) > learned(name="unsigned")
    assert int(count) > learned(name="int")
""",
    )
    printed = project.calibrate()
    assert "2 sites learned" in printed
    assert "no ceiling: a ceiling would lie at 0 or beyond" in printed
    entries = {part.split('site = "')[1].split('"')[0]: part for part in project.bounds.split("[[bound]]")[1:]}
    assert "\nceiling = " not in entries["unsigned"]
    assert "\nceiling = -" in entries["int"], "nobody knows that an int is never negative"


def test_where_no_bound_can_be_learned_the_place_says_why(project):
    cases = [
        ("random.random() < min(learned(), 0.5)", "min() would compare learned() with other numbers"),
        ("random.random() < max(0.5, learned())", "max() would compare learned() with other numbers"),
        ("random.random() < sorted([1, learned()])[0]", "sorted() would compare learned() with other numbers"),
        ("Decimal(random.random()) < learned()", "write float(…) around the decimal"),
        ("Decimal(random.random()) < Decimal(learned())", "write float(x) < learned()"),
        ("Fraction(random.random()) < learned()", "write float(…) around the fraction"),
        ("random.random() < 2 * learned()", "nothing can be computed with it"),
    ]
    tests = [f"@stochastic\ndef test_{number}():\n    assert {text}\n" for number, (text, _) in enumerate(cases)]
    works = "@stochastic\ndef test_works():\n    assert learned() > Decimal(random.random())\n"
    project.write("test_it.py", HEAD + "\n".join([*tests, works]))
    printed = project.calibrate("--flex-runs=5", "-p", "no:randomly", code=1)
    assert f"{len(cases)} failed, 1 passed" in printed
    said = [line for line in printed.split("\n") if line.startswith("flex:")]
    for number, (text, words) in enumerate(cases):
        line = next(line for line in said if f"::test_{number} failed" in line)
        assert f"assert {text} (test_it.py:" in line
        assert words in line
