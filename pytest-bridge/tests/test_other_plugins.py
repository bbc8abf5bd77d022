"""What people use besides in pytest: its own options, pytest-cov, pytest-timeout. All seeds are fixed."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest

TESTS = """
import random, time
from pytest_flex import learned, stochastic
import shifted

@stochastic
def test_learned():
    time.sleep(0.001)
    assert shifted.draw() < learned()

@stochastic
def test_fine():
    assert random.random() < learned()

def test_plain():
    pass
"""

SHIFTED = """
import random

SHIFT = 0

def draw():
    value = random.gauss(SHIFT, 1)
    if value > 1.5:
        return value
    return value
"""


@pytest.fixture
def calibrated(project):
    project.write("test_it.py", TESTS)
    project.write("shifted.py", SHIFTED)
    project.calibrate("-p", "no:randomly")
    return project


def broken(project):
    project.replace("shifted.py", "SHIFT = 0", "SHIFT = 3")
    return project


def test_the_last_failed_are_known_and_the_first_stops(calibrated):
    project = broken(calibrated)
    printed = project.pytest("--flex-seed=a", "-p", "no:randomly", "-x", code=1)
    assert "1 failed" in printed
    assert "stopping after 1 failures" in printed
    printed = project.pytest("--flex-seed=b", "--lf", code=1)
    assert "1 failed" in printed
    assert "run-last-failure: rerun previous 1 failure" in printed
    project.replace("shifted.py", "SHIFT = 3", "SHIFT = 0")
    assert "1 passed" in project.pytest("--flex-seed=b", "--lf")


def test_reruns_are_seen_in_durations_and_in_junit_files(calibrated):
    project = broken(calibrated)
    printed = project.pytest("--flex-seed=a", "--durations=3", "-vv", "--junitxml=junit.xml", code=1)
    cases = {
        case.attrib["name"]: case for case in ElementTree.parse(project.path / "junit.xml").getroot().iter("testcase")
    }
    assert set(cases) == {"test_learned", "test_fine", "test_plain"}
    runs = {
        name: [int(each.attrib["value"]) for each in case.iter("property") if each.attrib["name"] == "flex-runs"]
        for name, case in cases.items()
    }
    assert runs["test_plain"] == []
    assert runs["test_learned"][0] > 3, runs
    assert "regression" in cases["test_learned"].find("failure").text
    # All runs of a test belong to its call.
    seconds = float(re.search(r"([\d.]+)s call +test_it.py::test_learned", printed)[1])
    assert seconds >= 0.001 * runs["test_learned"][0]
    assert float(cases["test_learned"].attrib["time"]) >= 0.001 * runs["test_learned"][0]


def test_github_shows_a_verdict_beside_the_source(calibrated, monkeypatch):
    project = broken(calibrated)
    assert "::error" not in project.pytest("--flex-seed=a", code=1)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(project.path))
    for args in ((), ("-n1",)):
        printed = project.pytest("--flex-seed=a", *args, code=1)
        (line,) = [line for line in printed.split("\n") if line.startswith("::error")]
        assert line.startswith("::error file=test_it.py,line=9,title=flex%3A test_it.py%3A%3Atest_learned::flex: ")
        assert "regression" in line


def test_coverage_is_that_of_all_runs(calibrated):
    pytest.importorskip("pytest_cov")
    project = calibrated

    def covered(*args: str, code: int = 0) -> str:
        printed = project.pytest(*args, "--cov=shifted", "--cov-report=term-missing", code=code, fresh=True)
        return re.search(r"shifted.py +\d+ +\d+ +(.*)", printed)[1]

    # One line in seven runs of a hundred: not under this seed, and in the hundred runs of a whole check.
    assert covered("--flex-seed=a").split()[1:] == ["9"]
    assert covered("--flex=check", "--flex-full", "--flex-seed=b") == "100%"
    assert covered("--flex=detect", "--flex-seed=b", "-k", "learned") == "100%"


def test_a_timeout_holds_for_all_runs_of_a_test(project):
    pytest.importorskip("pytest_timeout")
    project.write(
        "test_it.py",
        """
import random, time
import pytest
from pytest_flex import learned, stochastic

@stochastic
@pytest.mark.timeout(2)
def test_slow():
    time.sleep(0.1)
    assert random.random() < learned()

@stochastic
@pytest.mark.timeout(60)
def test_quick():
    assert random.random() < learned()
""",
    )
    printed = project.calibrate("-p", "no:randomly", code=1)
    assert "1 failed, 1 passed" in printed
    assert "Timeout (>2.0s) from pytest-timeout" in printed
    assert "calibrate with -p no:timeout" in printed
    assert "test_quick" in project.bounds
    assert "test_slow" not in project.bounds
    # A search turns it off, and says so.
    options = ("--flex=detect", "--flex-seed=a", "--flex-runs=25", "--flex-max-runs=25")
    printed = project.pytest(*options)
    assert "pytest-timeout is off" in printed
    assert "2 passed" in printed
