"""`flex-harness trace` on real tests of pytest, and what is done with a trace. `cargo xtask test` says where it is."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess

import pytest

PROGRAM = os.environ.get("FLEX_HARNESS")
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="FLEX_HARNESS does not say where the command line is")

TESTS = """
import datetime
import random
import threading
import time

def test_fixed():
    assert sum(range(10)) == 45

def test_clock():
    assert datetime.datetime.now().year > 2000

def test_slow():
    time.sleep(0.2)

def test_thread():
    thread = threading.Thread(target=len, args=("",))
    thread.start()
    thread.join()

def test_drawn():
    assert random.random() < 2
"""

LABELS = """test,flaky,cause
test_it.py::test_fixed,no,
test_it.py::test_clock,yes,time
test_it.py::test_slow,no,
test_it.py::test_thread,yes,concurrency
test_it.py::test_drawn,no,
"""


@pytest.fixture
def flex(project, monkeypatch):
    """Run flex-harness in the project, with this Python first on the path; returns what it printed as data."""
    monkeypatch.setenv("PATH", str(project.warm.folder), prepend=os.pathsep)
    project.write("test_it.py", TESTS)

    def run(*args: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [str(PROGRAM), *args],
            cwd=project.path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return run


def test_a_trace_says_which_tests_can_vary_and_where(project, flex):
    report = json.loads(flex("trace", "--pytest", ".", "--json").stdout)
    tests = {test["name"].split("::")[1]: test for test in report["tests"]}
    assert tests["test_fixed"]["variability"] == "fixed"
    assert tests["test_clock"]["variability"] == tests["test_thread"]["variability"] == "can vary"
    [touch] = tests["test_clock"]["touches"]
    assert (touch["cause"], touch["file"], touch["line"]) == ("time", "test_it.py", 11)
    assert report["totals"]["tests"] == 5
    assert (project.path / ".pytest_cache/d/flex/trace.json").is_file()
    table = flex("trace", "--pytest", ".", "-k", "clock or fixed", "--out", "here.json").stdout
    assert "at test_it.py:11" in table
    assert "2 tests in" in table
    assert max(map(len, table.splitlines())) <= 80
    assert len(json.loads((project.path / "here.json").read_text())["tests"]) == 2


def test_what_cannot_be_read_is_not_overwritten(project, flex):
    file = project.write("here.json", "{}")
    assert "error: " in flex("trace", "--pytest", ".", "--out", "here.json", code=2).stderr
    assert file.read_text() == "{}"
    flex("detect", "--pytest", ".", "--runs", "2", "--max-runs", "2", "--record", "detect.json")
    said = flex("trace", "learn", "detect.json", code=2).stderr
    assert "detect.json: it is the record of a search, no trace" in said
    assert "--outcomes" in said
    assert "holds no tests to trace" in flex("trace", "--pytest", ".", "-k", "nothing", code=2).stderr


def test_functions_are_learned_from_and_strategies_priced(project, flex):
    table = flex("trace", "--pytest", ".", "--full", "--csv", "--out", "trace.json").stdout
    rows = list(csv.DictReader(io.StringIO(table)))
    called = {(row["test"], row["class"], row["function"]) for row in rows}
    assert ("test_clock", "type", "now") in called
    drawn = {function for test, _, function in called if test == "test_drawn"}
    assert drawn == {"test_drawn", "random"}, "nothing of flex itself is traced"
    project.write("labels.csv", LABELS)
    learned = json.loads(flex("trace", "learn", "trace.json", "--outcomes", "labels.csv", "--json").stdout)
    published = next(row for row in learned["strategies"] if row["strategy"] == "published list")
    assert published["all"]["flaky_exposed"] == 2
    assert learned["flaky"] == 2
    assert learned["unexposed"] == []
    plan = json.loads(flex("plan", "campaign", "--from", "trace.json", "--json").stdout)
    prices = {row["strategy"]: row["at"][-1] for row in plan["projects"][0]["strategies"]}
    assert prices["selected"]["tests"] < prices["everything"]["tests"] == 5
    assert prices["probes"]["expected_runs"] < prices["everything"]["expected_runs"]


def test_a_search_begins_with_the_smallest(project, flex):
    search = ["detect", "--pytest", ".", "--seed", "a", "--runs", "2", "--max-runs", "2", "--order", "smallest-first"]
    flex(*search)
    assert (project.path / ".pytest_cache/d/flex/trace.json").is_file(), "the first runs say how long tests take"
    printed = project.pytest("--flex=record", "--flex-runs=2", "--flex-max-runs=2", "--flex-smallest-first", "-v")
    order = [line.split("::")[1].split()[0] for line in printed.splitlines() if line.startswith("test_it.py::")]
    assert order[-1] == "test_slow"
    assert len(order) == 5
    assert "is for --flex=record or detect" in project.pytest("--flex-smallest-first", code=4)
