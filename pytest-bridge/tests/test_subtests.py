"""Subtests are cases of their test: each has what it saw, and the one that fails is named. All seeds are fixed."""

from __future__ import annotations

import os
import subprocess
from typing import Any

import pytest
from searching import HEAD, outcomes, record

PROGRAM = os.environ.get("FLEX_HARNESS")
RUNS = ("--flex-runs=30", "--flex-max-runs=30")

UNITTEST = """
class TestSub(unittest.TestCase):
    def test_it(self):
        for scale in (0.5, 1.1):
            with self.subTest("drawn", scale=scale):
                self.assertLess(scale * random.random(), 1.0)
"""

FIXTURE = """
def test_it(subtests):
    for scale in (0.5, 1.1):
        with subtests.test("drawn", scale=scale):
            assert scale * random.random() < 1.0
"""


@pytest.fixture(params=["unittest", "fixture"])
def source(request: pytest.FixtureRequest) -> str:
    if request.param == "fixture" and not hasattr(pytest, "Subtests"):
        pytest.skip("this pytest has no fixture for subtests")
    return HEAD + (UNITTEST if request.param == "unittest" else FIXTURE)


def cases(test: dict[str, Any]) -> dict[str | None, dict[str, Any]]:
    """Return the sites of a test by their case."""
    return {site.get("case"): site for site in test["sites"]}


def test_the_subtest_that_fails_is_named_and_its_line_is_mended_once(project, source):
    project.write("test_sub.py", source)
    [test] = record(project, *RUNS, mode="detect", code=1).values()
    sites = cases(test)
    assert list(sites) == ["drawn (scale=0.5)", "drawn (scale=1.1)"]
    # An eleventh of all values is beyond 1: none of 30 with a probability of 6 %; the seed is fixed.
    failed = sites["drawn (scale=1.1)"]["failed"]
    assert failed == [run["index"] for run in test["runs"] if run["outcome"] == "fail"] != []
    assert sites["drawn (scale=0.5)"]["failed"] == []
    for case, scale in (("drawn (scale=0.5)", 0.5), ("drawn (scale=1.1)", 1.1)):
        seen = dict(sites[case]["series"][0]["values"])
        assert len(seen) == 30
        assert max(seen.values()) < scale
    assert "[drawn (scale=1.1)]" in project.printed
    assert "scale=0.5" not in project.printed


@pytest.mark.skipif(PROGRAM is None, reason="FLEX_HARNESS does not say where the command line is")
def test_fix_writes_the_number_of_all_cases_once(project, source, monkeypatch):
    monkeypatch.setenv("PATH", str(project.warm.folder), prepend=os.pathsep)
    file = project.write("test_sub.py", source)
    record(project, *RUNS)
    command = [PROGRAM, "fix", "--record=found.json", "--choose", "bound", "--apply", "--allow-dirty"]
    done = subprocess.run(command, cwd=project.path, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "[drawn (scale=1.1)]" in said
    assert "still fails" not in said
    before, after = source.splitlines(), file.read_text(encoding="utf-8").splitlines()
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    [(old, _)] = changed
    assert "1.0" in old


def test_parameters_that_each_run_draws_make_no_cases(project):
    body = """
class TestSub(unittest.TestCase):
    def test_it(self):
        for _ in range(3):
            x = random.random()
            with self.subTest(x=x):
                self.assertLess(x, 0.9)
        with self.subTest(object()):
            self.assertLess(random.random(), 2.0)
"""
    project.write("test_sub.py", HEAD + body)
    [test] = record(project, *RUNS).values()
    drawn = [site for site in test["sites"] if "0.9" in site["text"]]
    assert [site.get("case") for site in drawn] == [None]
    values = dict(drawn[0]["series"][0]["values"])
    assert len(values) == 30
    assert drawn[0]["failed"] == [run for run, value in values.items() if value >= 0.9]
    # Where an object lies says nothing.
    assert "<object object>" in cases(test)
    assert set(outcomes(test)) == {"pass", "fail"}


def test_beyond_a_hundred_cases_the_others_are_one(project):
    body = """
class TestSub(unittest.TestCase):
    def test_it(self):
        for i in range(120):
            with self.subTest(i=i):
                self.assertLess(random.random() + i, 200)
"""
    project.write("test_sub.py", HEAD + body)
    [test] = record(project, "--flex-runs=10", "--flex-max-runs=10").values()
    sites = cases(test)
    assert len(test["sites"]) == 101
    assert list(sites)[:2] == ["i=0", "i=1"]
    assert list(sites)[-2:] == ["i=99", None]
    values = [value for _, value in sites[None]["series"][0]["values"]]
    assert len(values) == 10
    assert all(119 <= value < 120 for value in values)


def test_a_condition_in_a_subtest_says_which(project):
    body = """
class TestSub(unittest.TestCase):
    def test_it(self):
        for i in range(3):
            with self.subTest(i=i):
                assert not (i == 2 and random.random() < 0.3)
"""
    project.write("test_sub.py", HEAD + body)
    # Of 30 runs, all pass with a probability of 2e-5; the seed is fixed.
    [test] = record(project, *RUNS, mode="detect", code=1).values()
    [site] = test["sites"]
    assert site["case"] == "i=2"
    assert site["failed"]
