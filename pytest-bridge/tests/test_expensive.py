"""Runs that take long: several at once, kept on disk while a verdict is under way, and with a limit.

All seeds are fixed.
"""

from __future__ import annotations

import re
import subprocess
import sys

HEAD = """
import os, random, threading, time
import pytest
from pytest_flex import Inconclusive, learned, mean, rate, stochastic

SHIFT = float(os.environ.get("SHIFT", 0))
LOCK, NOW, MADE = threading.Lock(), [0], [0]

def slow(rng):
    with LOCK:
        NOW[0] += 1
        MADE[0] += 1
        made = MADE[0]
        with open("log", "a") as log:
            log.write(f"{NOW[0]}\\\\n")
    time.sleep(0.004)
    with LOCK:
        NOW[0] -= 1
    if made == int(os.environ.get("DIE", -1)):
        os._exit(9)
    if made == int(os.environ.get("STOP", -1)):
        raise KeyboardInterrupt
    return min(max(0.1 + SHIFT + 0.03 * rng.normal(), 0), 1)
""".replace("\\\\", "\\")

OVERLAPPING = (
    HEAD
    + """
@pytest.fixture
def shared(tmp_path):
    return tmp_path

@stochastic
def test_mean(flex_rng, shared):
    if flex_rng.random() < 0.1:
        raise Inconclusive("busy")
    assert mean(slow(flex_rng), domain=(0, 1)) < 0.11

class TestClass:
    @stochastic(attempts=3)
    def test_fails_at_times(self, flex_rng, flex_seed):
        assert flex_rng.random() > 0.02 and flex_seed >= 0
        assert mean(slow(flex_rng), domain=(0, 1)) < 0.11
"""
)


def logged(project) -> list[int]:
    file = project.path / "log"
    runs = [int(line) for line in file.read_text().split()]
    file.unlink()
    return runs


def verdicts(printed: str) -> list[str]:
    """Return what was said of each test, without how long that took."""
    said = re.findall(r"^(?:note|flex|  assert|    \w+|E  ) .*$", printed, re.M)
    return [re.sub(r"[\d.]+s\b", "", line) for line in said if "collected" not in line]


def test_runs_beside_each_other_give_the_verdict_of_one_after_the_other(project, monkeypatch):
    project.write("test_all.py", OVERLAPPING)
    monkeypatch.setenv("FLEX_LOG", "1")
    for shift, code in (("0", 0), ("0.05", 1)):
        monkeypatch.setenv("SHIFT", shift)
        project.write("flex.toml", "")
        alone = project.pytest("--flex-seed=s1", "-p", "no:randomly", code=code)
        runs = logged(project)
        assert max(runs) == 1
        project.write("flex.toml", "runs-in-parallel = 4\n")
        together = project.pytest("--flex-seed=s1", "-p", "no:randomly", code=code)
        beside = logged(project)
        assert max(beside) > 1
        # What was begun and not needed is thrown away.
        assert len(runs) <= len(beside) < len(runs) + 8
        assert verdicts(together) == verdicts(alone)
        assert verdicts(alone)


REFUSED = {
    "async def test_it(flex_rng): pass": "only plain functions and methods",
    "@pytest.fixture\ndef agent(flex_seed): return 1\n\n@A\ndef test_it(agent): pass": "share the fixture agent",
}


def test_what_cannot_be_shared_is_refused(project):
    for source, words in REFUSED.items():
        marked = source.replace("@A", "@stochastic(runs_in_parallel=2)")
        marker = "" if "@A" in source else "@stochastic(runs_in_parallel=2)\n"
        project.write("test_all.py", f"{HEAD}\n{marker}{marked}\n")
        assert words in project.pytest("-p", "no:asyncio", code=4)
    drawn = "@stochastic(runs_in_parallel=2)\ndef test_it():\n    assert rate(random.random() > 0.01) > 0.8\n"
    project.write("test_all.py", f"{HEAD}\n{drawn}")
    assert "share the generators of random" in " ".join(project.pytest("--flex-seed=s1").split())


KEPT = (
    HEAD
    + "\n@stochastic(keep_runs=True)\ndef test_kept(flex_rng):\n    assert mean(slow(flex_rng), domain=(0, 1)) < 0.11\n"
)


def test_an_interrupted_test_goes_on_where_it_was(project, monkeypatch):
    project.write("test_all.py", KEPT)
    monkeypatch.setenv("FLEX_LOG", "1")
    whole = project.pytest("--flex-seed=s1")
    runs = len(logged(project))
    fine = re.search(r"^  assert .*: fine after .*$", whole, re.M)
    assert fine, whole

    def interrupted(how: str, code: int) -> None:
        (project.path / "log").unlink(missing_ok=True)
        monkeypatch.setenv(how, "9")
        command = [sys.executable, "-m", "pytest", "--flex-seed=s1"]
        assert subprocess.run(command, cwd=project.path, check=False, capture_output=True).returncode == code
        monkeypatch.delenv(how)
        assert len(logged(project)) == 9

    for how, code in (("DIE", 9), ("STOP", 2)):
        interrupted(how, code)
        # Under its seed, which nobody has to state again.
        on = project.pytest()
        assert "note: test_all.py::test_kept: goes on after 8 runs under seed s1" in on
        assert len(logged(project)) == runs - 8
        assert fine[0] in on
        # Then it is gone.
        assert "goes on" not in project.pytest("--flex-seed=s1")
        assert len(logged(project)) == runs
    kept = project.path / ".pytest_cache/d/flex/runs"
    assert not list(kept.iterdir())

    # Neither another seed, nor other sources, nor a damaged file.
    interrupted("DIE", 9)
    assert "goes on" not in project.pytest("--flex-seed=s2")
    interrupted("DIE", 9)
    project.write("agent.py", "changed = True\n")
    assert "goes on" not in project.pytest()
    interrupted("DIE", 9)
    (file,) = kept.iterdir()
    damaged = bytearray(file.read_bytes())
    damaged[-20] ^= 1
    file.write_bytes(damaged)
    assert re.search(r"^warning: .*runs/\w+ are damaged; they are not used$", project.pytest(), re.M)


LIMITED = (
    HEAD
    + """
@stochastic(time_limit=0.1)
def test_it(flex_rng):
    assert mean(slow(flex_rng), domain=(0, 1), margin=1e-5) < 0.1
"""
)


def test_there_is_an_end_to_it(project):
    project.write("test_all.py", LIMITED)
    printed = project.pytest("--flex-seed=s1")
    assert "note: test_all.py::test_it: the time limit of 100 ms was up" in printed
    assert ": undecided after " in printed
    project.replace("test_all.py", "time_limit=0.1", "max_runs=2000")
    printed = project.pytest("--flex-seed=s1", "--flex-time-budget=0.2")
    assert "the time was up; more runs may tell more" in printed
