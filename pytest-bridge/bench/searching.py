"""What a search costs beside the bare runs of its test: processor time of real pytest processes, as a ratio.

Prints one JSON object. A search with few runs and one with many are made in alternation with as many bare calls of the
test's function, each in a process of its own, so that starting up drops out of both differences.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS = (30, 330)
ROUNDS = 5

TEST = """
import random

def test_walk():
    x = 0.0
    for _ in range(190_000):
        x += random.random() - 0.5
    assert abs(x) < 2000.0
"""


def main() -> None:
    """Measure, and print the medians of all rounds."""
    searches: list[float] = []
    bare: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "test_walk.py").write_text(TEST)
        for _ in range(ROUNDS):
            searches.append(search(folder, RUNS[1]) - search(folder, RUNS[0]))
            bare.append(calls(folder, RUNS[1]) - calls(folder, RUNS[0]))
    more = RUNS[1] - RUNS[0]
    ratios = [search / plain for search, plain in zip(searches, bare, strict=True)]
    found = {
        "runs": RUNS,
        "bare_milliseconds": 1000 * statistics.median(bare) / more,
        "search_milliseconds": 1000 * statistics.median(searches) / more,
        "ratio": statistics.median(ratios),
        "ratios": ratios,
    }
    print(json.dumps(found))


def search(folder: Path, runs: int) -> float:
    """Return the processor time of a search, with all processes that it starts."""
    options = ["--flex=record", f"--flex-runs={runs}", f"--flex-max-runs={runs}", "--flex-seed=cost"]
    plugins = ["-p", "no:randomly", "-p", "no:xdist"]
    return processor_time(folder, ["-m", "pytest", "-q", "test_walk.py", *plugins, *options])


def calls(folder: Path, runs: int) -> float:
    """Return the processor time of as many calls of the function."""
    program = f"from test_walk import test_walk\nfor _ in range({runs}):\n    test_walk()"
    return processor_time(folder, ["-c", program])


def processor_time(folder: Path, arguments: list[str]) -> float:
    """Return the processor time of a Python process and of those that it waits for."""

    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = used()
    env = {**os.environ, "PYTHONHASHSEED": "1"}
    subprocess.run([sys.executable, *arguments], cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL)
    return used() - before


if __name__ == "__main__":
    main()
