"""Runs that tell nothing of the code: they count neither as passed nor as failed, and are reported.

All seeds are fixed.
"""

from __future__ import annotations

import json
import re

HEAD = """
import os, random
from pytest_flex import Inconclusive, learned, rate, stochastic

SHARE = float(os.environ.get("SHARE", 0.2))
DOWN = random.Random(7)
"The network: it does not follow the seed of a run."

def ask():
    if DOWN.random() < SHARE:
        raise Inconclusive("connection reset" if DOWN.random() < 0.5 else "no\\x1b[2Jroute")
    return random.gauss(0, 1)
"""

CLAIM = (
    HEAD
    + """
@stochastic(attempts=1)
def test_rate():
    assert rate(ask() < 2, margin=0.1) > 0.8

@stochastic
def test_plain():
    ask()
"""
)

LEARNED = HEAD + "\n@stochastic\ndef test_learned():\n    x = ask()\n    assert x < learned()\n"


def test_claims_are_decided_by_the_other_runs(project, monkeypatch):
    project.write("test_all.py", CLAIM)
    monkeypatch.setenv("FLEX_LOG", "json")
    printed = project.pytest("--flex-seed=s1", "-k", "rate")
    noted = re.search(
        r"^note: test_all.py::test_rate: (\d+) of (\d+) runs were inconclusive and do not (.*)$", printed, re.M
    )
    assert noted, printed
    assert re.fullmatch(r"count: (connection reset|no\\u\{1b\}\[2Jroute) \(\d+\), .*", noted[3]), noted[3]
    verdict = json.loads(next(line for line in printed.splitlines() if line.startswith('{"verdict":"pass"')))
    inconclusive, claim = verdict["inconclusive"], verdict["claims"][0]
    assert (inconclusive["runs"], inconclusive["of"]) == (int(noted[1]), int(noted[2]))
    assert claim["outcome"] == "fine"
    assert claim["runs"] == inconclusive["of"] - inconclusive["runs"]
    # Without them, the same verdict comes of as many runs.
    monkeypatch.setenv("SHARE", "0")
    alone = project.pytest("--flex-seed=s1", "-k", "rate")
    assert "inconclusive" not in alone
    # A process for each run tells the same.
    monkeypatch.setenv("SHARE", "1")
    isolated = project.pytest("--flex-seed=s1", "-k", "rate", "--flex-isolate", code=1)
    assert "10 of 10 runs were inconclusive" in isolated


def test_what_tells_nothing_decides_nothing(project, monkeypatch):
    project.write("test_all.py", CLAIM)
    monkeypatch.setenv("SHARE", "1")
    monkeypatch.setenv("FLEX_LOG", "json")
    for mode in ("enforce", "off"):
        monkeypatch.setenv("FLEX_MODE", mode)
        printed = project.pytest("--flex-seed=s1", code=1)
        assert "2 failed" in printed
        assert "flex: test_all.py::test_plain: could not be decided" in printed
        assert printed.count("10 of 10 runs were inconclusive and do not count: ") >= 2
        assert "More than 50% of them say nothing" in " ".join(printed.split())
    monkeypatch.delenv("FLEX_MODE")
    printed = project.pytest("--flex-seed=s1@enforce:3", "-k", "plain", code=1)
    assert "the run is inconclusive: 'connection reset'" in printed or "the run is inconclusive: 'no\\x1b" in printed
    project.replace("test_all.py", "@stochastic\ndef test_plain", "@stochastic(inconclusive=1)\ndef test_plain")
    monkeypatch.setenv("SHARE", "0.6")
    assert "1 passed" in project.pytest("--flex-seed=s1", "-k", "plain")


def test_bounds_are_learned_and_held_by_the_other_runs(project, monkeypatch):
    project.write("test_all.py", LEARNED)
    monkeypatch.setenv("SHARE", "0")
    project.calibrate()
    alone = re.findall(r"^samples = (\d+)$", project.bounds, re.M)
    (project.path / "flex-bounds.toml").unlink()
    monkeypatch.setenv("SHARE", "0.2")
    printed = " ".join(project.calibrate().split())
    assert re.search(r"inconclusive: \d+ of \d+ runs were inconclusive and do not count: ", printed), printed
    some = re.findall(r"^samples = (\d+)$", project.bounds, re.M)
    assert int(some[0]) >= 0.7 * int(alone[0])
    assert "missed" not in printed
    assert "1 passed" in project.pytest("--flex-seed=s1")
    monkeypatch.setenv("SHARE", "1")
    printed = project.calibrate("--flex-full", code=1)
    assert "nothing was learned: " in printed
    assert "runs were inconclusive and do not count" in printed


def test_a_search_counts_them_neither_way(project, monkeypatch):
    plain = HEAD + "\ndef test_sometimes():\n    assert ask() < 9\n"
    project.write("test_all.py", plain)
    monkeypatch.setenv("SHARE", "0.3")
    printed = project.pytest("--flex=detect", "--flex-seed=s1")
    assert "inconclusive, and not counted: " in printed
    monkeypatch.setenv("SHARE", "1")
    printed = project.pytest("--flex=detect", "--flex-seed=s1")
    assert "0 failed" not in printed
    assert re.search(r"inconclusive, and not counted: (\d+) of \1 runs", printed), printed
