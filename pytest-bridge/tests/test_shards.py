"""Runs that several sessions make and one puts together: what is learned is what one session learns."""

from __future__ import annotations

import json
import re

import pytest
from searching import found, record

TESTS = """
import os
import random

from pytest_flex import learned, mean, stochastic

SHIFT = float(os.environ.get("SHIFT", "0"))

@stochastic
def test_noise(flex_rng):
    assert flex_rng.random() + SHIFT < learned()

@stochastic(runs=40)
def test_few(flex_rng):
    assert flex_rng.random() > learned()

@stochastic
def test_average(flex_rng):
    assert mean(flex_rng.random(), domain=(0, 1)) < learned()

@stochastic
def test_still():
    assert 3.5 < learned()
"""


def undated(bounds: str) -> str:
    return re.sub(r"^calibrated = .*\n", "", bounds, flags=re.M)


def test_shards_teach_what_one_session_learns(project):
    project.write("test_a.py", TESTS)
    bounds = project.path / "flex-bounds.toml"

    def calibrate(*args, code=0):
        return project.pytest("-p", "no:randomly", "--flex=calibrate", *args, code=code)

    calibrate("--flex-seed=s")
    one_session = undated(bounds.read_text())
    bounds.unlink()
    for number in (1, 2):
        made = calibrate(f"--flex-shard={number}/3", "--flex-out=parts", "--flex-seed=s")
        assert re.search(rf"^shard {number}/3: \d+ runs, seed s; wrote ", made, re.M), made
    # The third was lost, and the second is cut.
    (cut,) = (project.path / "parts").glob("*-2-of-3-*.shard")
    cut.write_bytes(cut.read_bytes()[: cut.stat().st_size * 2 // 3])
    missing = calibrate("--flex-from=parts", code=6)
    assert "not whole: shard 2/3 " in missing
    assert re.search(r"missing: shard 3/3; to make it:\n  pytest .*--flex-shard=3/3 .*--flex-seed=s", missing), missing
    assert re.search(r"error: not enough to decide: .*plan.json", missing), missing
    assert not bounds.exists()
    calibrate("--flex-shard=1/1", "--flex-out=more", "--flex-plan=parts/plan.json")
    merged = calibrate("--flex-from=parts:more")
    assert "4 tests calibrated: 4 sites learned, 0 refused; wrote flex-bounds.toml" in merged, merged
    assert undated(bounds.read_text()) == one_session
    # Nothing has changed, which each of two sees in a few runs.
    for number in (1, 2):
        made = calibrate(f"--flex-shard={number}/2", "--flex-out=again", "--flex-seed=t")
        assert "4 tests probably unchanged" in made, made
    assert "4 tests are unchanged" in calibrate("--flex-from=again")
    assert undated(bounds.read_text()) == one_session


def test_tests_of_unittest_are_put_together_without_a_run_of_their_own(project):
    project.write(
        "test_a.py",
        """
import random, unittest
from pytest_flex import learned, stochastic

class TestIt(unittest.TestCase):
    def setUp(self):
        self.drawn = random.random()

    @stochastic
    def test_learned(self):
        self.assertLess(self.drawn, learned())

    def test_plain(self):
        self.assertLess(self.drawn, 2)
""",
    )
    for mode, runs in (("calibrate", 110), ("detect", 12)):
        args = (f"--flex={mode}", "--flex-seed=s", f"--flex-runs={runs}", f"--flex-max-runs={runs}")
        project.pytest(*args, "--flex-shard=1/1", f"--flex-out={mode}")
        assert "error" not in project.pytest(*args[:1], f"--flex-from={mode}", *args[2:]).lower()
    assert "test_learned" in (project.path / "flex-bounds.toml").read_text()


def test_a_run_that_two_machines_see_differently_is_named(project, monkeypatch):
    project.write("test_a.py", TESTS)
    args = ("--flex=calibrate", "-k", "noise", "--flex-seed=s", "--flex-runs=40")
    for number in (1, 2):
        project.pytest(*args, f"--flex-shard={number}/2", "--flex-out=here")
    monkeypatch.setenv("SHIFT", "0.25")
    project.pytest(*args, "--flex-shard=1/2", "--flex-out=there")
    both = project.pytest("--flex=calibrate", "-k", "noise", "--flex-from=here:there", code=1)
    assert re.search(r"error: .*test_noise: randomness is not controlled: under one seed, run 20, ", both), both
    # Of a machine of another kind that is no finding.
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    project.pytest(*args, "--flex-shard=1/2", "--flex-out=elsewhere")
    both = project.pytest("--flex=calibrate", "-k", "noise", "--flex-from=here:elsewhere")
    assert re.search(r"test_noise: values differ between kinds 1 and 2: run 0, ", both), both
    assert "FLEX_VARIANT" in both, both
    assert "not controlled" not in both, both


def test_bazel_says_which_shard_this_is_and_is_answered(project, monkeypatch):
    project.write("test_a.py", TESTS)
    status = project.path / "status"
    for name, value in (("INDEX", "1"), ("STATUS_FILE", str(status))):
        monkeypatch.setenv(f"TEST_SHARD_{name}", value)
    monkeypatch.setenv("TEST_TOTAL_SHARDS", "2")
    made = project.pytest("--flex=calibrate", "--flex-shard=auto", "--flex-out=parts", "--flex-seed=s", "-k", "few")
    assert re.search(r"^shard 2/2: \d+ runs, seed s; wrote ", made, re.M), made
    assert status.exists()


@pytest.mark.parametrize("mode", ["calibrate", "detect"])
def test_a_shard_that_cannot_be_written_is_no_internal_error(project, mode):
    project.write("test_a.py", TESTS)
    project.write("parts", "a file")
    made = project.pytest(f"--flex={mode}", "--flex-shard=1/2", "--flex-out=parts", "--flex-seed=s", code=3)
    assert made.splitlines()[-1].startswith("Exit: error: cannot write a shard into "), made
    assert "INTERNALERROR" not in made


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--flex-shard=1/2",), "--flex-out"),
        (("--flex-shard=1/2", "--flex-out=d"), "give all of them one --flex-seed"),
        (("--flex-shard=3/2", "--flex-out=d", "--flex-seed=s"), "is no shard"),
        (("--flex-from=nowhere",), "nowhere"),
    ],
)
def test_what_shards_need_is_asked_for(project, args, words):
    project.write("test_a.py", TESTS)
    assert words in project.pytest("--flex=calibrate", *args, code=4)


SEARCHED = """
import random

import pytest

def test_flaky():
    assert random.random() < 0.9

def test_healthy():
    x = random.random()
    assert x < 1.5

def test_still():
    assert 3 < 4

@pytest.mark.parametrize("n", [1, 2])
def test_given(n):
    assert random.random() * n < 1.99

@pytest.mark.skip(reason="not today")
def test_skipped():
    pass
"""


def without_times(value):
    """Return the same without what differs each time."""
    if isinstance(value, dict):
        return {name: without_times(field) for name, field in value.items() if "seconds" not in name}
    return [without_times(one) for one in value] if isinstance(value, list) else value


def test_shards_find_what_one_session_finds(project):
    project.write("test_a.py", SEARCHED)
    one_session = without_times(record(project, mode="detect", code=1))
    said = project.printed

    def detect(*args, code=0):
        return project.pytest("--flex=detect", "--flex-seed=search", "--flex-record=found.json", *args, code=code)

    (project.path / "found.json").unlink()
    for number in (1, 2):
        made = detect(f"--flex-shard={number}/3", "--flex-out=parts")
        assert re.search(rf"^shard {number}/3: \d+ runs, seed search; wrote ", made, re.M), made
    # The third was lost, and the second is cut.
    (cut,) = (project.path / "parts").glob("detect-*-2-of-3-*.shard")
    cut.write_bytes(cut.read_bytes()[: cut.stat().st_size * 2 // 3])
    missing = detect("--flex-from=parts", code=6)
    assert "not whole: shard 2/3 " in missing
    assert re.search(r"missing: shard 3/3; to make it:\n  pytest .*--flex-shard=3/3 ", missing), missing
    assert not (project.path / "found.json").exists()
    for number in (1, 2):
        detect(f"--flex-shard={number}/2", "--flex-out=more", "--flex-plan=parts/plan.json")
    # All of it may be there twice.
    detect("--flex-shard=1/3", "--flex-out=again")
    merged = detect("--flex-from=parts:more:again", code=1)
    assert without_times(found(project)) == one_session
    findings = [line for line in said.splitlines() if "test_flaky" in line]
    assert findings
    assert findings == [line for line in merged.splitlines() if "test_flaky" in line]
    # Shards of another command are none of a search, nor is a shorter search one.
    project.write("test_b.py", TESTS)
    assert "made by detect, and this is calibrate" in project.pytest("--flex=calibrate", "--flex-from=parts", code=4)
    plan = json.loads((project.path / "parts/plan.json").read_text())
    project.write("wrong.json", json.dumps({**plan, "command": "calibrate"}))
    assert "a plan for calibrate" in detect("--flex-shard=1/2", "--flex-out=d", "--flex-plan=wrong.json", code=4)
    short = ("--flex-shard=1/2", "--flex-out=d", "--flex-time-budget=9s")
    assert "leave out --flex-time-budget" in detect(*short, code=4)


ENDED = """
import os
import random
import signal

import pytest

RUNS = []

def test_first():
    assert random.random() < 2

def test_second():
    RUNS.append(random.random())
    if len(RUNS) == 5:
        match os.environ.get("ENDS"):
            case "signal":
                os.kill(os.getpid(), signal.SIGTERM)
            case "word":
                pytest.exit("enough", returncode=9)
    assert RUNS[-1] < 2
"""


@pytest.mark.parametrize(("by", "code", "lost"), [("signal", 2, "2 tests"), ("word", 9, "1 test")])
def test_a_search_that_was_ended_is_no_whole_one(project, monkeypatch, by, code, lost):
    project.write("test_a.py", ENDED)
    made = ("-p", "no:randomly", "--flex=detect", "--flex-shard=1/1", "--flex-out=parts", "--flex-seed=s")
    monkeypatch.setenv("ENDS", by)
    said = project.pytest(*made, code=code)
    # Whoever interrupts does not wait until runs are repeated in other processes.
    assert ("interrupted before runs were repeated" in said) == (lost == "2 tests"), said
    missing = project.pytest("--flex=detect", "--flex-from=parts", code=6)
    assert f"all of {lost} of which no shard holds any" in missing, missing
    monkeypatch.delenv("ENDS")
    project.pytest(*made)
    assert "2 tests in " in project.pytest("--flex=detect", "--flex-from=parts")


DIFFERING = """
import os
import random

SHIFT = float(os.environ.get("SHIFT", "0"))

def test_value():
    assert random.random() + SHIFT < 5

def test_outcome():
    assert random.random() + SHIFT < 1

def test_system():
    assert random.SystemRandom().random() + SHIFT < 1
"""


@pytest.mark.parametrize("workers", [(), ("-n2",)])
def test_runs_that_two_searches_see_differently_are_findings_if_they_end_otherwise(project, monkeypatch, workers):
    project.write("test_a.py", DIFFERING)

    def made(folder, shift):
        monkeypatch.setenv("SHIFT", shift)
        project.pytest("--flex=detect", "--flex-seed=s", "--flex-shard=1/1", f"--flex-out={folder}")

    def merged(mode, only, *folders, code=0):
        return project.pytest(f"--flex={mode}", "-k", only, f"--flex-from={':'.join(folders)}", *workers, code=code)

    # That the system gives the same number twice has a chance below 1e-15.
    made("here", "0")
    made("there", "0.25")
    assert re.search(r"warning: .*test_value: .* run 0, ", merged("detect", "value", "here", "there"))
    ended = merged("detect", "outcome or system", "here", "there", code=1)
    assert re.search(r"error: .*test_outcome: randomness is not controlled: under one seed, run 13 ends ", ended), ended
    assert re.search(r"warning: .*test_system: .* run 0\b", ended), ended
    assert "warning: test_a.py::test_outcome: " in merged("record", "outcome", "here", "there")
    # Of a machine of another kind that is no finding.
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    made("elsewhere", "0.25")
    between = merged("detect", "value", "here", "elsewhere")
    assert re.search(r"test_value: values differ between kinds 1 and 2: run \d+, ", between), between
    assert "FLEX_VARIANT" in between, between
    assert "not controlled" not in between, between
    same = merged("detect", "value", "there", "elsewhere")
    assert re.search(r"  \d+ runs that were made on two of them showed the same", same), same
