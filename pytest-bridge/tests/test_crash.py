"""Calibrations that are killed while they write the bounds file, and many that write it at once.

Set FLEX_LONG for as many kills as the bars ask for. The kills need strace, which stops a process at a system call.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Project

LONG = bool(os.environ.get("FLEX_LONG"))
PROGRAM = os.environ.get("FLEX_HARNESS")
WRITER = None if PROGRAM is None else Path(PROGRAM).with_name("bounds-writer")

TESTS = """
import random
from pytest_flex import learned, stochastic

@stochastic(runs=10)
def test_first():
    assert random.gauss(0, 1) < learned()

@stochastic(runs=10)
def test_second():
    assert random.gauss(0, 1) > learned()
"""

POINTS = [("rename", 1), ("fsync", 1), ("fsync", 2), ("fchmod", 1)]
"""System calls by which a file is replaced."""


def can_trace() -> bool:
    strace = shutil.which("strace")
    if strace is None:
        return False
    return subprocess.run([strace, "-qq", "-o", "/dev/null", "true"], capture_output=True).returncode == 0


@pytest.mark.skipif(not can_trace(), reason="strace is not installed, or may not trace here")
def test_a_calibration_that_is_killed_while_it_writes_leaves_a_whole_file(project: Project) -> None:
    project.write("test_a.py", TESTS)
    project.calibrate("-k", "first", fresh=True)
    old = project.bounds
    second = ["-m", "pytest", "-p", "no:cacheprovider", "--flex=calibrate", "--flex-seed=calibration", "-k", "second"]
    project.run(*second[2:], fresh=True)
    new = project.bounds
    assert old != new
    assert 'test = "test_a.py::test_first"' in new
    left = {"old": 0, "new": 0}
    for kill in range(40 if LONG else 8):
        (project.path / "flex-bounds.toml").write_text(old, encoding="utf-8")
        call, when = POINTS[kill % len(POINTS)]
        inject = ["-e", f"trace={call}", "-e", f"inject={call}:signal=SIGKILL:when={when}"]
        strace = ["strace", "-f", "-qq", "-o", "/dev/null", *inject]
        ended = subprocess.run([*strace, sys.executable, *second], cwd=project.path, capture_output=True, text=True)
        assert ended.returncode < 0, ended
        assert project.bounds in (old, new), project.bounds
        left["old" if project.bounds == old else "new"] += 1
    assert left["old"] > 0
    assert left["new"] > 0
    project.run(*second[2:], fresh=True)
    assert not [file.name for file in project.path.glob(".flex-bounds*.tmp")]


@pytest.mark.skipif(WRITER is None, reason="FLEX_HARNESS does not say where our programs are")
def test_many_that_write_one_file_lose_nothing(project: Project) -> None:
    tests, writers = 8, 56
    for number in range(tests):
        project.write(f"test_{number}.py", TESTS)
    bounds = project.path / "flex-bounds.toml"
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--flex=calibrate", "--flex-seed=c"]
    started = [[*words, f"test_{number}.py"] for number in range(tests)]
    started += [[str(WRITER), str(bounds), f"w{number}", "20" if LONG else "5"] for number in range(writers)]
    running = [
        subprocess.Popen(command, cwd=project.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for command in started
    ]
    for process in running:
        printed, _ = process.communicate()
        assert process.returncode == 0, printed
    text = project.bounds
    for number in range(tests):
        for name in ("first", "second"):
            assert text.count(f'test = "test_{number}.py::test_{name}"\n') == 1
    for number in range(writers):
        assert text.count(f'test = "w{number}"\n') == 2
    assert text.count(f"samples = {20 if LONG else 5}\n") == 2 * writers
