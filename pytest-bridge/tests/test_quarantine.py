"""`quarantine` in flex.toml: a test that runs and cannot fail, for a while. All seeds are fixed."""

from __future__ import annotations

import json

TEST = """
from pytest_flex import learned, stochastic

SHIFT = 0

@stochastic
def test_learned(flex_rng):
    assert flex_rng.normal(SHIFT) < learned()

@stochastic
def test_declared(flex_rng):
    assert flex_rng.normal(SHIFT) < 8
"""

CONFIG = """
[[test]]
path = "*test_*"
quarantine = { until = "UNTIL", issue = "#12" }
"""


def test_a_test_in_quarantine_is_an_expected_failure_until_it_ends(project, monkeypatch):
    project.write("test_it.py", TEST)
    project.calibrate()
    project.replace("test_it.py", "SHIFT = 0", "SHIFT = 20")
    project.write("flex.toml", CONFIG.replace("UNTIL", "9999-12-31"))
    with monkeypatch.context() as within:
        within.setenv("FLEX_HISTORY", str(project.path / "history.jsonl"))
        printed = project.pytest("--flex-seed=a", "-rx")
    # What they showed is written down as the failures that they are.
    written = (project.path / "history.jsonl").read_text(encoding="utf-8").splitlines()
    assert sorted(json.loads(line)["verdict"] for line in written) == ["error", "fail"]
    assert "2 xfailed" in printed
    assert "quarantined until 9999-12-31 (#12), so that this failure does not count" in printed
    # One run that is looked at shows what it shows.
    assert "1 failed" in project.pytest("--flex-seed=a@enforce:0", "-k", "declared", code=1)
    project.write("flex.toml", CONFIG.replace("UNTIL", "2020-01-31"))
    printed = project.pytest("--flex-seed=a", code=1)
    assert "2 failed" in printed
    assert "the quarantine ended on 2020-01-31 (#12): failures count again" in printed
