"""What a rerun and a recalibration cost, beside a bare loop that reseeds and other plugins; and pytest-flex unused.

Prints one JSON object with milliseconds of processor time, which do not depend on what else the machine does. Each way
makes a smaller and a larger number of runs; the difference is what a run costs, and what starting costs falls out.
`cargo xtask pytest` runs this and writes the page.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

FEW = 500
MANY = {"bare": 10_500, "flex": 10_500, "repeat": 2500, "flakefinder": 2500}
REPEATS = 5

TEST = """
import random
import numpy as np
import pytest
from pytest_flex import learned, stochastic

@pytest.fixture
def drawn():
    yield random.random()

@stochastic
def test_flex(drawn):
    assert drawn + np.random.random() < learned()

def test_other(drawn):
    assert drawn + np.random.random() < 3
"""

SUITE = """
import random, time
import pytest
from pytest_flex import learned, stochastic

@pytest.mark.parametrize("number", range(100))
@stochastic
def test_suite(number):
    until = time.process_time() + 0.01
    while time.process_time() < until:
        pass
    assert random.random() < learned()
"""

BARE = """
import random, sys
import numpy as np

def drawn():
    yield random.random()

def test(drawn):
    assert drawn + np.random.random() < 3

for seed in range(int(sys.argv[1])):
    random.seed(seed)
    np.random.seed(seed)
    fixture = drawn()
    test(next(fixture))
    for _ in fixture:
        pass
"""


def main() -> None:
    """Measure everything."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pytest.ini").write_text("[pytest]\n")
        (folder / "test_cost.py").write_text(TEST)
        (folder / "test_empty.py").write_text("def test_nothing():\n    pass\n")
        (folder / "bare.py").write_text(BARE)
        pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:xdist", "-p", "no:asyncio"]
        others = [*pytest, "-p", "no:flex", "test_cost.py::test_other"]
        ways = {
            "bare": lambda runs: [sys.executable, "bare.py", str(runs)],
            "flex": lambda runs: [
                *pytest,
                "test_cost.py::test_flex",
                "--flex=calibrate",
                "--flex-seed=a",
                f"--flex-runs={runs}",
                "--flex-bounds=bounds.toml",
            ],
            "repeat": lambda runs: [*others, "-p", "no:flakefinder", f"--count={runs}"],
            "flakefinder": lambda runs: [*others, "-p", "no:repeat", "--flake-finder", f"--flake-runs={runs}"],
        }
        cost: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(REPEATS):
            for way, command in ways.items():
                took = [timed(command(runs), folder) for runs in (FEW, MANY[way])]
                cost[way].append(1000 * (took[1] - took[0]) / (MANY[way] - FEW))
        # The least disturbed.
        found = {way: min(values) for way, values in cost.items()}
        isolated = [timed([*ways["flex"](runs), "--flex-isolate"], folder) for runs in (50, 250)]
        found["isolated"] = 1000 * (isolated[1] - isolated[0]) / 200
        found["process"] = 1000 * min(timed(others, folder) for _ in range(REPEATS))
        found["unused"] = startup(pytest, folder)
        (folder / "test_suite.py").write_text(SUITE)
        calibrate = [*pytest, "test_suite.py", "--flex=calibrate"]
        found["calibration"] = 1000 * timed(calibrate, folder)
        found["recalibration"] = 1000 * min(timed(calibrate, folder) for _ in range(REPEATS))
    print(json.dumps(found))


def startup(pytest: list[str], folder: Path) -> float:
    """Return how much longer pytest takes with the plugin installed and unused.

    That is a fortieth of a start, and starts differ by more. So instructions are counted, which do not, and their
    share is taken of the time of the quickest start without the plugin.
    """
    unused = [*pytest, "-p", "no:flex", "test_empty.py"]
    least = min(timed(unused, folder) for _ in range(10))
    return 1000 * least * (instructions([*pytest, "test_empty.py"], folder) / instructions(unused, folder) - 1)


def instructions(command: list[str], folder: Path) -> int:
    """Return the instructions that a command takes, by valgrind."""
    counted = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    done = subprocess.run(counted, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    assert found is not None, done.stderr
    return int(found[1])


def timed(command: list[str], folder: Path) -> float:
    """Return the seconds of processor time that a command takes, with all processes that it starts."""
    (folder / "bounds.toml").unlink(missing_ok=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
