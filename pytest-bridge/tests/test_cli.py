"""The command line of flex drives pytest. `cargo xtask test` builds it and says where it is."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

PROGRAM = os.environ.get("FLEX_HARNESS")

TEST = """
import random
from pytest_flex import learned, stochastic

SHIFT = 0

@stochastic
def test_it():
    assert random.gauss(0, 1) + SHIFT < learned()

@stochastic
def test_other():
    assert random.random() < learned()
"""


@pytest.fixture
def flex(project, monkeypatch):
    """Run flex-harness in the project, with this Python first on the path."""
    assert PROGRAM is not None
    monkeypatch.setenv("PATH", str(project.warm.folder), prepend=os.pathsep)

    def run(*args: str, code: int = 0) -> str:
        done = subprocess.run(
            [PROGRAM, *args], cwd=project.path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


@pytest.mark.skipif(PROGRAM is None, reason="FLEX_HARNESS does not say where the command line is")
def test_calibrate_and_review(project, flex):
    project.write("tests/test_it.py", TEST)
    printed = flex("calibrate", "--pytest", "tests", "--seed", "a", "--runs", "60", "test_it")
    assert "2 tests calibrated" in printed
    assert "samples = 60" in project.bounds
    flex("calibrate", "--pytest", "tests", "--seed", "b", "--check")
    assert "0 bounds wait" in flex("review", "--pytest", "tests")
    project.replace("tests/test_it.py", "SHIFT = 0", "SHIFT = 4")
    before = project.bounds
    flex("calibrate", "--pytest", "tests", "--seed", "c", "--check", code=1)
    flex("calibrate", "--pytest", "tests/test_it.py::test_it", "--seed", "c", code=1)
    assert project.bounds == before
    assert "test `tests/test_it.py::test_it`" in flex("review", "--pytest", ".", code=1)
    flex("review", "--pytest", "tests", "accept", "--all")
    assert project.bounds != before
    project.pytest("--flex-seed=green")


@pytest.mark.skipif(PROGRAM is None, reason="FLEX_HARNESS does not say where the command line is")
def test_exit_codes_are_those_of_flex(project, flex):
    project.write("test_plain.py", "def test_it():\n    pass\n")
    assert "holds no stochastic tests" in flex("calibrate", "--pytest", ".", code=2)
    assert "did not understand" in flex("calibrate", "--pytest", "nowhere", code=2)
    project.write("test_broken.py", "import nothing_of_this_name\n")
    assert "could not run the tests" in flex("calibrate", "--pytest", ".", code=3)
    assert "no flex-bounds.toml lies at" in flex("review", "--pytest", ".", code=2)


@pytest.mark.skipif(PROGRAM is None, reason="FLEX_HARNESS does not say where the command line is")
def test_budget_is_that_of_the_bounds_file_of_pytest(project, flex):
    project.write("tests/test_it.py", TEST)
    assert "no flex-bounds.toml lies at" in flex("budget", "--pytest", "tests", code=2)
    # Where nothing is learned yet, tests can be in quarantine.
    quarantine = '[[test]]\npath = "*test_other"\nquarantine = { until = "9999-12-31", issue = "#12" }\n'
    project.write("flex.toml", quarantine)
    assert "in quarantine: *test_other, until 9999-12-31 (#12)" in flex(
        "budget", "--pytest", "tests/test_it.py::test_it"
    )
    project.write("flex.toml", 'false-alarms = "1 in 10000 runs"\n' + quarantine)
    flex("calibrate", "--pytest", "tests", "--seed", "a")
    printed = flex("budget", "--pytest", "tests", "--ci-runs", "5000")
    for words in (
        f"{project.path.name}\n",
        "tests/test_it.py::test_it ",
        "2 tests",
        "of it is spent",
        "in quarantine: *test_other, until",
        "at 5,000 runs a month",
    ):
        assert words in printed
    [suite] = json.loads(flex("budget", "--pytest", "tests", "--json"))
    assert suite["package"] is None
    assert suite["file"] == str(project.path / "flex-bounds.toml")
    assert [test["sites"] for test in suite["tests"]] == [1, 1]
    assert 0 < suite["false_alarm_rate"] <= suite["budget"] == 1e-4
    assert suite["quarantined"] == [{"path": "*test_other", "until": "9999-12-31", "issue": "#12", "holds": True}]
    # A smaller budget: too much is spent, and the hint is a command that shares it out anew.
    project.write("flex.toml", 'false-alarms = "1 in 60000 runs"\n')
    assert flex("budget", "--pytest", "tests/..", code=1).startswith(f"{project.path.name}\n")
    printed = flex("budget", "--pytest", "tests/test_it.py", code=1)
    assert "spends more than its budget" in printed
    assert "hint: `flex-harness calibrate --pytest .` shares it out anew" in printed
    flex("calibrate", "--pytest", ".", "--seed", "b")
    flex("budget", "--pytest", "tests")
    assert "--pytest PATH" in flex("budget", code=3)
