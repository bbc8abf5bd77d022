"""A time budget: tests take turns, and what they show is what they would show without. All seeds are fixed.

Nothing here depends on how fast the machine is: where a budget is to be enough it is far too large, and where it is not
to be enough, tests sleep longer than it.
"""

from __future__ import annotations

import signal
import xml.etree.ElementTree as ElementTree

from searching import HEAD, interrupted, outcomes, record

MIXED = (
    HEAD
    + """
import time

LOG = open("log", "a", buffering=1)

@pytest.fixture(scope="module")
def drawn():
    LOG.write("module\\\\n")
    return random.random()

@pytest.fixture
def each(drawn, tmp_path):
    return drawn + random.random()

def test_slow(each):
    LOG.write("slow\\\\n")
    time.sleep(0.02)
    assert each < 3

@pytest.mark.parametrize("number", range(3))
def test_quick(each, number):
    LOG.write(f"quick {number}\\\\n")
    assert each + number < 3.9

class TestClass:
    def setup_method(self):
        self.drawn = random.random()

    def test_method(self):
        LOG.write("method\\\\n")
        assert self.drawn < 0.99

class TestCase(unittest.TestCase):
    def test_unittest(self):
        LOG.write("unittest\\\\n")
        with self.subTest():
            self.assertLess(random.random(), 0.9)

def test_fixed():
    LOG.write("fixed\\\\n")
    assert 1 < 2

@pytest.mark.skip(reason="not today")
def test_skipped():
    pass
""".replace("\\\\", "\\")
)


def logged(project) -> list[str]:
    return (project.path / "log").read_text().split("\n")[:-1]


def comparable(tests):
    """Return what tests showed, without what depends on time."""
    for test in tests.values():
        del test["seconds_per_run"]
        # Which runs are made again depends on how long they take, and on how many there are when they are.
        del test["repeats"]
    return tests


def test_all_have_their_first_runs_before_any_has_its_hundredth(project):
    project.write("test_it.py", MIXED)
    options = ("--flex-runs=120", "--flex-max-runs=120", "-p", "no:randomly")
    project.printed = ""
    without = record(project, *options)
    (project.path / "log").unlink()
    within = record(project, *options, "--flex-time-budget=10m")
    log = logged(project)
    first, names = {}, ("slow", "quick 0", "quick 1", "quick 2", "method", "unittest", "fixed")
    for place, name in enumerate(log):
        first.setdefault(name, place)
    for name in names:
        places = [place for place, other in enumerate(log) if other == name]
        assert len(places) < 100 or places[99] > max(first[other] for other in names), name
    # Two rounds are enough, and the module fixture of the second stays where it is from one test to the next; other
    # processes repeat some runs.
    assert log.count("module") <= 4, log.count("module")
    # What probes show to be fixed has two runs, the second in another process.
    assert log.count("fixed") == 2
    assert comparable(within) == comparable(without)
    assert outcomes(within["test_slow"]) == {"pass": 120}
    assert set(outcomes(within["TestCase::test_unittest"])) == {"pass", "fail"}


def test_workers_of_xdist_take_turns_with_what_they_are_given(project):
    project.write("test_it.py", MIXED)
    options = ("--flex-runs=60", "--flex-max-runs=60", "--flex-time-budget=10m", "--junitxml=report.xml")
    alone = record(project, *options, mode="detect", code=1)
    of_one = cases(project)
    together = record(project, *options, "-n2", mode="detect", code=1)
    assert comparable(together) == comparable(alone)
    # Each test is reported once.
    assert len(of_one) == 8
    assert cases(project) == of_one


def cases(project) -> list[tuple[str, list[str]]]:
    cases = ElementTree.parse(project.path / "report.xml").getroot().iter("testcase")
    return sorted((case.attrib["name"], [child.tag for child in case]) for case in cases)


def test_a_calibration_with_turns_learns_the_same(project):
    project.write(
        "test_it.py",
        """
import random, time
from pytest_flex import learned, mean, stochastic

@stochastic
def test_slow(tmp_path):
    time.sleep(0.001)
    assert random.random() < learned()

@stochastic
def test_quick(flex_rng):
    assert mean(flex_rng.random(), domain=(0, 1)) < learned()
    assert flex_rng.normal() < learned()
""",
    )
    project.calibrate()
    without = project.bounds
    (project.path / "flex-bounds.toml").unlink()
    project.calibrate("--flex-time-budget=10m")
    assert project.bounds == without
    assert "nothing speaks against the bounds" in project.pytest("--flex=check", "--flex-time-budget=10m")


def test_what_there_is_no_time_for_is_said(project):
    project.write(
        "test_it.py",
        """
import random, time
import pytest

@pytest.mark.parametrize("number", range(60))
def test_it(number):
    time.sleep(0.2)
    assert random.random() < 2
""",
    )
    tests = record(project, "--flex-time-budget=6s", "-p", "no:randomly", "-rs", mode="detect")
    # They would take 12 seconds.
    assert 1 <= len(tests) < 60, len(tests)
    assert f"note: no time was left for {60 - len(tests)} tests, such as test_it.py::test_it[" in project.printed
    assert "no time was left for it" in project.printed
    project.replace("test_it.py", "range(60)", "[1]")
    project.replace("test_it.py", "0.2", "0.001")
    project.pytest("--flex=detect", "--flex-time-budget=10m")


def test_a_turn_of_a_unittest_may_be_without_a_run(project):
    project.write(
        "test_it.py",
        """
import random, time, unittest

class TestIt(unittest.TestCase):
    def check(self):
        time.sleep(0.3)
        self.assertLess(random.random(), 2)

    test_a = test_b = test_c = test_d = test_e = test_f = test_g = test_h = check
""",
    )
    # A first run of each takes most of the time; nothing is an error for having no more, or none.
    tests = record(project, "--flex-time-budget=5s", "-p", "no:randomly", mode="detect")
    assert tests
    assert "error" not in project.printed.lower()


def test_what_was_seen_is_reported_however_it_ends(project):
    project.write(
        "test_it.py",
        """
import random, time
import pytest

def test_a():
    assert random.random() < 0.5

def test_b():
    open("b", "a").write("b")
    if len(open("b").read()) > 40:
        # Its second turn: the first had thirty runs, of which some were made again.
        time.sleep(0.01)
    if len(open("b").read()) > 60:
        open("ready", "w").close()
        time.sleep(60)
    assert random.random() < 2

def test_c():
    time.sleep(0.011)
    assert random.random() < 2
""",
    )
    options = ("--flex=detect", "--flex-time-budget=10m", "--flex-seed=search")
    printed, tests = interrupted(project, *options, by=signal.SIGTERM)
    assert len(tests["test_a"]["runs"]) >= 30
    assert len(tests["test_b"]["runs"]) > 30
    assert len(tests["test_c"]["runs"]) == 30
    assert "flaky: test_it.py:6: assert random.random() < 0.5" in printed
    # Whoever stops at the first failure sees what the others have shown so far.
    project.replace("test_it.py", "time.sleep(60)", "pass")
    tests = record(project, "-x", "--flex-time-budget=10m", "-p", "no:randomly", mode="detect", code=1)
    assert "stopping after 1 failures" in project.printed
    assert set(tests) == {"test_a", "test_b", "test_c"}
    assert len(tests["test_a"]["runs"]) > len(tests["test_c"]["runs"]) == 30
