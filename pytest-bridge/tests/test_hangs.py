"""Runs that hang: whatever is done with a test, wherever it runs, somebody is told, and nothing counts as a success.

Limits are stated and short; that a session ends at all is held to a time that no machine exceeds.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

OUTER = 120
"""Seconds that no session here takes."""

TEST = """
import os
import random
import sys
import time
from pathlib import Path

from pytest_flex import learned, stochastic


def hang():
    Path("hangs").write_text(str(os.getpid()))
    time.sleep(1000)


@stochastic(timeout=1, runs=20)
def test_hangs():
    value = random.random()
    if value < float(os.environ.get("HANGS", "0")):
        hang()
    assert value < learned()
"""

WAYS = {"process": [], "isolated": ["--flex-isolate"], "xdist": ["-n1"]}


def ended(project, *args: str) -> tuple[int, str]:
    """Run pytest, which must come to an end."""
    result = project.pytester.run(project.warm.python, "-m", "pytest", "-p", "no:randomly", *args, timeout=OUTER)
    return result.ret, "\n".join(result.outlines + result.errlines)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("mode", ["calibrate", "check", "enforce", "detect", "off"])
def test_every_mode_tells_of_a_run_that_hangs(project, monkeypatch, mode, way):
    if (mode, way) == ("detect", "isolated"):
        pytest.skip("a search makes its runs in this process")
    project.write("test_it.py", TEST)
    project.calibrate("-p", "no:randomly")
    before = project.bounds
    # Every run, or some of them where several are made; the seed is fixed.
    monkeypatch.setenv("HANGS", "0.2" if mode in ("calibrate", "check", "detect") else "1")
    more = ["--flex-full"] if mode in ("calibrate", "check") else []
    code, printed = ended(project, f"--flex={mode}", "--flex-seed=a", *more, *WAYS[way])
    assert code not in (0, 5), printed
    assert "hangs: it had not ended after 1" in printed
    # A calibration begins with runs of the last one.
    phase = {"off": "enforce", "check": "(check|calibrate)"}.get(mode, mode)
    assert re.search(rf"--flex-seed=\w+@{phase}:\d", printed)
    assert "--flex-timeout=1" in printed
    # Where it hangs.
    assert "in hang" in printed
    assert project.bounds == before
    if way == "isolated":
        assert code == 1
        assert "1 failed" in printed


@pytest.mark.parametrize("way", WAYS)
def test_programs_are_told_of_a_run_that_hangs(project, monkeypatch, way):
    project.write("test_it.py", TEST)
    project.calibrate("-p", "no:randomly")
    monkeypatch.setenv("HANGS", "1")
    monkeypatch.setenv("FLEX_LOG", "json")
    # In CI, pytest's summary says all of it again.
    monkeypatch.delenv("CI", raising=False)

    def verdicts(*args: str) -> list[dict[str, Any]]:
        _, printed = ended(project, *args, *WAYS[way])
        assert "hangs: it had not ended after 1" in printed
        lines = [line for line in printed.splitlines() if '{"verdict"' in line]
        return [json.loads(line[line.index("{") :]) for line in lines]

    # The whole test, and one run of it that is made again.
    for seed in ("a", "a@enforce:0"):
        [told] = verdicts(f"--flex-seed={seed}")
        assert (told["verdict"], told["test"]) == ("error", "test_it.py::test_hangs")
        assert told["seed"] == "a@enforce:0"
        assert re.fullmatch(r"run 0 hangs: it had not ended after 1\S* s, and was ended", told["why"])
        assert re.search(r"::test_hangs (--flex-isolate )?--flex-seed=a@enforce:0 --flex-timeout=1s$", told["replay"])
    # A calibration gives no verdict.
    assert verdicts("--flex=calibrate", "--flex-seed=a", "--flex-full") == []


def test_the_limit_can_be_stated_in_four_places(project, monkeypatch):
    hangs = TEST.replace("timeout=1, ", "")
    project.write("test_it.py", hangs)
    monkeypatch.setenv("HANGS", "1")
    _, printed = ended(project, "--flex=off", "--flex-timeout=1s")
    assert "hangs: it had not ended after 1" in printed
    project.write("flex.toml", "timeout = 1\n")
    _, printed = ended(project, "--flex=off")
    assert "hangs: it had not ended after 1" in printed
    # What counts first is wrong here, and so the only one that is told of.
    monkeypatch.setenv("FLEX_TIMEOUT", "soon")
    assert "`soon` is not a time" in ended(project, "--flex=off")[1]
    monkeypatch.delenv("FLEX_TIMEOUT")
    assert "not a time such as 90s" in project.pytest("--flex-timeout=soon", code=4)
    project.replace("test_it.py", "runs=20", "timeout=0")
    assert "`timeout` is above 0" in project.pytest(code=4)


def test_a_run_that_hangs_in_the_second_process_is_told_of_and_nothing_is_learned(project):
    in_second = TEST.replace('value < float(os.environ.get("HANGS", "0"))', '"--flex-order" in " ".join(sys.argv)')
    project.write("test_it.py", in_second)
    code, printed = ended(project, "--flex=calibrate", "--flex-seed=a")
    assert code == 1, printed
    assert "hangs: it had not ended after 1" in printed
    assert "a run hangs in a second process: nothing was learned" in printed
    assert not (project.path / "flex-bounds.toml").exists()


def test_a_rerun_that_hangs_fails_an_isolated_test(project):
    # Its second run is a replay.
    always = TEST.replace("timeout=1", 'timeout=1, replay="always"')
    project.write(
        "test_it.py", always.replace('value < float(os.environ.get("HANGS", "0"))', 'Path("second").exists()')
    )
    project.calibrate("-p", "no:randomly")
    project.replace("test_it.py", "    assert", '    Path("second").touch()\n    assert')
    code, printed = ended(project, "--flex-isolate", "--flex-seed=a")
    assert code == 1, printed
    assert "hangs: it had not ended after 1" in printed
    assert "--flex-seed=calibration@calibrate:" in printed


def started(project, *args: str) -> subprocess.Popen[str]:
    """Start pytest, without waiting for it."""
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", "-p", "no:randomly", *args],
        cwd=project.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )


def until(condition) -> None:
    """Wait for something, as long as it may take anywhere."""
    ends = time.monotonic() + OUTER
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.05)


def hanging(project) -> int:
    """Return the process that hangs, as soon as it does."""
    file = project.path / "hangs"
    until(lambda: file.exists() and file.read_text(encoding="utf-8"))
    return int(file.read_text(encoding="utf-8"))


def lives(process: int) -> bool:
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
@pytest.mark.parametrize("how", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_an_isolated_run_does_not_outlive_the_session(project, monkeypatch, how):
    monkeypatch.setenv("HANGS", "1")
    project.write("test_it.py", TEST)
    session = started(project, "--flex=calibrate", "--flex-isolate", "--flex-timeout=10m")
    child = hanging(project)
    session.send_signal(signal.Signals[how])
    session.communicate(timeout=OUTER)
    assert session.returncode != 0
    until(lambda: not lives(child))


@pytest.mark.parametrize(
    "body",
    [
        # Holds the pipe of the run longer than the run takes.
        "if os.fork() == 0:\n        time.sleep(1000)",
        "subprocess.Popen(['sleep', '1000'], close_fds=False)",
    ],
)
def test_an_isolated_run_ends_with_what_it_forked(project, body):
    project.write(
        "test_it.py",
        f"""
import os
import random
import subprocess
import time
from pytest_flex import learned, stochastic

@stochastic(runs=3, max_runs=3)
def test_it():
    {body}
    assert random.random() < learned()
""",
    )
    _, printed = ended(project, "--flex=calibrate", "--flex-isolate", "--flex-seed=a", "-W", "ignore")
    assert "1 test calibrated" in printed, printed


def test_an_isolated_run_that_exits_is_a_failure(project):
    project.write(
        "test_it.py",
        """
import os
from pytest_flex import stochastic

@stochastic
def test_it():
    os._exit(0)
""",
    )
    code, printed = ended(project, "--flex=off", "--flex-isolate")
    assert code == 1
    assert "the run ended its process (exit code 0)" in printed


TWO = """
import os
import random
import time
from pathlib import Path

from pytest_flex import learned, stochastic


@stochastic(runs=20)
def test_first():
    assert random.random() < learned()


@stochastic(runs=20)
def test_second():
    Path("hangs").write_text(str(os.getpid()))
    time.sleep(1000)
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("mode", ["calibrate", "detect"])
def test_an_interrupted_session_keeps_what_is_finished(project, mode, how):
    project.write("test_it.py", TWO)
    session = started(project, f"--flex={mode}", "--flex-seed=a")
    hanging(project)
    session.send_signal(how)
    printed, _ = session.communicate(timeout=OUTER)
    assert session.returncode == pytest.ExitCode.INTERRUPTED, printed
    if mode == "calibrate":
        assert "1 test calibrated: 1 site learned" in printed
        assert "test_first" in project.bounds
    else:
        assert "flex: 1 test in" in printed
        record = project.path / ".pytest_cache/d/flex/detect.json"
        assert "test_first" in record.read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_the_second_process_ends_with_a_session_that_is_killed(project):
    in_second = TEST.replace('value < float(os.environ.get("HANGS", "0"))', '"--flex-order" in " ".join(sys.argv)')
    project.write("test_it.py", in_second)
    session = started(project, "--flex=calibrate", "--flex-timeout=10m")
    second = hanging(project)
    assert second != session.pid
    os.kill(session.pid, signal.SIGKILL)
    session.communicate(timeout=OUTER)
    until(lambda: not lives(second))
