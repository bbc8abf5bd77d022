"""What tests of a search share: a search in a project, and what it wrote down."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from typing import Any

HEAD = """
import os, pickle, random, secrets, unittest, uuid
import numpy as np
import pytest
from numpy.random import RandomState, default_rng
"""


def record(
    project: Any, *args: str, code: int = 0, mode: str = "record", fresh: bool = False
) -> dict[str, dict[str, Any]]:
    """Search the tests of a project, and return what was seen, by the name of the test."""
    options = (f"--flex={mode}", "--flex-seed=search", "--flex-record=found.json", *args)
    project.printed = project.pytest(*options, code=code, fresh=fresh)
    return found(project)


def found(project: Any) -> dict[str, dict[str, Any]]:
    """Return what the last search wrote down."""
    text = (project.path / "found.json").read_text(encoding="utf-8")
    project.record = json.loads(text)
    assert project.record["version"] == 2
    return {test["name"].split("::", 1)[1]: test for test in project.record["tests"]}


def interrupted(project: Any, *args: str, by: signal.Signals) -> tuple[str, dict[str, dict[str, Any]]]:
    """Interrupt a search as soon as a test has written the file `ready`; return what it says, and what was seen."""
    command = [sys.executable, "-m", "pytest", "--flex-record=found.json", "-p", "no:randomly", *args]
    process = subprocess.Popen(
        command,
        cwd=project.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # A process that was started in the background ignores it, and so do those that it starts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while not (project.path / "ready").exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(by)
    printed = process.communicate()[0]
    assert process.returncode == 2, printed
    return printed, found(project)


def outcomes(test: dict[str, Any]) -> dict[str, int]:
    """Return how many runs of a test ended how."""
    ends = [run["outcome"] for run in test["runs"]]
    return {end: ends.count(end) for end in ("pass", "fail", "skip") if end in ends}


def values(test: dict[str, Any], site: int = 0) -> dict[int, float]:
    """Return the values of a site, by run."""
    return dict(test["sites"][site]["series"][0]["values"])


def shown(test: dict[str, Any], index: int, place: str) -> dict[str, Any]:
    """Return what a run showed when it was repeated at a place."""
    return next(run for run in test["repeats"] if (run["index"], run["place"]) == (index, place))
