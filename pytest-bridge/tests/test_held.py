"""Means and rates that are held where they were: learned, green while nothing moves, red when it does.

All seeds are fixed.
"""

from __future__ import annotations

import re

HELD = """
import os, random
from pytest_flex import learned, mean, rate, stochastic

SHIFT = float(os.environ.get("SHIFT", 0))

@stochastic
def test_mean():
    assert mean(random.gauss(0.1 + SHIFT, 0.03)) < learned()

@stochastic
def test_both():
    bias = min(max(random.gauss(SHIFT, 0.03), -0.2), 0.2)
    assert learned() < mean(bias, domain=(-0.2, 0.2)) < learned()

@stochastic
def test_rate():
    assert rate(random.gauss(1.5 - 40 * SHIFT, 1) > 0, margin=0.08) > learned()

@stochastic
def test_beside():
    error = random.gauss(0.1 + SHIFT, 0.03)
    assert error < learned()
    assert learned() > mean([error, error])
    assert rate(error < 0.5) > 0.9
"""
NAMES = re.findall(r"def (test_\w+)", HELD)


def test_a_mean_is_held_where_it_was(project, monkeypatch):
    project.write("test_all.py", HELD)
    printed = project.pytest("--flex-seed=s1", "-k", "test_mean", code=1)
    assert "uncalibrated" in printed
    assert "it has no entry in the bounds file" in printed
    printed = " ".join(project.calibrate("--flex-seed=a").split())
    for part in ("5 sites learned", "runs to a decision: about", "wrongly broken once in 10,000 tests", "assumed: "):
        assert part in printed
    bounds = project.path / "flex-bounds.toml"
    before = bounds.read_text()
    for line in ('strategy = "mean"', 'strategy = "rate"', 'lower = { strategy = "mean", bound = -0.0'):
        assert line in before
    assert "4 tests are unchanged" in project.calibrate("--flex-seed=b")
    assert bounds.read_text() == before

    monkeypatch.setenv("FLEX_LOG", "1")
    printed = project.pytest("--flex-seed=s1")
    assert printed.count(": fine after ") == len(NAMES) + 1, printed
    monkeypatch.delenv("FLEX_LOG")
    monkeypatch.setenv("SHIFT", "0.03")
    red = project.pytest("--flex-seed=s1", code=1)
    assert f"{len(NAMES)} failed" in red
    assert red.count(": regression") >= len(NAMES)
    for part in ("claim    the mean is at most 0.1", "it was 0.", "assumed  nothing of the mean", "evidence ▁"):
        assert part in red
    replay = re.search(r"^replay: pytest (.*test_mean.*)$", red, re.M)
    again = project.pytest(*replay[1].split(), code=1)
    evidence = r"^    evidence .*\n.*against it.*$"
    assert re.search(evidence, again, re.M)[0] in red
    # It moved, and the bound would loosen: somebody must look.
    printed = " ".join(project.calibrate("--flex-seed=b", "-k", "test_mean", code=1).split())
    assert "and the bound would loosen" in printed
    assert bounds.read_text() == before
