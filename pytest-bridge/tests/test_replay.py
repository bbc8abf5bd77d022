"""Replay first: a run of the calibration is made again to see whether anything changed. All seeds are fixed."""

from __future__ import annotations

import json
import os
import re
import subprocess

import pytest

PROGRAM = os.environ.get("FLEX_HARNESS")
HEAD = """
import asyncio
import random
import unittest
import pytest
from pytest_flex import learned, stochastic

SHIFT, DRAWS = 0.0, 25
SLOW = ""


def value():
    return sum(random.gauss(0, 1) for _ in range(DRAWS)) / DRAWS**0.5 + SHIFT
"""
PLAIN = """
@stochastic(replay="doubt")
def test_it():
    assert value() < learned()
"""
WIDE = """
@pytest.fixture(scope="session")
def wide():
    return random.gauss(0, 1)

@stochastic(replay="doubt")
def test_it(wide):
    assert value() + wide < learned()
"""
UNITTEST = """
class TestIt(unittest.TestCase):
    def setUp(self):
        self.value = value()

    @stochastic(replay="doubt")
    def test_it(self):
        self.assertLess(self.value, learned())
"""
ASYNCIO = """
@stochastic(replay="doubt")
@pytest.mark.asyncio
async def test_it():
    await asyncio.sleep(0)
    assert value() < learned()
"""
KINDS = {
    "plain": (PLAIN, []),
    "wide": (WIDE, []),
    "fresh": (WIDE, ["--flex-fresh=session"]),
    "unittest": (UNITTEST, []),
    "asyncio": (ASYNCIO, []),
    "isolate": (PLAIN, ["--flex-isolate"]),
    "xdist": (PLAIN, ["-n", "1"]),
}


def verdicts(project, monkeypatch, seeds, *arguments):
    """Return what is said of runs under these seeds, with the exit code of each."""
    monkeypatch.setenv("FLEX_LOG", "1")
    found = []
    for seed in seeds:
        result = project.run(f"--flex-seed={seed}", *arguments)
        found.append((result.ret, " ".join(" ".join(result.outlines).split())))
    monkeypatch.delenv("FLEX_LOG")
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_doubt_is_cleared_where_nothing_changed_and_confirmed_where_values_moved(project, monkeypatch, kind):
    text, arguments = KINDS[kind]
    project.write("test_it.py", HEAD + text)
    project.calibrate(*arguments)
    seeds = range(10)
    told = verdicts(project, monkeypatch, seeds, *arguments)
    assert all(code == 0 for code, _ in told)
    cleared = [words for _, words in told if "cleared (seed" in words]
    assert cleared
    for words in cleared:
        assert "of the calibration gives what it gave then: behaviour unchanged" in words
    before = project.bounds
    assert "1 test is unchanged: three runs of the last calibration" in project.calibrate(*arguments)
    assert project.bounds == before
    project.replace("test_it.py", "SHIFT, DRAWS = 0.0,", "SHIFT, DRAWS = 4.0,")
    told = verdicts(project, monkeypatch, seeds, *arguments)
    assert all(code == 1 for code, _ in told)
    assert all(": behaviour changed" in words for _, words in told)


def test_quick_tests_replay_in_every_run_and_miss_nothing(project, monkeypatch):
    project.write("test_it.py", HEAD + PLAIN.replace('(replay="doubt")', ""))
    project.calibrate()
    assert "always = true" in project.bounds
    told = verdicts(project, monkeypatch, range(5))
    assert all(code == 0 and "behaviour unchanged" in words for code, words in told)
    # A shift that a value in doubt would show in six runs of ten.
    project.replace("test_it.py", "SHIFT, DRAWS = 0.0,", "SHIFT, DRAWS = 2.0,")
    told = verdicts(project, monkeypatch, range(20))
    assert sum(code for code, _ in told) >= 19


def test_code_that_changed_and_is_as_good_passes_and_says_so_once(project, monkeypatch):
    project.write("test_it.py", HEAD + PLAIN.replace('(replay="doubt")', "") + PLAIN.replace("test_it", "test_other"))
    project.calibrate()
    # Other draws of the same distribution.
    project.replace("test_it.py", "DRAWS = 0.0, 25", "DRAWS = 0.0, 24")
    printed = project.pytest("--flex-seed=1")
    assert printed.count("behaviour changed") == 1
    again = "may take a few more until it is calibrated again: pytest test_it.py::test_[a-z]+ --flex=calibrate"
    assert re.search(again, " ".join(printed.split()))
    printed = project.calibrate()
    assert "2 tests calibrated: 2 sites learned" in printed
    assert "behaviour changed" not in project.pytest("--flex-seed=1")


def test_what_no_seed_controls_is_never_replayed(project, monkeypatch):
    text = HEAD + PLAIN.replace("value()", "secrets.SystemRandom().gauss(0, 1)").replace("25", "25\nimport secrets")
    project.write("test_it.py", "import secrets\n" + text)
    assert "uncontrolled randomness" in project.calibrate()
    assert "replay = " not in project.bounds
    assert "calibrated: 1 site" in project.calibrate()


def test_a_single_run_of_a_suite_of_tests_is_enough_where_nothing_changed(project):
    project.write(
        "test_it.py", HEAD + "runs = 0\n" + PLAIN.replace("    assert", "    global runs\n    runs += 1\n    assert")
    )
    project.replace(
        "test_it.py", 'SLOW = ""', "import atexit\natexit.register(lambda: open('runs', 'a').write(f'{runs} '))"
    )
    project.calibrate()
    project.calibrate()
    made = [int(word) for word in (project.path / "runs").read_text().split()]
    # The runs, those that are repeated elsewhere, and then three replays.
    assert sorted(made) == [3, 10, 100]


@pytest.mark.skipif(PROGRAM is None, reason="FLEX_HARNESS does not say where the command line is")
def test_runs_that_stray_are_kept_for_a_review(project, monkeypatch):
    project.write("test_it.py", HEAD + PLAIN)
    project.calibrate("--flex-runs=30")
    # One run in thirty goes beyond thirty others.
    for seed in range(60):
        project.pytest(f"--flex-seed=astray{seed}")
    log = project.path / ".pytest_cache/d/flex/strays.jsonl"
    strays = [json.loads(line) for line in log.read_text().splitlines()]
    assert 0 < len(strays) < 12
    assert all(stray["value"] > stray["bound"] for stray in strays)
    said = subprocess.run([PROGRAM, "review", "--pytest", "."], cwd=project.path, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    assert re.search(rf"{len(strays)} runs? went beyond what calibration saw, and (was|were) cleared", said.stdout)
    assert "replay      pytest test_it.py::test_it --flex-seed=astray" in said.stdout
    # More samples saw as much.
    project.calibrate("--flex-runs=300")
    said = subprocess.run([PROGRAM, "review", "--pytest", "."], cwd=project.path, capture_output=True, text=True)
    assert "went beyond" not in said.stdout
