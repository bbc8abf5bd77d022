"""The gate on a real repository with tests of pytest. `cargo xtask test` builds the command and says where it is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

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
    project.write(".gitignore", ".pytest_cache\n__pycache__\n")

    git("init", "-q", "-b", "main", cwd=project.path)
    commit(project.path)

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


def commit(path: Path) -> None:
    """Commit all that there is."""
    git("add", "-A", cwd=path)
    git("commit", "-q", "-m", "so far", cwd=path)


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
    # What the trials showed is there to be looked at.
    report = json.loads(repository("report", "--pytest", "tests", "--format", "json"))
    shown = {test["name"]: test["sites"] for test in report["suites"][0]["tests"]}
    assert [site["verdict"] for site in shown["tests/test_it.py::test_fresh"]] == ["flaky"]


def test_shards_find_what_one_machine_finds(project, repository):
    project.replace("package.py", "return random.random()", "return 1.0 * random.random()")
    project.replace("tests/test_it.py", "draw() < 2", "draw() < 0.7")

    def check(*args, code=0):
        return repository("gate", "check", "--pytest", "tests", "-n", "60", *args, code=code)

    def found(printed):
        return [
            {name: value for name, value in test.items() if name != "seconds"} for test in json.loads(printed)["tests"]
        ]

    one_machine = found(check("-s", "a", "--json", code=1))
    assert [test["blocks"] for test in one_machine] == [True, False]
    check("-s", "a", "--shard", "1/2", "--out", "parts")
    # The second was lost, and a plan names what it did not make.
    check("--from", "parts", code=5)
    check("--shard", "1/1", "--out", "parts", "--plan", "parts/plan.json")
    assert found(check("--from", "parts", "--json", code=1)) == one_machine
    # What assertions see is compared from shards as well.
    compared = json.loads(check("-s", "a", "--compare", "--json", code=1))["compared"]
    for number in ("1/2", "2/2"):
        check("-s", "a", "--compare", "--shard", number, "--out", "both")
    assert json.loads(check("--from", "both", "--compare", "--json", code=1))["compared"] == compared
    # Shards that compared nothing are not enough.
    check("--from", "parts", "--compare", code=5)


def test_a_shard_that_is_interrupted_is_not_whole(project, repository, monkeypatch):
    # The signal is for Python itself, and not for whoever forks it.
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    project.write(".gitignore", ".pytest_cache\n__pycache__\nparts\nselected.json\nbegun\n")
    slow = "open('begun', 'a').write('.')\n    time.sleep(0.2)\n    "
    project.replace("tests/test_it.py", "assert package.draw() < 2", slow + "assert package.draw() < 2")
    check = ["gate", "check", "--pytest", "tests", "-n", "15"]
    shard = [*check, "-s", "a", "--shard", "1/1", "--out", "parts"]
    assert PROGRAM is not None
    with subprocess.Popen([PROGRAM, *shard], cwd=project.path, stdin=subprocess.DEVNULL) as making:
        begun = project.path / "begun"
        deadline = time.monotonic() + 60
        # In the middle of its runs.
        while not (begun.exists() and begun.stat().st_size > 2) and time.monotonic() < deadline:
            time.sleep(0.05)
        making.terminate()
    assert making.returncode == 130
    repository(*check, "--from", "parts", code=5)
    repository(*shard)
    assert "15 runs" in repository(*check, "--from", "parts")


@pytest.mark.parametrize("ending", ["import nowhere\n", "del test_fresh\n"])
def test_shards_know_of_an_old_version_what_one_machine_knows(project, repository, ending):
    file = project.path / "tests/test_it.py"
    tests = file.read_text(encoding="utf-8")
    project.write("tests/test_it.py", tests + ending)
    commit(project.path)
    project.write("tests/test_it.py", tests.replace("draw() < 2", "draw() < 0"))
    check = ["gate", "check", "--pytest", "tests", "-n", "3"]

    def found(printed):
        return [(test["test"], test["result"], test["blocks"]) for test in json.loads(printed)["tests"]]

    one_machine = found(repository(*check, "-s", "a", "--json", code=1))
    assert ("tests/test_it.py::test_fresh", True) in [(name, blocks) for name, _, blocks in one_machine]
    repository(*check, "-s", "a", "--shard", "1/1", "--out", "parts")
    assert found(repository(*check, "--from", "parts", "--json", code=1)) == one_machine


def test_the_base_imports_its_own_package_from_wherever_it_is_installed(project, repository, monkeypatch):
    (project.path / "lib").mkdir()
    (project.path / "package.py").rename(project.path / "lib/package.py")
    project.write("pyproject.toml", "[tool.pytest.ini_options]\n")
    # As an installation in editable mode puts it on the path.
    monkeypatch.setenv("PYTHONPATH", str(project.path / "lib"))
    project.replace("lib/package.py", "return random.random()", "return 0.1")
    commit(project.path)
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


STOCHASTIC = """
import pytest
import package
from pytest_flex import learned, stochastic

@stochastic
@pytest.mark.parametrize("factor", [1, 2])
def test_error(factor):
    assert factor * sum(package.draw() for _ in range(12)) < learned()
"""


def test_stochastic_tests_are_selected_by_replay_and_compared(project, repository):
    project.write("tests/test_stochastic.py", STOCHASTIC)
    project.calibrate("tests/test_stochastic.py")
    commit(project.path)
    # Other words for the same numbers.
    project.replace("package.py", "return random.random()", "return 0 + random.random()")
    select = ["gate", "select", "--pytest", "tests"]
    found = json.loads(repository(*select, "--json"))
    assert found["replayed"] == ["tests/test_stochastic.py::test_error"]
    assert [test["id"] for test in found["tests"]] == ["tests/test_it.py::test_fresh", "tests/test_it.py::test_old"]
    assert "test_stochastic.py::test_error\n    reaches" in repository(*select, "--no-replay")
    # Other numbers.
    project.replace("package.py", "return 0 + random.random()", "return 0.2 + random.random()")
    commit(project.path)
    checked = repository(
        "gate", "--pytest", "tests", "--commits", "HEAD~1", "HEAD", "-n", "3", "--compare", "-s", "a", code=1
    )
    assert "different, worse" in checked
    assert "test_stochastic.py::test_error[1]" in checked
    # What is not checked out is not run.
    repository(*select, "--commits", "HEAD", "HEAD~1", code=2)


CLASSES = """
class A:
    def run(self):
        return 1

class B:
    def run(self):
        return 2
"""
OF_CLASSES = """
import classes

def test_a():
    assert classes.A().run() == 1

def test_b():
    assert classes.B().run() > 1
"""


def test_what_was_seen_to_be_executed_is_known_better_than_names(project, repository):
    project.write("classes.py", CLASSES)
    project.write("tests/test_classes.py", OF_CLASSES)
    commit(project.path)
    select = ["gate", "select", "--pytest", "tests"]
    both = "tests/test_classes.py::test_a\n    reaches classes.py:B.run\n"
    executed = "tests/test_classes.py::test_b\n    executes classes.py:B.run\n"
    repository("trace", "--full", "--pytest", "tests")
    project.replace("classes.py", "return 2", "return 3")
    assert repository(*select) == executed
    # The trace is of other sources than those before the next change.
    commit(project.path)
    project.replace("classes.py", "return 3", "return 4")
    assert both in repository(*select)


def test_what_people_state_and_what_failed_last_selects(project, repository):
    project.write("rules.json", json.dumps({"tests/test_it.py": ["notes.txt"]}))
    project.write("notes.txt", "a")
    commit(project.path)
    select = ["gate", "select", "--pytest", "tests"]
    project.write("notes.txt", "b")
    assert repository(*select) == ""
    stated = repository(*select, "--dependencies", "rules.json")
    assert stated.count("depends on notes.txt") == 4
    for wrong in ["{", '{"a.py": "b.py"}', "[]"]:
        project.write("rules.json", wrong)
        repository(*select, "--dependencies", "rules.json", code=2)
    git("checkout", "-q", ".", cwd=project.path)
    project.replace("tests/test_it.py", "assert True", "assert False")
    project.pytest("tests", "-k", "nothing or steady", code=1)
    git("checkout", "-q", ".", cwd=project.path)
    failed = "tests/test_it.py::test_nothing\n    failed when it was run last\n"
    assert repository(*select, "--last-failed") == failed


def test_servers_are_told_in_their_ways(project, repository, monkeypatch):
    project.replace("tests/test_it.py", "draw() < 2", "draw() < 0.7")
    project.replace("tests/test_it.py", "steady() == 1", "steady() == 2")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(project.path))
    written = ["--junit", "gate.xml", "--summary", "summary.md"]
    project.write("summary.md", "of another step\n")
    # That none of 60 runs fails happens once in 10^9.
    said = repository("gate", "--pytest", "tests", "-n", "60", "-s", "a", *written, code=1)
    line = "::error file=tests/test_it.py,line=11,title=tests/test_it.py%3A%3Atest_fresh%3A flaky::"
    assert line in said
    (suite,) = ElementTree.parse(project.path / "gate.xml").getroot()
    cases = {case.get("name").split("::")[1]: case for case in suite}
    assert set(cases) == {"test_steady", "test_fresh"}
    assert cases["test_fresh"].find("failure").get("type") == "flaky"
    assert "--flex-seed=a@detect:" in cases["test_fresh"].find("failure").text
    assert cases["test_steady"].find("failure").get("type") == "fails"
    summary = (project.path / "summary.md").read_text()
    assert summary.startswith("of another step\n")
    assert "`tests/test_it.py::test_fresh` | **flaky**" in summary


def test_a_test_that_only_hashes_break_is_flaky_and_others_are_run_twice(project, repository):
    names = "{'alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta'}"
    # The order of a search that is told no other.
    command = [sys.executable, "-c", f"print(list({names}))"]
    order = subprocess.run(command, env={"PYTHONHASHSEED": "0"}, capture_output=True, text=True, check=True).stdout
    tests = f"def test_order():\n    assert list({names}) == {order}\ndef test_steady():\n    pass\n"
    project.write("tests/test_hashes.py", tests)
    said = repository("check", "tests/test_hashes.py::test_order", "tests/test_hashes.py::test_steady", code=1)
    assert "flaky: 1 of 2 runs failed" in said
    assert "another order of hashes" in said
    assert "fixed: nothing in it varies; 2 runs" in said


def test_a_time_bank_pays_for_what_it_has_to_measure(project, repository):
    project.replace("tests/test_it.py", "    assert True", "    time.sleep(600)")
    began = time.monotonic()
    tests = ["test_it.test_nothing", "test_it.test_steady", "test_it.test_fresh"]
    said = repository("check", *tests, "--time-bank", "20s", "-n", "3")
    # What takes longer than its share of the time is not begun, and leaves enough of it for the others.
    assert "test_nothing\n    not begun: the time was up" in said
    assert "test_fresh\n    stable so far: 3 runs" in said
    assert time.monotonic() - began < 60


GUIDE = Path(__file__).parents[2] / "docs/guide/gate.md"


@pytest.mark.skipif(not GUIDE.exists(), reason="the guide is not part of a released package")
def test_the_workflow_of_the_guide_runs(project, repository, monkeypatch):
    github = re.findall(r"```yaml\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.S)[0]
    # As a server has a pull request: a branch, and another of the remote repository that it is to be merged into.
    git("clone", "-q", "--bare", ".", "origin.git", cwd=project.path)
    git("remote", "add", "origin", "origin.git", cwd=project.path)
    git("fetch", "-q", "origin", cwd=project.path)
    git("checkout", "-q", "-b", "work", cwd=project.path)
    git("branch", "-q", "-D", "main", cwd=project.path)
    project.replace("package.py", "return 1", "return 3 - 2")
    git("commit", "-q", "-a", "-m", "work", cwd=project.path)
    (command,) = re.findall(r"run: (flex-harness .*)", github)
    monkeypatch.setenv("GITHUB_BASE_REF", "main")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(project.path / "summary.md"))
    monkeypatch.setenv("PATH", str(Path(PROGRAM or "").parent), prepend=os.pathsep)
    done = subprocess.run(["sh", "-ec", command], cwd=project.path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "| `tests/test_it.py::test_steady` | fixed |" in (project.path / "summary.md").read_text()
