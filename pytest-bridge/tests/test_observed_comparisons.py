"""What is recorded of `assert` with comparisons, on real pytest processes."""

from __future__ import annotations

import pytest
from observation import short

CASES = [
    # One side is a literal.
    ("assert x < 0.5", [("upper", 0.5, "literal", 0.25)]),
    ("assert x <= 1", [("upper", 1.0, "literal", 0.25)]),
    ("assert x > -0.5", [("lower", -0.5, "literal", 0.25)]),
    ("assert 1e-3 < x", [("lower", 0.001, "literal", 0.25)]),
    ("assert 2 >= x", [("upper", 2.0, "literal", 0.25)]),
    ("assert abs(x - 1) < 0.9", [("upper", 0.9, "literal", 0.75)]),
    ("assert (\n    x  # é\n    < 0.5\n), 'why'", [("upper", 0.5, "literal", 0.25)]),
    ("s = 'é'; assert x < 0.5", [("upper", 0.5, "literal", 0.25)]),
    # A name that is bound once, to a literal.
    ("eps = 0.5\nassert x < eps", [("upper", 0.5, "constant", 0.25)]),
    ("eps: float = -1\nassert x > eps", [("lower", -1.0, "constant", 0.25)]),
    ("count = 3\nassert count > 1", [("lower", 1.0, "literal", 3.0)]),
    ("assert x < LIMIT", [("upper", 0.75, "constant", 0.25)]),
    ("eps = 0.5\neps = 0.6\nassert x < eps", [("upper margin", 0.0, None, 0.25 - 0.6)]),
    ("eps = 0.25\neps += 0.25\nassert x < eps", [("upper margin", 0.0, None, -0.25)]),
    ("for eps in [0.5]:\n    assert x < eps", [("upper margin", 0.0, None, -0.25)]),
    ("def f(LIMIT=0.5):\n    assert x < LIMIT\nf()", [("upper margin", 0.0, None, -0.25)]),
    ("assert x < MOVED", [("upper margin", 0.0, None, -0.75)]),
    ("assert x < 2 ** -1", [("upper margin", 0.0, None, -0.25)]),
    # Both sides are computed.
    ("assert x < x + 1", [("upper margin", 0.0, None, -1.0)]),
    ("assert x >= x - 1", [("lower margin", 0.0, None, 1.0)]),
    ("assert 1 < 2", [("upper margin", 0.0, None, -1.0)]),
    # Several comparisons.
    ("assert 0.1 < x < 0.9", [("lower", 0.1, "literal", 0.25), ("upper", 0.9, "literal", 0.25)]),
    ("assert x < 0.5 and -x < 0", [("upper", 0.5, "literal", 0.25), ("upper", 0.0, "literal", -0.25)]),
    ("assert not x < 0.1", [("lower", 0.1, "literal", 0.25)]),
    ("assert not (x < 0.1 or x > 1)", [("lower", 0.1, "literal", 0.25), ("upper", 1.0, "literal", 0.25)]),
    ("assert x < 0.1 or x < 0.5", []),
    ("assert not (x < 0.1 and x < 0.5)", []),
    ("assert not 0.5 < x < 0.9", []),
    # Collections: the element nearest to failing.
    ("assert all(v < 0.9 for v in [x, 0.5, 0.1])", [("upper", 0.9, "literal", 0.5)]),
    ("assert all([abs(v - 1) > 0.1 for v in [x, 0.5]])", [("lower", 0.1, "literal", 0.5)]),
    ("assert not any(v > 0.9 for v in [x, 0.5])", [("upper", 0.9, "literal", 0.5)]),
    ("assert any(v > 0.4 for v in [x, 0.5])", []),
    ("for v in [x, 0.75, 0.5]:\n    assert v < 0.9", [("upper", 0.9, "literal", 0.75)]),
    ("for v in [x, 0.75, 0.125]:\n    assert v > 0.1", [("lower", 0.1, "literal", 0.125)]),
    # Names given in the midst.
    ("assert (y := x * 2) < 0.9", [("upper", 0.9, "literal", 0.5)]),
    ("assert (small := x < 0.9)", [("upper", 0.9, "literal", 0.25)]),
    # Other numbers.
    ("assert Fraction(1, 4) < 1", [("upper", 1.0, "literal", 0.25)]),
    ("assert Decimal('0.25') < 1", [("upper", 1.0, "literal", 0.25)]),
    ("assert len([1, 2]) > 1", [("lower", 1.0, "literal", 2.0)]),
    ("assert not math.nan < 1", [("lower", 1.0, "literal", "nan")]),
    ("assert -math.inf < 1", [("upper", 1.0, "literal", "-inf")]),
    # No numbers.
    ("assert 'a' < 'b'", []),
    ("assert [1] < [2]", []),
    ("assert {1} < {1, 2}", []),
    ("assert False < True", []),
    ("assert date(2000, 1, 1) < date(2001, 1, 1)", []),
    ("assert x == 0.25", []),
    ("assert x in [0.25]", []),
    # What is expected to fail says nothing.
    ("with pytest.raises(AssertionError):\n    assert x > 0.5", []),
]

HEAD = """
import math
from datetime import date
from decimal import Decimal
from fractions import Fraction

LIMIT = 0.75
MOVED = 0.5

def move():
    global MOVED
    MOVED = 1

move()
"""


def test_forms(observation):
    """All in one process, which is what a test file is like."""
    tests = [HEAD]
    for number, (body, _) in enumerate(CASES):
        lines = "".join(f"    {line}\n" for line in body.split("\n"))
        tests.append(f"def test_{number}():\n    x = 1 / 4\n{lines}")
    observation.project.write("test_forms.py", "import pytest\n" + "\n".join(tests))
    found = observation.run()
    for number, (body, expected) in enumerate(CASES):
        sites = found[f"test_{number}"]["sites"]
        assert short(sites) == expected, body
        assert all(site["form"] == "assert" and site["is_hard"] for site in sites)
        observation.check_knobs(sites)


def test_arrays(observation):
    sites = observation.of(
        """
a = np.array([0.5, 0.25])
assert (a < 1).all()
assert np.all(a > 0.1)
assert (a < np.array([1.0, 0.75])).all()
assert all(a < 2)
assert np.float32(0.5) < 1
assert np.int64(3) < 5
assert np.arange(3, dtype="uint8").max() - np.uint8(3) > 5
assert a[:1] < 1
assert (a[:0] < 1).all()
assert (np.array(["a"]) < "b").all()
assert (np.array([False]) < True).all()
assert (np.array([math.nan, 1.0]) < 2).any() < 2
""",
        head="import math\nimport numpy as np",
    )
    assert short(sites) == [
        ("upper", 1.0, "literal", 0.5),
        ("lower", 0.1, "literal", 0.25),
        ("upper margin", 0.0, None, -0.5),
        ("upper", 2.0, "literal", 0.5),
        ("upper", 1.0, "literal", 0.5),
        ("upper", 5.0, "literal", 3.0),
        ("lower", 5.0, "literal", 255.0),
        ("upper", 1.0, "literal", 0.5),
    ]


def test_runs_are_kept_apart_and_failures_are_attributed(observation):
    observation.project.write(
        "test_it.py",
        """
import random
import pytest

def check(x):
    assert x < 0.9

def test_it():
    x = random.random()
    check(x)
    assert x > 0.2; assert x < 0.8
    assert [x] != [0.75]
    if x < 0.7:
        raise ValueError("by itself")
""",
    )
    found = observation.run(runs=8, code=1)["test_it"]
    drawn = [0.844, 0.134, 0.956, 0.238, 0.236, 0.623, 0.793, 0.324]
    helper, least, most = found["sites"]
    assert [site["id"] for site in found["sites"]] == ["check: assert x < 0.9", "assert x > 0.2", "assert x < 0.8"]
    assert [(run, round(value, 3)) for run, value in helper["series"][0]["values"]] == list(enumerate(drawn))
    assert [run for run, _ in least["series"][0]["values"]] == [0, 1, 3, 4, 5, 6, 7]
    assert (helper["failed"], least["failed"], most["failed"]) == ([2], [1], [0])
    assert [run["failed"] for run in found["runs"]] == [2, 1, 0, None, None, None, None, None]
    assert found["runs"][2]["hits"] == [
        ["check: assert x < 0.9", "None", "0.9", str(helper["series"][0]["values"][2][1])]
    ]
    assert found["runs"][1]["values"] == [
        ["0", "0", str(helper["series"][0]["values"][1][1])],
        ["1", "0", str(least["series"][0]["values"][1][1])],
    ]


def test_a_bound_that_moves_becomes_a_margin(observation):
    sites = observation.of(
        "assert 1 / 4 < LIMIT\nthis.LIMIT = 0.75 + random.random()",
        head="import sys\nthis = sys.modules[__name__]\nLIMIT = 0.75",
        runs=2,
    )
    (series,) = sites[0]["series"]
    assert (series["role"], series["bound"], series["is_margin"], series["knob"]) == ("upper", 0.0, True, None)
    assert [round(value, 3) for _, value in series["values"]] == [-0.5, -1.344]


def test_identity(observation):
    found = observation.project.write(
        "test_it.py",
        """
class TestIt:
    def test_it(self):
        x = 0.5
        assert x < 1
        assert x < 1, "again"
        def inner():
            assert x < 1
        inner()
""",
    )
    found = observation.run()["test_it"]["sites"]
    assert [site["id"] for site in found] == [
        "assert x < 1",
        "assert x < 1#2",
        "TestIt.test_it.<locals>.inner: assert x < 1",
    ]
    assert found[1]["span"] == {"line": 6, "column": 8, "end_line": 6, "end_column": 29}
    assert {site["file"] for site in found} == {"test_it.py"}


@pytest.mark.parametrize("mode", ["rewrite", "plain"])
def test_operands_are_evaluated_once_in_order(observation, mode):
    sites = observation.of(
        """
seen = []
def f(x):
    seen.append(x)
    return x
assert f(1) < f(2) < f(3) and f(4) < f(5)
assert seen == [1, 2, 3, 4, 5]
seen.clear()
assert all(f(a) < f(b) for a, b in [(1, 2), (3, 4)])
assert seen == [1, 2, 3, 4]
seen.clear()
assert f(1) < 2 or f(3) < 4
assert seen == [1]
y = 1
assert y < (y := 5)
assert y == 5
""",
        f"--assert={mode}",
    )
    assert [(series[0], series[3]) for series in short(sites)] == [
        ("upper margin", -1.0),
        ("upper margin", -1.0),
        ("upper margin", -1.0),
        ("upper margin", -1.0),
        ("upper margin", -4.0),
    ]


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("assert x < LIMIT, f'above {LIMIT}'\nassert 0.5 * x < LIMIT", None),
        ("assert x < LIMIT\nassert x == pytest.approx(0.25, abs=LIMIT)", None),
        ("assert x < LIMIT\nassert x + 1 > LIMIT", 8),
        ("assert x < LIMIT\nassert x == pytest.approx(LIMIT, abs=1)", 8),
        ("y = x * LIMIT\nassert x < LIMIT", 7),
        ("limit = 0.5\ny = x * limit\nassert x < limit", 8),
        ("limit = 0.5\nassert x < limit\nassert not x > limit", None),
        ("limit = 0.5\nassert x < limit\nassert not x < limit - 1", 9),
    ],
)
def test_a_constant_that_is_used_for_something_else_is_known_to_be(observation, body, line) -> None:
    site = observation.of(f"x = abs(0.25)\n{body}", head="LIMIT = 0.75")[0]
    assert site["series"][0]["knob"].get("also_in") == line


@pytest.mark.parametrize(
    ("assertion", "expected"),
    [
        ("0 <= x < 1", [False, True]),
        ("not x <= 0.1", [True]),
        ("not x > 0.5 and x >= 0", [False, False]),
        ("1 > x", [True]),
    ],
)
def test_operators_tell_whether_an_equal_value_fails(observation, assertion, expected) -> None:
    site = observation.of(f"x = abs(0.25)\nassert {assertion}")[0]
    assert [series["is_strict"] for series in site["series"]] == expected


def test_the_function_around_an_assertion_is_kept(observation) -> None:
    site = observation.of("x = 0.25\n\nassert x < 0.5")[0]
    assert site["within"] == {"line": 5, "text": "def test_it():\n    x = 0.25\n    \n    assert x < 0.5"}
