"""Old and new code under the same seeds, over real histories: `flex-harness compare` and `bisect`."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

PROGRAM = os.environ.get("FLEX_HARNESS")
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="FLEX_HARNESS does not say where the command line is")

PACKAGE = "SHIFT = 0.0\n\ndef error(rng):\n    return sum(rng.random() for _ in range(12)) - 6 + SHIFT\n"

TESTS = """
import random
from sampler import error

def test_error():
    assert error(random.Random(5)) < 4

def test_same():
    assert random.Random(7).random() < 2

def test_clock():
    import time
    assert time.perf_counter_ns() > 0
"""


@pytest.fixture
def flex(project, monkeypatch):
    """Run flex-harness in the project, a repository with a package in `src`, and Python first on the path."""
    monkeypatch.setenv("PATH", str(project.warm.folder), prepend=os.pathsep)
    monkeypatch.setenv("PYTHONPATH", "src")
    project.write("src/sampler/__init__.py", PACKAGE)
    project.write("tests/test_it.py", TESTS)
    project.write("pytest.ini", "[pytest]\n")
    project.write(".gitignore", "__pycache__\n.pytest_cache\n")
    git(project, "init", "-q")
    commit(project, "first")

    def run(*args: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        assert PROGRAM is not None
        done = subprocess.run(
            [PROGRAM, *args], cwd=project.path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return run


def git(project, *args: str) -> str:
    """Run git in the project."""
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *args]
    return subprocess.run(command, cwd=project.path, check=True, capture_output=True, text=True).stdout


def commit(project, message: str) -> str:
    """Commit all that there is, and return the hash."""
    git(project, "add", "-A")
    git(project, "commit", "-q", "--allow-empty", "-m", message)
    return git(project, "rev-parse", "HEAD").strip()


def test_an_unannotated_suite_is_compared(project, flex):
    project.replace("src/sampler/__init__.py", "SHIFT = 0.0", "SHIFT = 0.5")
    # The seed is fixed.
    said = flex("compare", "--base", "HEAD", "--pytest", "tests", "--seed", "a", "--max-pairs", "40", "--json", code=1)
    compared = json.loads(said.stdout)
    verdicts = {test["name"]: [series["verdict"] for series in test["series"]] for test in compared["tests"]}
    assert verdicts["tests/test_it.py::test_error"] == ["worse"]
    assert verdicts["tests/test_it.py::test_same"] == ["identical"]
    same = next(test for test in compared["tests"] if test["name"].endswith("test_same"))
    assert same["pairs"] == 3
    clock = next(test for test in compared["tests"] if test["name"].endswith("test_clock"))
    assert "under the same seed" in clock["uncontrolled"]
    assert git(project, "status", "--porcelain") == " M src/sampler/__init__.py\n"
    assert json.loads((project.path / ".pytest_cache/d/flex/compare.json").read_text()) == compared


def test_a_commit_that_moved_it_is_found(project, flex):
    for message in ("second", "broken", "moved", "redrawn", "last"):
        if message == "broken":
            project.replace("src/sampler/__init__.py", "def error", "def error((")
        if message == "moved":
            project.replace("src/sampler/__init__.py", "def error((", "def error")
            project.replace("src/sampler/__init__.py", "SHIFT = 0.0", "SHIFT = 1.0")
        if message == "redrawn":
            project.replace("src/sampler/__init__.py", "    return", "    rng.random()\n    return")
        project.write("notes", message)
        commit(project, message)
    said = flex("bisect", "tests/test_it.py::test_error", "--good", "HEAD~5", "--bad", "HEAD", "--seed", "a", "--json")
    found = json.loads(said.stdout)
    # The broken commit, which git may look at, cannot be told from the one that mends it.
    moved = git(project, "rev-parse", "HEAD~2").strip()
    assert moved in found["first_moved"]
    assert len(found["first_moved"]) <= 2
    assert git(project, "status", "--porcelain") == ""


def test_shards_decide_what_one_machine_decides(project, flex):
    project.write("tests/test_more.py", TESTS.split("def test_clock")[0].replace("_error", "_other"))
    project.replace("tests/test_it.py", "time.perf_counter_ns()", "1")
    commit(project, "second")
    project.replace("src/sampler/__init__.py", "SHIFT = 0.0", "SHIFT = 0.5")

    def compare(*args: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        return flex("compare", "--pytest", "tests", "--base", "HEAD", *args, code=code)

    def found(done: subprocess.CompletedProcess[str]) -> list[dict]:
        return json.loads(done.stdout)["tests"]

    one_machine = found(compare("--seed", "s", "--json", code=1))
    assert len(one_machine) == 5
    for number in ("1/3", "2/3"):
        compare("--seed", "s", "--shard", number, "--out", "parts")
    lost = compare("--from", "parts", code=5).stderr
    assert "missing: shard 3/3; to make it:" in lost
    assert "--shard 3/3 --out parts" in lost
    compare("--seed", "s", "--shard", "3/3", "--out", "parts")
    assert found(compare("--from", "parts", "--json", code=1)) == one_machine
    compare("--from", "parts", "--time-budget", "9s", code=2)
    assert "3 to 1000 pairs" in compare("--from", "parts", "--pairs", "9", code=2).stderr
