"""NaN, infinite values and values far from all others are findings whose runs show them. Seeds are fixed."""

from __future__ import annotations

import re

TEST = """
import math
from pytest_flex import learned, stochastic

@stochastic
def test_nan(flex_rng):
    value = math.nan if flex_rng.random() < 0.01 else flex_rng.normal()
    assert value < learned()

@stochastic
def test_infinite(flex_rng):
    value = math.inf if flex_rng.random() < 0.08 else flex_rng.normal()
    assert value < learned()

@stochastic
def test_far(flex_rng):
    value = flex_rng.normal(50 if flex_rng.random() < 0.04 else 0)
    assert value < learned()

@stochastic
def test_constant(flex_rng):
    value = math.nan if flex_rng.random() < 0.01 else 0.0
    assert value <= learned()
"""


def shown(project, printed: str) -> list[float]:
    """Return the values that the commands show which repeat runs, as they were printed."""
    values = []
    for command in re.findall(r"^ *replay: pytest (.*)$", printed, re.M):
        replayed = project.pytest(*command.split())
        values += re.findall(r"learned\(\): (\S+)$", replayed, re.M)
    return [float(value) for value in values]


def test_one_nan_in_a_hundred_runs_is_a_finding_whose_run_shows_it(project):
    project.write("test_it.py", TEST)
    nan = project.calibrate("--flex-seed=five", "-k", "nan", code=1)
    assert "1 of 100 values is NaN or infinite" in nan
    assert [value != value for value in shown(project, nan)] == [True]
    infinite = project.calibrate("--flex-seed=seven", "-k", "infinite", code=1)
    assert "8 of 100 values are NaN or infinite" in infinite
    assert shown(project, infinite) == [float("inf")] * 5
    far = project.calibrate("--flex-seed=eight", "-k", "far", code=1)
    assert "4 of 100 values form a second cluster" in far
    values = shown(project, far)
    assert len(values) == 4
    assert min(values) > 40
    # Nothing was learned, so that these are red, whatever a run shows.
    printed = project.pytest("--flex-seed=a", "-k", "not constant", code=1)
    assert "3 failed" in printed
    for name in ("nan", "infinite", "far"):
        assert f"test_{name}: refused at calibration" in printed


def test_a_bound_of_runs_without_one_lets_no_nan_pass(project):
    project.write("test_it.py", TEST)
    project.calibrate("--flex-seed=three", "-k", "constant")
    project.pytest("--flex-seed=a", "-k", "constant")
    red = project.pytest("--flex-seed=f131", "-k", "constant", code=1)
    assert "NaN, which no bound lets pass" in red
    # A check that sees some names the runs, with the commands that repeat them.
    check = project.pytest("--flex=check", "--flex-full", "--flex-seed=one", "-k", "constant", code=1)
    assert "no bound could be learned any more: 2 of 100 values are NaN" in check
    assert [value != value for value in shown(project, check)] == [True, True]
