"""The gate on a real repository with tests of pytest. `cargo xtask test` builds the command and says where it is."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

PROGRAM = os.environ.get("FLEX_HARNESS")

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="FLEX_HARNESS does not say where the command line is")

PACKAGE = """
import random

def steady():
    return helper()

def helper():
    return 1

def draw():
    return random.random()
"""

TESTS = """
import time
import package

def test_steady():
    assert package.steady() == 1

def test_old():
    assert package.draw() < 0.7

def test_fresh():
    assert package.draw() < 2

def test_nothing():
    assert True
"""


@pytest.fixture
def repository(project, monkeypatch):
    """Run flex-harness in a repository, with this Python first on the path."""
    monkeypatch.setenv("PATH", str(project.warm.folder), prepend=os.pathsep)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    project.write("pyproject.toml", '[tool.pytest.ini_options]\npythonpath = ["."]\n')
    project.write("package.py", PACKAGE)
    project.write("tests/test_it.py", TESTS)
    project.write(".gitignore", ".pytest_cache\n__pycache__\n.flex\n")

    git("init", "-q", "-b", "main", cwd=project.path)
    git("add", "-A", cwd=project.path)
    git("commit", "-q", "-m", "begin", cwd=project.path)

    def flex(*args: str, code: int = 0) -> str:
        assert PROGRAM is not None
        done = subprocess.run(
            [PROGRAM, *args], cwd=project.path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    return flex


def git(*args: str, cwd: Path) -> None:
    """Run git as somebody."""
    who = ["-c", "user.name=tests", "-c", "user.email=tests@localhost", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *args], cwd=cwd, check=True, capture_output=True)


def test_new_flakiness_blocks_and_old_is_named(project, repository):
    assert repository("gate", "--pytest", "tests") == ""
    project.replace("package.py", "return random.random()", "return 1.0 * random.random()")
    project.replace("tests/test_it.py", "draw() < 2", "draw() < 0.7")
    selected = repository("gate", "select", "--pytest", "tests")
    assert "test_fresh\n    is changed" in selected
    assert "test_old\n    reaches package.py:draw" in selected
    assert "test_steady" not in selected
    # That none of 60 runs fails happens once in 10^9; the other test failed before, too.
    printed = repository("gate", "--pytest", "tests", "-n", "60", "-s", "a", "--json", code=1)
    found = {test["test"]: test for test in json.loads(printed)["tests"]}
    old, fresh = found["tests/test_it.py::test_old"], found["tests/test_it.py::test_fresh"]
    assert (old["blocks"], old["result"]["before"]["state"]) == (False, "failed")
    assert (fresh["blocks"], fresh["result"]["before"]["state"]) == (True, "stable")
    assert "--flex-keep-seeds --flex-seed=a@detect:" in fresh["replay"]


def test_the_base_imports_its_own_package_from_wherever_it_is_installed(project, repository, monkeypatch):
    (project.path / "lib").mkdir()
    (project.path / "package.py").rename(project.path / "lib/package.py")
    project.write("pyproject.toml", "[tool.pytest.ini_options]\n")
    # As an installation in editable mode puts it on the path.
    monkeypatch.setenv("PYTHONPATH", str(project.path / "lib"))
    project.replace("lib/package.py", "return random.random()", "return 0.1")
    git("add", "-A", cwd=project.path)
    git("commit", "-q", "-m", "move", cwd=project.path)
    project.replace("lib/package.py", "return 0.1", "return random.random()")
    # That none of 60 runs fails happens once in 10^9.
    printed = repository("gate", "--pytest", "tests", "-n", "60", "-s", "a", "--json", code=1)
    (old,) = [test for test in json.loads(printed)["tests"] if test["test"].endswith("test_old")]
    assert (old["blocks"], old["result"]["before"]["state"]) == (True, "stable")


def test_tests_are_checked_by_any_of_their_names(project, repository):
    for name in ["tests/test_it.py::test_old", "tests/test_it.py:test_old", "test_it.test_old"]:
        assert "flaky: " in repository("check", name, "-n", "60", code=1)
    assert "nothing in it varies" in repository("check", "tests/test_it.py::test_nothing")
    assert "30 runs, < 9.5% at 95%" in repository("check", "test_it.test_fresh", "-n", "30")


def test_a_run_that_hangs_is_a_finding(project, repository, monkeypatch):
    project.replace("tests/test_it.py", "    assert True", "    time.sleep(600)")
    check = ["check", "tests/test_it.py::test_nothing", "tests/test_it.py::test_fresh", "-n", "3", "--timeout", "1s"]
    repository(*check, code=1)
    repository(*check, "--jobs", "2", code=2)
    # The workers of a project that asks for them are gone with what they saw.
    monkeypatch.setenv("PYTEST_ADDOPTS", "--numprocesses=2")
    repository(*check, code=1)
