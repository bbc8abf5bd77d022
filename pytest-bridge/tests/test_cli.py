"""The command line of flex drives pytest. `cargo xtask test` builds it and says where it is."""

from __future__ import annotations

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
