"""`--flex=trace`: every test is run once, and what came of it is written down."""

from __future__ import annotations

import json

SUITE = """
import pytest
from pytest_flex import learned, stochastic

def test_passes():
    pass

def test_fails():
    assert 1 == 2

@pytest.mark.skip(reason="no")
def test_skipped():
    pass

@pytest.mark.xfail
def test_expected_to_fail():
    assert 1 == 2

@pytest.fixture
def broken():
    raise ValueError("no")

def test_without_fixture(broken):
    pass

@stochastic
def test_stochastic(flex_rng):
    assert flex_rng.random() < learned()
"""


def trace(project, *args, code=1):
    project.printed = project.pytest("--flex=trace", "--flex-record=trace.json", *args, code=code)
    found = json.loads((project.path / "trace.json").read_text(encoding="utf-8"))
    assert (found["version"], found["harness"]) == (2, "pytest")
    return found


def outcomes(found):
    return {test["name"].split("::")[1]: test["outcome"] for test in found["tests"]}


EXPECTED = {
    "test_passes": "pass",
    "test_fails": "fail",
    "test_skipped": "skip",
    "test_expected_to_fail": "skip",
    "test_without_fixture": "fail",
    "test_stochastic": "pass",
}


def test_every_test_is_run_once_and_written_down(project):
    project.write("test_it.py", SUITE)
    found = trace(project)
    assert outcomes(found) == EXPECTED
    assert "2 passed" in project.printed
    assert "flex: 6 tests traced; wrote trace.json" in project.printed
    assert found["root"] == str(project.path)
    assert not found["is_full"]
    assert all("functions" not in test for test in [found, *found["tests"]])
    assert all(test["seconds"] >= 0 for test in found["tests"])


def test_workers_of_xdist_trace_together(project):
    project.write("test_it.py", SUITE)
    found = trace(project, "-n2", "--flex-calls")
    assert outcomes(found) == EXPECTED
    assert found["is_full"]
    names = [function["function"] for function in found["functions"]]
    for test in found["tests"]:
        name = test["name"].split("::")[1]
        if test["outcome"] == "pass" or name == "test_fails":
            assert name in [names[number] for number, _ in test["functions"]]
    assert [source["file"] for source in found["files"]] == ["test_it.py"]


def test_a_place_for_the_trace_is_asked_for_before_tests_are_run(project):
    project.write("test_it.py", SUITE)
    printed = project.pytest("--flex=trace", "--flex-record=nowhere/trace.json", code=4)
    assert "--flex-record=nowhere/trace.json: there is no such folder" in printed
    printed = project.pytest("--flex=trace", "-p", "no:cacheprovider", code=4)
    assert "give --flex-record=FILE" in printed
    project.pytest("--flex=trace", code=1)
    assert (project.path / ".pytest_cache/d/flex/trace.json").exists()


def test_calls_are_looked_at_by_a_trace_alone(project):
    project.write("test_it.py", SUITE)
    assert "--flex-calls is for --flex=trace" in project.pytest("--flex-calls", code=4)


TOUCHING = """
import random, time
import pytest

@pytest.fixture(scope="module")
def shared():
    return time.time()

@pytest.fixture
def own():
    yield random.random()
    time.sleep(0)

def test_first(shared):
    pass

def test_second(shared):
    pass

@pytest.mark.parametrize("name", ["shared"])
def test_by_name(name, request):
    request.getfixturevalue(name)

def test_own(own):
    pass

def test_fixed():
    assert sorted([2, 1]) == [1, 2]
"""


def test_what_fixtures_touch_is_touched_by_every_test_that_has_them(project):
    project.write("test_it.py", TOUCHING)
    found = trace(project, code=0)
    touches = {test["name"].split("::")[1]: test["probe"] for test in found["tests"]}
    causes = {name: {(touch["cause"], touch.get("line")) for touch in all} for name, all in touches.items()}
    assert causes["test_first"] == causes["test_second"] == causes["test_by_name[shared]"] == {("time", 7)}
    assert causes["test_own"] == {("randomness", 11), ("async-wait", 12)}
    assert touches["test_fixed"] == []


PROTOCOLS = """
import pytest
from _pytest.runner import runtestprotocol

def reported(item, reports):
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    return True

def pytest_runtest_protocol(item):
    if item.name == "test_elsewhere":
        # As plugins do that run a test in another process.
        phases = ("setup", "call", "teardown")
        passed = (pytest.TestReport(item.nodeid, item.location, {}, "passed", None, phase) for phase in phases)
        return reported(item, passed)
    if item.name == "test_again":
        reports = runtestprotocol(item, log=False)
        return reported(item, reports) and reported(item, runtestprotocol(item, log=False))
"""

OTHERWISE_RUN = """
import time
import pytest

def test_elsewhere():
    time.time()

made = []

def test_again():
    made.append(1)
    if len(made) == 1:
        time.time()
        raise ValueError("the first time")

def test_fixed():
    pass

@pytest.mark.skip
def test_skipped():
    time.time()
"""


def test_other_plugins_may_run_tests_again_or_elsewhere(project):
    project.write("conftest.py", PROTOCOLS)
    project.write("test_it.py", OTHERWISE_RUN)
    found = {test["name"].split("::")[1]: test for test in trace(project)["tests"]}
    # Nobody saw what it touches.
    assert "probe" not in found["test_elsewhere"]
    # All its runs count, and the last one says how it ended.
    assert [touch["cause"] for touch in found["test_again"]["probe"]] == ["time"]
    assert found["test_again"]["outcome"] == "pass"
    assert found["test_fixed"]["probe"] == found["test_skipped"]["probe"] == []
