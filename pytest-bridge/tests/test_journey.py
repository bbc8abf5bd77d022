"""Annotate, calibrate, enforce: what a user lives through. Set FLEX_LONG for as many seeds as the bars ask for."""

from __future__ import annotations

import os
import re

import pytest

LONG = bool(os.environ.get("FLEX_LONG"))
GREEN, RED = (1000, 100) if LONG else (6, 6)

PLAIN = """
import random
from pytest_flex import learned, stochastic

SHIFT = 0.0

@stochastic
def test_the_mean():
    mean = sum(random.gauss(0, 1) for _ in range(25)) / 5 + SHIFT
    assert mean < learned()
"""
UNITTEST = """
import random, unittest
from pytest_flex import learned, stochastic

SHIFT = 0.0

class TestMean(unittest.TestCase):
    def setUp(self):
        self.values = [random.gauss(0, 1) for _ in range(25)]

    @stochastic
    def test_the_mean(self):
        self.assertLess(sum(self.values) / 5 + SHIFT, learned())
"""
ARGUMENTS = {
    "plain": (PLAIN, ["-p", "no:randomly"]),
    "randomly": (PLAIN, ["-p", "randomly", "-p", "no:cacheprovider"]),
    "unittest": (UNITTEST, ["-p", "no:randomly"]),
    "xdist": (PLAIN, ["-n", "1"]),
}


@pytest.mark.parametrize("kind", ARGUMENTS)
def test_unchanged_code_stays_green_and_a_regression_turns_red_and_is_replayed(project, kind):
    text, arguments = ARGUMENTS[kind]
    project.write("test_mean.py", text)
    project.calibrate(*arguments)
    # A process of xdist takes a second to start.
    green, red = (GREEN, RED) if kind != "xdist" else (GREEN // 20 or 2, RED // 5 or 2)
    for seed in range(green):
        project.pytest(f"--flex-seed=green{seed}", *arguments)
    project.replace("test_mean.py", "SHIFT = 0.0", "SHIFT = 2.0")
    reports = []
    for seed in range(red):
        result = project.run(f"--flex-seed=red{seed}", *arguments)
        if result.ret == 1:
            reports.append("\n".join(result.outlines))
    assert len(reports) >= 0.85 * red, f"{len(reports)} of {red}"
    for report in reports[: 3 if kind != "xdist" else 1]:
        replay = re.search(r"^replay: pytest (.*)$", report, re.M)
        again = project.pytest(*replay[1].split(), *arguments, code=1)
        assert verdict(again) == verdict(report)
        assert "regression" in report or "beyond the ceiling" in report


def verdict(printed: str) -> str:
    """Return the report of flex out of everything printed."""
    start = printed.index("flex: test_mean.py::")
    return printed[start : printed.index("replay:", start)]


def test_workers_learn_what_one_process_learns(project):
    project.write("test_mean.py", PLAIN)
    project.write("test_more.py", PLAIN.replace("test_the_mean", "test_more").replace("gauss(0, 1)", "random()"))
    project.calibrate()
    alone = project.bounds
    (project.path / "flex-bounds.toml").unlink()
    printed = project.calibrate("-n", "2")
    assert project.bounds == alone
    assert "2 tests calibrated: 2 sites learned, 0 refused; wrote flex-bounds.toml" in printed
    assert printed.count("`catches`: how often a run fails if") == 1


def test_a_calibration_that_finds_nothing_new_changes_nothing(project):
    project.write("test_mean.py", PLAIN)
    project.calibrate()
    before = project.bounds
    for option in ([], ["--flex-full"]):
        printed = project.pytest("--flex=calibrate", "--flex-seed=another", *option)
        words = "the old numbers still fit, and stay" if option else "1 test is unchanged: three runs"
        assert words in printed
        assert project.bounds == before
        printed = project.pytest("--flex=check", "--flex-seed=another", *option)
        assert "nothing speaks against the bounds" in printed


def test_an_entry_that_was_edited_by_hand_is_named(project):
    project.write("test_mean.py", PLAIN)
    project.calibrate()
    lines = project.bounds.splitlines(keepends=True)
    project.write("flex-bounds.toml", "".join(line for line in lines if not line.startswith("quantiles")))
    printed = project.pytest("--flex=check", "--flex-seed=another", code=1)
    assert "edited by hand: its entry is not what calibration wrote" in printed


def test_a_moved_distribution_waits_for_a_review(project):
    project.write("test_mean.py", PLAIN)
    project.calibrate()
    before = project.bounds
    project.replace("test_mean.py", "SHIFT = 0.0", "SHIFT = 4.0")
    assert "the distribution moved" in project.pytest("--flex=check", "--flex-seed=another", code=1)
    printed = project.calibrate(code=1)
    assert "1 new bound waits for a review: flex-harness review --pytest flex-bounds.toml" in printed
    assert "or --flex-accept" in printed
    assert project.bounds == before
    assert (project.path / "flex-bounds.pending.toml").exists()
    project.calibrate("--flex-accept")
    assert project.bounds != before
    project.pytest("--flex-seed=green")
