"""Searching the tests of a project with `--flex=record` and `--flex=detect`. All seeds are fixed."""

from __future__ import annotations

import re
import signal

import pytest
from pytest_flex.options import table
from searching import HEAD, interrupted, outcomes, record, values

FLAKY = (
    HEAD
    + """
def test_flaky():
    assert RandomState(42).random_sample() < 0.8

def test_sound():
    assert RandomState(42).random_sample() < 1.5
"""
)


def test_detect_finds_what_is_flaky(project):
    project.write("test_it.py", FLAKY)
    tests = record(project, mode="detect", code=1)
    flaky, sound = tests["test_flaky"], tests["test_sound"]
    assert outcomes(sound) == {"pass": len(sound["runs"])}
    # 500 runs, a fifth of which fail: fewer than 50 or more than 150 have a probability below 1e-8 under any seed.
    assert 50 < outcomes(flaky)["fail"] < 150
    assert len(flaky["runs"]) == 500
    assert "1 failed, 1 passed" in project.printed
    assert "flaky: test_it.py:8: assert RandomState(42).random_sample() < 0.8" in project.printed
    failing = next(run["index"] for run in flaky["runs"] if run["outcome"] == "fail")
    assert f"replay: pytest test_it.py::test_flaky --flex-seed=search@detect:{failing}" in project.printed
    (site,) = flaky["sites"]
    assert site["failed"] == [run["index"] for run in flaky["runs"] if run["outcome"] == "fail"]
    assert all(run["failed_site"] == 0 and "assert" in run["why"] for run in flaky["runs"] if run["outcome"] == "fail")
    assert flaky["span"] == {"line": 7, "column": 0, "end_line": 8, "end_column": 48}
    assert flaky["replay"] == {"by": "pytest", "config": None, "options": [], "hash_seed": None}
    assert project.record["root"] == str(project.path)


def test_what_repeats_a_run_is_written_down_as_facts(project):
    # Whoever adds an option that a replay needs makes it known to the record, or no record could be read.
    project.write("other.ini", "[pytest]\n")
    project.write("sub/test_it.py", FLAKY)
    options = ["--flex-vary-seeds", "--flex-fresh=module", "--flex-bounds=b.toml", "-c", "other.ini"]
    test = record(project, "--flex-runs=10", "--flex-max-runs=10", *options, mode="detect", code=1)["test_flaky"]
    facts = test["replay"]
    assert facts["config"] == "other.ini"
    given = {name for name, _ in facts["options"]}
    # What the gate's runs are repeated with, test_gate.py knows.
    others = {"flex-isolate", "flex-keep-seeds"}
    assert given == {name for _, name, option in table() if option.repeats} - others
    assert dict(facts["options"])["flex-bounds"] == "b.toml"
    test = "sub/test_it.py::test_flaky -c other.ini --flex-bounds=b.toml --flex-fresh=module"
    assert f"replay: pytest {test} --flex-vary-seeds --flex-seed=search@detect:" in project.printed


def test_record_judges_nothing(project):
    project.write("test_it.py", FLAKY)
    project.write(".gitignore", "")
    printed = project.pytest("--flex=record", "--flex-seed=search", "--flex-runs=20", "--flex-max-runs=20")
    assert "flaky:" not in printed
    assert "2 tests in 40 runs; wrote .pytest_cache/d/flex/detect.json" in printed.replace("\\", "/")
    assert (project.path / ".pytest_cache/d/flex/detect.json").exists()


def test_replay_repeats_exactly_one_run(project):
    project.write("test_it.py", FLAKY)
    test = record(project, mode="detect", code=1)["test_flaky"]
    failing = next(run["index"] for run in test["runs"] if run["outcome"] == "fail")
    passing = next(run["index"] for run in test["runs"][1:] if run["outcome"] == "pass")
    replay = re.search(r"^replay: pytest (.*)$", project.printed, re.M)
    assert replay is not None
    command = replay[1].split()
    printed = project.pytest(*command, code=1)
    assert f"assert {values(test)[failing]!r} < 0.8" in printed
    assert f"run {failing} of the search failed" in printed
    number = printed.split("the seed 42 stands for ")[1].split()[0]
    # The number that stood for the seed can be written in its place.
    project.write("test_plain.py", FLAKY.replace("42", number))
    assert f"assert {values(test)[failing]!r} < 0.8" in project.pytest("test_plain.py", "-k", "flaky", code=1)
    assert f"{values(test)[passing]:g}" in project.pytest(command[0], f"--flex-seed=search@detect:{passing}")
    # Run 0 is the test as it is written, for all tests that are selected.
    printed = project.pytest("test_it.py", "--flex-seed=search@detect:0")
    assert "the seed 42 stands for 42" in printed
    assert "2 passed" in printed
    assert f"{values(test)[0]:g}" in printed


def test_workers_of_xdist_find_the_same(project):
    project.write("test_it.py", FLAKY + "\n@pytest.mark.skip(reason='no')\ndef test_skipped():\n    pass\n")
    alone = record(project, mode="detect", code=1)
    together = record(project, "-n2", mode="detect", code=1)
    assert "flaky: test_it.py:8" in project.printed
    for tests in (alone, together):
        for test in tests.values():
            del test["seconds_per_run"]
            test["repeats"] = sorted(test["repeats"], key=str)
    assert together == alone


def test_options_end_a_search(project):
    project.write("test_it.py", FLAKY)
    fast = record(project, "--flex-fast")
    assert len(fast["test_flaky"]["runs"]) < 100
    runs = record(project, "--flex-runs=40", "--flex-max-runs=50", "--flex-step=5")
    assert len(runs["test_flaky"]["runs"]) == 50
    # Plain variances converge at once; that a failure rate of 2 % is excluded is asked for all the same.
    paper = record(project, "--flex-geweke=paper", "-k", "sound")
    assert 228 <= len(paper["test_sound"]["runs"]) < 250
    # A bound far beyond all values may end a test on the word of the fitted tail, where that is asked for.
    project.write("test_far.py", FLAKY.replace("1.5", "50"))
    counted = record(project, "-k", "sound", "test_far.py")
    assert len(counted["test_sound"]["runs"]) >= 228
    tail = record(project, "--flex-tail=1e-4", "-k", "sound", "test_far.py")
    assert len(tail["test_sound"]["runs"]) < 200
    catch = record(project, "--flex-catch=0.1", "-k", "sound")
    assert len(catch["test_sound"]["runs"]) < 100
    project.write("test_slow.py", "import time\n\ndef test_slow():\n    time.sleep(0.05)\n")
    slow = record(project, "--flex-time-budget=5s", "test_slow.py")
    assert 1 < len(slow["test_slow"]["runs"]) < 100


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--flex-catch=2", "--flex-catch=2 is not a number above 0 and below 1"),
        ("--flex-probability=no", "--flex-probability=no is not a number above 0 and below 1"),
        ("--flex-threshold=-1", "--flex-threshold=-1 is not a number above 0"),
        ("--flex-step=0", "--flex-step=0 is not a whole number of at least 1"),
        ("--flex-geweke=book", "--flex-geweke=book is not one of standard, paper"),
        ("--flex-record=no/such/file", "--flex-record=no/such/file: there is no such folder"),
        ("--flex-record=.", "--flex-record=.: this is no file"),
        ("--flex-seed=x@detect:3", "a search has a base seed, not a single run"),
        ("--flex-isolate", "--flex-isolate cannot be used with --flex=record or detect"),
        ("--pdb", "replay it with pytest NODE_ID --flex-seed=SEED@detect:RUN --pdb"),
    ],
)
def test_bad_options_are_usage_errors(project, option, words):
    project.write("test_it.py", "def test_it():\n    pass\n")
    assert words in project.pytest("--flex=detect", option, code=4)


def test_a_search_says_what_it_leaves_out_and_switches_off(project):
    project.write("test_it.py", "def test_it():\n    pass\n")
    project.write(
        "conftest.py",
        """
import pytest

class Other(pytest.Item):
    def runtest(self):
        pass

class Others(pytest.File):
    def collect(self):
        yield Other.from_parent(self, name="other")

def pytest_collect_file(file_path, parent):
    if file_path.suffix == ".yaml":
        return Others.from_parent(parent, path=file_path)
""",
    )
    project.write("test_it.yaml", "")
    record(project, "--flex-runs=3", "--flex-max-runs=3")
    words = "left out what is neither a test function nor a doctest: 1 item, such as test_it.yaml::other"
    assert words in project.printed
    assert "1 deselected" in project.printed
    # A module of that name stands for the plugin: what counts is that pytest has one by its name.
    project.write("rerunfailures.py", "")
    for other in ("no:rerunfailures", "rerunfailures"):
        record(project, "-p", other, "--flex-runs=3", "--flex-max-runs=3")
        marker = None if other.startswith("no:") else other
        assert project.record["rerun_marker"] == marker
        assert ("pytest-rerunfailures is off" in project.printed) == (marker is not None)


def test_interrupting_keeps_what_there_is(project):
    project.write(
        "test_it.py",
        """
import time

def test_quick():
    time.time()

def test_slow():
    open("started", "a").write("x")
    time.sleep(0.01)
    if len(open("started").read()) > 20:
        open("ready", "w").close()
        time.sleep(60)
""",
    )
    _, tests = interrupted(project, "--flex=record", by=signal.SIGINT)
    assert len(tests["test_quick"]["runs"]) > 100
    assert outcomes(tests["test_slow"]) == {"pass": 20}


def test_nothing_is_loaded_in_other_modes(project):
    project.write(
        "conftest.py",
        """
import sys

def pytest_sessionfinish():
    loaded = sorted(name for name in sys.modules if name.startswith("pytest_flex."))
    print("LOADED", loaded)
""",
    )
    project.write("test_it.py", "def test_it():\n    pass\n")
    assert "LOADED ['pytest_flex.options', 'pytest_flex.plugin']" in project.pytest("-s", fresh=True)


def test_all_runs_are_made_of_fixed_tests_if_asked_for(project):
    project.write("test_it.py", "def test_fixed():\n    assert sorted([2, 1]) == [1, 2]\n")
    options = ("--flex-runs=20", "--flex-max-runs=20")
    assert len(record(project, *options)["test_fixed"]["runs"]) < 20
    assert len(record(project, *options, "--flex-full")["test_fixed"]["runs"]) == 20
