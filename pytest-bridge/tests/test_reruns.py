"""Runs: seeds, unittest, asyncio, crashes, and what pytest reports of them."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

HEAD = """
import random, unittest
import numpy as np
import pytest
from pytest_flex import learned, stochastic
"""


def test_every_generator_follows_the_seed(project):
    project.write(
        "test_seeds.py",
        HEAD
        + """
@pytest.fixture
def drawn():
    return random.random()

@stochastic
def test_it(drawn, flex_rng, flex_seed):
    print("DREW", drawn, random.random(), np.random.random(), flex_rng.random(), flex_seed)
    assert flex_seed < 2**32
    assert drawn < learned()
""",
    )

    def drew(*args: str) -> str:
        printed = project.pytest("-s", "--flex=off", *args)
        return next(line[line.index("DREW") :] for line in printed.splitlines() if "DREW" in line)

    first = drew("--flex-seed=a", "-p", "no:randomly")
    assert drew("--flex-seed=a", "-p", "randomly") == first
    assert drew("--flex-seed=a", "-p", "randomly", "-p", "no:xdist", "-p", "no:cacheprovider") == first
    other = drew("--flex-seed=b", "-p", "randomly")
    assert all(x != y for x, y in zip(first.split()[1:], other.split()[1:], strict=True))


def test_what_is_registered_for_randomly_is_seeded(project, monkeypatch):
    project.write("seeder/seeder.py", "seeds = []\ndef reseed(seed):\n    seeds.append(seed)\n")
    project.write(
        "seeder/seeder-1.dist-info/entry_points.txt", "[pytest_randomly.random_seeder]\nseeder = seeder:reseed\n"
    )
    project.write("seeder/seeder-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: seeder\nVersion: 1\n")
    project.write(
        "test_registered.py",
        HEAD
        + """
import seeder

@stochastic
def test_it():
    assert 0 <= seeder.seeds[-1] < 2**32
    assert seeder.seeds[-1] < learned()
""",
    )
    monkeypatch.setenv("PYTHONPATH", str(project.path / "seeder"))
    for randomly in ("randomly", "no:randomly"):
        printed = project.calibrate("-p", randomly, "--flex-accept")
        assert "no value varied" not in printed


def test_unittest_and_asyncio(project):
    project.write(
        "test_kinds.py",
        HEAD
        + """
class TestUnit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.runs = 0

    def setUp(self):
        type(self).runs += 1
        self.x = random.random()
        self.fresh = True

    def tearDown(self):
        assert not self.fresh

    @stochastic(runs=25)
    def test_it(self):
        assert self.fresh
        self.fresh = False
        self.assertLess(self.x, learned())
        self.assertGreaterEqual(self.x, learned())
        self.assertAlmostEqual(self.x, 0.5, delta=learned())

@stochastic(runs=25)
@pytest.mark.asyncio
async def test_async():
    assert random.random() < learned()
""",
    )
    printed = project.calibrate()
    assert "2 tests calibrated: 4 sites learned" in printed
    project.pytest("--flex-seed=green")


def test_a_unittest_failure_is_a_failure(project):
    project.write(
        "test_unit.py",
        HEAD
        + """
class TestUnit(unittest.TestCase):
    @stochastic(runs=20)
    def test_it(self):
        x = random.random()
        self.assertGreater(x, 0.1)
        assert x < learned()

    @stochastic
    def test_skipped(self):
        self.skipTest("not today")
""",
    )
    printed = project.calibrate(code=1)
    assert "failed by themselves" in printed
    assert "1 failed, 1 skipped" in printed


def test_a_rerun_counts_as_one_test(project):
    project.write(
        "test_counts.py",
        HEAD
        + """
SHIFT = 0

@stochastic
def test_it():
    print("a run")
    assert random.random() + SHIFT < learned()

def test_plain():
    pass
""",
    )
    project.calibrate()
    project.replace("test_counts.py", "SHIFT = 0", "SHIFT = 0.9")
    printed = project.pytest("--flex-seed=a", "--junitxml=junit.xml", code=1)
    assert "1 failed, 1 passed" in printed
    assert printed.count("a run") >= 5
    suite = ET.parse(project.path / "junit.xml").getroot().find("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    assert "regression" in suite.find(".//failure").text


def test_skips_and_expected_failures_stay_what_they_are(project):
    project.write(
        "test_outcomes.py",
        HEAD
        + """
@stochastic
def test_skip():
    pytest.skip("not today")

@stochastic
@pytest.mark.xfail(strict=True)
def test_xfail():
    assert False

@stochastic
@pytest.mark.skipif(True, reason="never")
def test_never():
    assert learned()

@stochastic
def test_broken(no_such_fixture):
    pass
""",
    )
    printed = project.pytest("--flex-seed=a", code=1)
    for words in ("2 skipped", "1 xfailed", "1 error"):
        assert words in printed


@pytest.mark.parametrize("isolate", [True, False])
def test_a_crash_is_reported_or_loses_nothing(project, isolate):
    project.write(
        "test_crash.py",
        HEAD
        + """
import ctypes, os
runs = 0

@stochastic
def test_fine():
    assert random.random() < learned()

@stochastic
def test_crash(request):
    global runs
    x = random.random()
    assert x < learned()
    if x > 0.97:
        os._exit(3)
    if x < 0.03:
        ctypes.string_at(0)
""",
    )
    before = "# nothing yet\nversion = 2\n"
    project.write("flex-bounds.toml", before)
    if isolate:
        printed = project.calibrate("--flex-isolate", "-p", "no:randomly", code=1)
        assert "the run ended its process (exit code 3)" in printed
        assert "replay: pytest test_crash.py::test_crash --flex-isolate --flex-seed=calibration@calibrate:" in printed
        assert 'test = "test_crash.py::test_fine"' in project.bounds
        replay = next(line for line in printed.splitlines() if line.strip().startswith("replay:"))
        again = project.pytest(*replay.split()[2:], code=1)
        assert "the run ended its process (exit code 3)" in again
    else:
        project.run("--flex=calibrate", "--flex-seed=calibration", "-p", "no:randomly", fresh=True)
        assert project.bounds == before


def test_an_isolated_run_that_leaves_without_a_word_is_told_as_that(project):
    project.write(
        "test_leave.py",
        HEAD
        + """
import os

@stochastic
def test_leaves():
    assert random.random() < learned()
    os._exit(0)
""",
    )
    printed = project.calibrate("--flex-isolate", code=1)
    assert "the run ended its process (exit code 0)" in printed
    assert "versions" not in printed


def test_isolated_runs_share_nothing(project):
    project.write(
        "test_poison.py",
        HEAD
        + """
poison = []

@stochastic(runs=20)
def test_it():
    poison.append(1)
    assert random.random() + len(poison) < learned()
""",
    )
    printed = project.calibrate(code=1)
    assert "shared state" in printed
    (project.path / "flex-bounds.toml").unlink()
    project.calibrate("--flex-isolate")
    project.pytest("--flex-seed=green", "--flex-isolate")
