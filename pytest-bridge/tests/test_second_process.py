"""The second process of a calibration is started as the first was: it finds the same modules, by the same rules."""

from __future__ import annotations

import contextlib
import pathlib
import subprocess
import sys
import sysconfig
import threading

import pytest
from pytest_flex.session.order import scratch

TEST = """
import random
import statistics
from pytest_flex import learned, stochastic

@stochastic(runs=20)
def test_it():
    # A module of this name lies in the folder that the session is started in.
    found = 100 if hasattr(statistics, "OURS") else 0
    assert random.random() + found < learned(domain=({least}, {most}))
"""


@pytest.mark.parametrize(
    ("start", "is_ours"),
    [
        ([f"{sysconfig.get_path('scripts')}/pytest"], False),
        ([sys.executable, "-m", "pytest"], True),
        ([sys.executable, "-W", "ignore", "-mpytest"], True),
        ([sys.executable, "-P", "-m", "pytest"], False),
        ([sys.executable, "-I", "-m", "pytest"], False),
        ([sys.executable, "start.py"], True),
    ],
)
def test_it_has_the_same_path(project, start, is_ours):
    if "-P" in start and sys.version_info < (3, 11):
        pytest.skip("Python has no -P yet")
    least = 100 if is_ours else 0
    project.write("statistics.py", "OURS = True\n")
    project.write("start.py", "import sys, pytest\nsys.exit(pytest.main(sys.argv[1:]))\n")
    project.write("tests/test_it.py", TEST.format(least=least, most=least + 1))
    # A value outside of its domain is a mistake, so both processes must find the module that is expected.
    command = [*start, "--flex=calibrate", "--flex-seed=a", "-p", "no:randomly", "tests"]
    done = subprocess.run(command, cwd=project.path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "did not make all runs" not in done.stdout
    assert "1 site learned" in done.stdout


@pytest.mark.parametrize("strict", [["--strict-config"], ["-W", "error"]])
def test_it_needs_no_cache(project, strict):
    project.write("pyproject.toml", "[tool.pytest.ini_options]\n")
    project.write("test_it.py", TEST.format(least=0, most=1))
    off = ["-p", "no:cacheprovider", "-p", "no:junitxml", "-p", "no:randomly", "-p", "no:asyncio"]
    printed = project.calibrate(*off, *strict)
    assert "1 site learned" in printed
    assert "did not make all runs" not in printed


def test_what_a_process_that_was_ended_late_still_writes_is_no_error():
    def write(folder):
        count = 0
        with contextlib.suppress(FileNotFoundError):
            while not enough.is_set():
                pathlib.Path(folder, str(count)).touch()
                count += 1

    for _ in range(20):
        enough = threading.Event()
        with scratch() as folder:
            writer = threading.Thread(target=write, args=(folder,))
            writer.start()
        enough.set()
        writer.join()
