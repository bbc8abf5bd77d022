"""FLEX_HISTORY: values of runs are collected; drift finds what moved, and ceilings come closer. Seeds are fixed."""

from __future__ import annotations

import json
import os
import re
import subprocess

import pytest

PROGRAM = os.environ.get("FLEX_HARNESS")

TEST = """
import os, random
from pytest_flex import learned, stochastic

SHIFT = float(os.environ.get("SHIFT", "0"))

@stochastic
def test_it():
    error = random.gauss(0, 1) + SHIFT
    assert error < learned()
    assert SHIFT < 5

@stochastic(runs=20)
def test_other():
    assert -random.random() > learned()
"""


def lines(folder):
    texts = [file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.jsonl"))]
    return [json.loads(line) for text in texts for line in text.splitlines()]


def test_values_are_collected_and_ceilings_rest_on_them(project, monkeypatch):
    project.write("test_a.py", TEST)
    history = project.path / "history"
    monkeypatch.setenv("FLEX_HISTORY", str(history))
    project.calibrate()
    assert [line["by"] for line in lines(history)] == ["calibrate", "calibrate"]
    monkeypatch.setenv("CI_COMMIT_SHA", "aaaa1111")
    for seed in range(12):
        project.run(f"--flex-seed=run{seed}", "-p", "no:cacheprovider")
    found = [line for line in lines(history) if line.get("verdict")]
    assert len(found) == 24
    it = [line for line in found if line["test"] == "test_a.py::test_it"]
    assert {line["commit"] for line in it} == {"aaaa1111"}
    assert len({line["fingerprint"] for line in it}) == 1
    assert len({line["values"][0]["greatest"] for line in it}) == 12
    assert {line["values"][0]["tail"] for line in found if line not in it} == {"lower"}

    # A test that fails by itself has shown something before. The JUnit file has the same, also without a history.
    monkeypatch.setenv("SHIFT", "9")
    monkeypatch.delenv("FLEX_HISTORY")
    project.pytest("--flex-seed=red", "--junitxml=junit.xml", "-k", "test_it", code=1)
    assert len(lines(history)) == 26
    text = (project.path / "junit.xml").read_text(encoding="utf-8")
    value = re.search(r'<property name="flex" value="([^"]*)"', text)
    assert value is not None, text
    line = json.loads(value[1].replace("&quot;", '"').replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    assert line["verdict"] in ("error", "fail"), line
    assert line["values"][0]["greatest"] > 5, line

    monkeypatch.delenv("SHIFT")
    printed = project.calibrate(f"--flex-with-history={history}", "-k", "test_it")
    assert "12 values of earlier runs are not worth a new bound" in " ".join(printed.split()), printed
    (project.path / "flex-bounds.toml").unlink()
    printed = project.calibrate(f"--flex-with-history={history}", "-k", "test_it")
    assert "ceilings rest on 12 values of earlier runs too" in " ".join(printed.split()), printed
    assert "\nearlier = 12\n" in project.bounds
    printed = project.pytest("--flex=calibrate", "--flex-with-history=nowhere", code=4)
    assert "nowhere is not there" in printed, printed


@pytest.mark.skipif(PROGRAM is None, reason="cargo xtask test builds it and says where it is")
def test_drift_is_found_in_junit_files(project, monkeypatch):
    project.write("test_a.py", TEST)
    monkeypatch.setenv("FLEX_HISTORY", "history")
    project.calibrate("-k", "test_it")
    monkeypatch.delenv("FLEX_HISTORY")
    # What CI keeps anyway: a file for each run.
    for number in range(18):
        monkeypatch.setenv("SHIFT", "2.5" if number >= 9 else "0")
        monkeypatch.setenv("FLEX_COMMIT", "bbbb2222" if number >= 9 else "aaaa1111")
        project.run(f"--flex-seed=run{number:03}", f"--junitxml=ci/run{number:03}.xml", "-k", "test_it")

    def flex(*args, code):
        done = subprocess.run([PROGRAM, *args], cwd=project.path, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    assert "18 lines added" in flex("ingest", "ci", "--history", "history", code=0)
    found = flex("drift", "--history", "history", code=1)
    assert "test_a.py::test_it: assert error < learned() (test_a.py:10)" in found, found
    assert "since bbbb2222 (" in found, found
    assert "check it: pytest test_a.py::test_it --flex=check" in found, found
