"""What is recorded of assertions that compare no numbers themselves, on real pytest processes. All seeds are fixed."""

from __future__ import annotations

import inspect

import _pytest.assertion.rewrite
from observation import short
from searching import HEAD, outcomes, record

IS_IN_PLACE = "copy_location(ast.Call" in inspect.getsource(_pytest.assertion.rewrite)
"""Whether pytest leaves calls where they stand in the source."""

MASK = "mask = np.array([True, True, True, False])\n"

SHARES = [
    ("assert np.all(mask)", [("lower", 1.0, None, 0.75)], 1),
    ("assert mask.all()", [("lower", 1.0, None, 0.75)], 1),
    ("assert np.all(mask[:3])", [("lower", 1.0, None, 1.0)], 0),
    ("assert all([True, False])", [("lower", 1.0, None, 0.5)], 1),
    ("assert np.any(mask)", [("lower", 0.0, None, 0.75)], 0),
    ("assert not np.any(mask)", [("upper", 0.0, None, 0.75)], 1),
    ("assert not mask.any(), 'some are'", [("upper", 0.0, None, 0.75)], 1),
    ("assert not mask.all()", [("upper", 1.0, None, 0.75)], 0),
    ("assert mask.all() or 1 < 2", [], 0),
    ("assert bool(np.all(mask & True))", [("lower", 1.0, None, 0.75)], 1),
    ("npt.assert_(np.all(mask[:2]))", [], 0),
    (
        "assert np.all(ordered(np.array([1.0, 2.0, 4.0])))",
        [("lower margin", 0.0, None, 1.0), ("lower", 1.0, None, 1.0)],
        0,
    ),
    # What says more is recorded instead.
    ("assert np.all(np.array([1, 2]) < 3)", [("upper", 3.0, "literal", 2.0)], 0),
    ("assert np.all(np.isclose(1.0, 1.0))", [("absolute", 1e-08, "default", -1e-05)], 0),
    # Neither numbers nor iterators are touched.
    ("assert np.all(np.array([1, 2]))", [], 0),
    ("assert all(iter([True]))", [], 0),
    ("assert all([])", [], 0),
]

HELPERS = """
import numpy as np
import numpy.testing as npt

def close(a, b):
    return abs(a - b) < 0.5

def ordered(array):
    return np.diff(array) >= 0

def unrelated(a):
    return a < 3

class Checks:
    def far(self, a):
        return 2 < a
"""

RETURNED = [
    ("assert close(1, 1.25)", [("upper margin", 0.0, None, -0.25)], 0),
    ("assert not close(1, 2)", [("lower margin", 0.0, None, 0.5)], 0),
    ("assert close(1, 2)", [("upper margin", 0.0, None, 0.5)], 1),
    ("assert Checks().far(5)", [("upper margin", 0.0, None, -3.0)], 0),
    (
        "assert close(1, 1) and close(1, 1.25)",
        [("upper margin", 0.0, None, -0.5), ("upper margin", 0.0, None, -0.25)],
        0,
    ),
    # Whoever only calls it asserts nothing by it.
    ("assert sorted([2, 1], key=unrelated)", [], 0),
    ("assert close(1, 2) or True", [], 0),
]


def test_forms(observation):
    cases = [(MASK + body, expected, fails) for body, expected, fails in SHARES] if IS_IN_PLACE else []
    cases += RETURNED
    tests = [HELPERS]
    for number, (body, _, _) in enumerate(cases):
        lines = "".join(f"    {line}\n" for line in body.split("\n"))
        tests.append(f"def test_{number}():\n{lines}")
    observation.project.write("test_forms.py", "\n".join(tests))
    found = observation.run(code=1)
    for number, (body, expected, fails) in enumerate(cases):
        test = found[f"test_{number}"]
        shown = [each for each in short(test["sites"]) if each[0] != "relative"]
        assert shown == expected, body
        assert test["runs"][0]["failed"] == (0 if fails else None), body
    printed = observation.printed
    if IS_IN_PLACE:
        # pytest explains failures as ever.
        assert "where False = <function all at" in printed or "where np.False_ = " in printed
        assert "flex" not in printed.split("short test summary")[0].split("FAILURES")[1].replace("-flex-", "")


def test_the_rest_is_called_a_condition(project):
    project.write(
        "test_it.py",
        HEAD
        + """
from checking import check

def is_odd(number):
    return number % 2 == 1

def test_plain():
    if random.random() < 0.5:
        assert random.random() < 2
    assert not is_odd(random.randrange(8))

def test_numpy():
    np.testing.assert_(is_odd(random.randrange(8)), "even")

def test_helper():
    check(random.randrange(8))

def test_equal():
    assert random.randrange(2) == 1

class TestCase(unittest.TestCase):
    def test_unittest(self):
        self.assertIn(random.randrange(3), [1, 2])

def test_error():
    if random.random() < 0.5:
        raise RuntimeError("no assertion")
""",
    )
    project.write("checking.py", "def check(number):\n    assert (\n        number in (1, 2, 3, 4)\n    ), number\n")
    tests = record(project, "--flex-runs=30", "--flex-max-runs=30", mode="detect", code=1)
    texts = {
        "test_plain": "assert not is_odd(random.randrange(8))",
        "test_numpy": "np.testing.assert_(is_odd(random.randrange(8)), 'even')",
        "test_helper": "assert number in (1, 2, 3, 4)",
        "test_equal": "assert random.randrange(2) == 1",
        "TestCase::test_unittest": "self.assertIn(random.randrange(3), [1, 2])",
    }
    for name, text in texts.items():
        test = tests[name]
        (site,) = [site for site in test["sites"] if site["form"] == "condition"]
        assert site["text"] == text
        assert site["series"] == []
        failed = [run["index"] for run in test["runs"] if run["outcome"] == "fail"]
        # Thirty runs that all end in the same way have a probability of 1e-5 at most under a random seed.
        assert site["failed"] == failed != []
        where = f"flaky: {site['file']}:{site['line']}: {text}"
        assert where in project.printed
    words = project.printed.replace("\n         ", "")
    assert words.count("a condition: it holds or not, and compares no numbers") == len(texts)
    assert tests["test_error"]["sites"] == []
    assert "outcome" in project.printed


def test_doctests_are_searched(project):
    project.write(
        "module.py",
        '''
import random

def draw():
    """
    >>> seen = draw()
    >>> seen < 0.8
    True
    >>> counted = counted + 1 if "counted" in globals() else 1
    >>> counted
    1
    """
    return random.random()

def order():
    """
    >>> len({"a", "b"})
    2
    """

def seeded():
    """
    >>> import numpy as np
    >>> def drawn():
    ...     np.random.seed(42)
    ...     return np.random.rand()
    >>> drawn() < 0.6
    True
    """
''',
    )
    project.write("text.txt", ">>> import numpy as np\n>>> bool(np.random.rand() < 0.7)\nTrue\n")
    options = ("--doctest-modules", "--doctest-glob=*.txt", "--flex-runs=40", "--flex-max-runs=40")
    tests = record(project, *options, mode="detect", code=1)
    assert set(tests) == {"module.draw", "module.order", "module.seeded", "text.txt"}
    seeded = tests["module.seeded"]
    assert seeded["first_as_written"]
    assert set(outcomes(seeded)) == {"pass", "fail"}
    (literal,) = seeded["literal_seeds"]
    assert (literal["call"], literal["file"], literal["value"]) == ("numpy.random.seed", "module.py", 42)
    assert (project.path / "module.py").read_text().splitlines()[
        literal["line"] - 1
    ].strip() == "...     np.random.seed(42)"
    # Forty runs that all end in the same way have a probability below 1e-3 under a random seed.
    assert set(outcomes(tests["module.draw"])) == set(outcomes(tests["text.txt"])) == {"pass", "fail"}
    assert outcomes(tests["module.order"]) == {"pass": 1}
    why = next(run["why"] for run in tests["module.draw"]["runs"] if "why" in run)
    assert why == "`seen < 0.8` gave 'False' instead of 'True'"
    failing = next(run["index"] for run in tests["module.draw"]["runs"] if run["outcome"] == "fail")
    command = f"pytest module.py::module.draw --doctest-modules --flex-seed=search@detect:{failing}"
    assert command in project.printed
    assert "got:" in project.pytest(*command.split()[1:], code=1).lower()
    # In turns, too.
    project.pytest("--flex=detect", "--flex-seed=search", "--flex-time-budget=10m", *options, code=1)


def test_how_often_a_rerun_test_must_pass_is_read(project):
    # A module of that name stands for the plugin: what counts is that pytest has one by its name.
    project.write("flaky.py", "def flaky(**given):\n    return lambda test: test\n")
    project.write(
        "test_it.py",
        """
import random
import pytest

@pytest.mark.flaky(max_runs=3, min_passes=2)
def test_it():
    assert random.random() < 0.7

def test_decorated():
    assert random.random() < 2

# What flaky's decorator leaves behind.
test_decorated._flaky_min_passes = 3
""",
    )
    tests = record(project, "-p", "flaky", "--flex-runs=20", "--flex-max-runs=20")
    assert tests["test_it"]["min_passes"] == 2
    assert tests["test_decorated"]["min_passes"] == 3
    assert project.record["rerun_marker"] == "flaky"
