"""Options, ini settings, other plugins, and the places of the bounds file."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time

import pytest

TEST = """
import random
from pytest_flex import learned, stochastic

@stochastic
def test_it():
    assert random.random() < learned()
"""


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--flex=learn", "--flex=learn is not one of enforce, calibrate, check, record, detect, trace, off"),
        ("--flex-runs=0", "--flex-runs=0 is not a whole number of at least 1"),
        ("--flex-max-runs=many", "--flex-max-runs=many is not a whole number"),
        ("--flex-time-budget=soon", "--flex-time-budget=soon is not a time such as 90s, 10m or 2h"),
        ("--flex-seed=a@calibrate", "names no run"),
        ("--flex-fresh=class", "--flex-fresh=class is not one of module, session"),
    ],
)
def test_bad_values_are_usage_errors(project, option, words):
    project.write("test_it.py", TEST)
    assert words in project.pytest(option, code=4)
    name, value = option.removeprefix("--").split("=")
    ini = f'{name.replace("-", "_")} = "{value}"'
    project.write("pyproject.toml", f"[tool.pytest.ini_options]\n{ini}\n")
    assert words in project.pytest(code=4)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("confidence=2", "confidence"),
        ("runs=0", "`runs` is at least 1"),
        ("certainty=0.9", "stochastic knows no option certainty"),
        ("0.99", "takes options by name"),
        ("tail='heavy'", "neither 'any' nor 'light'"),
        ("on_ceiling='ignore'", "neither 'fail' nor 'warn'"),
        ("effort=-1", "effort"),
    ],
)
def test_a_marker_that_cannot_be_understood_is_a_usage_error(project, options, words):
    project.write("test_it.py", TEST.replace("@stochastic", f"@stochastic({options})"))
    assert words in project.pytest(code=4)


def test_ini_settings_hold(project):
    project.write("test_it.py", TEST)
    ini = 'flex = "calibrate"\nflex_runs = "40"\nflex_seed = "ini"\nflex_bounds = "learned/here.toml"\n'
    project.write("pyproject.toml", f"[tool.pytest.ini_options]\n{ini}")
    (project.path / "learned").mkdir()
    printed = project.pytest()
    assert "flex: calibrate 1 stochastic test, seed ini, learned/here.toml" in printed
    text = (project.path / "learned/here.toml").read_text()
    assert "samples = 40" in text
    assert 'test = "../test_it.py::test_it"' in text
    project.pytest("--flex=enforce", "--flex-seed=green")


def test_it_is_silent_where_it_is_not_used(project):
    project.write("test_plain.py", "def test_it():\n    pass\n")
    assert "flex:" not in project.pytest("-v")
    assert "flex" not in project.pytest("-q", "--no-header")


def test_strict_markers_disabled_autoload_and_no_plugin(project, monkeypatch):
    project.write("test_it.py", TEST)
    project.calibrate()
    project.write("pyproject.toml", "[tool.pytest.ini_options]\n")
    project.pytest("--strict-markers", "-W", "error", "-p", "no:asyncio", "--flex-seed=green")
    printed = project.pytest("-p", "no:flex", code=1)
    assert "mark the test with @stochastic" in printed
    assert "do not use -p no:flex" in printed
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    project.pytest("-p", "pytest_flex.plugin", "--flex-seed=green")


def test_fixtures_of_flex_are_for_stochastic_tests(project):
    project.write("test_it.py", "def test_it(flex_rng):\n    pass\n")
    assert "mark it with @stochastic" in project.pytest(code=1)


def test_calibration_runs_no_other_tests(project):
    project.write("test_it.py", TEST + "\ndef test_plain():\n    assert False\n")
    assert "1 deselected" in project.calibrate()
    project.write("test_it.py", "def test_plain():\n    assert False\n")
    # Exit code 5: no tests were collected.
    assert "1 deselected" in project.calibrate(code=5)


def test_the_debugger_is_refused_with_a_reason(project):
    project.write("test_it.py", TEST.replace("random.random()", "random.random() + SHIFT") + "\nSHIFT = 0\n")
    assert "--pdb cannot be used with --flex=calibrate" in project.calibrate("--pdb", code=4)
    project.calibrate()
    for seed in range(5):
        project.pytest("--pdb", f"--flex-seed=green{seed}")
    project.replace("test_it.py", "SHIFT = 0", "SHIFT = 0.9")
    # The debugger finds no input and quits.
    printed = project.pytest("--pdb", "--flex-seed=a", code=2)
    assert "reruns are not made under --pdb" in printed


def test_bounds_are_found_without_an_ini_file(project, monkeypatch):
    (project.path / "pyproject.toml").unlink()
    project.write("tests/test_it.py", TEST)
    # The first calibration puts them where it is called, whichever folder pytest takes for the top.
    project.calibrate("tests")
    assert 'test = "tests/test_it.py::test_it"' in project.bounds
    monkeypatch.chdir(project.path / "tests")
    project.pytest("--flex-seed=green")


def test_node_ids_do_not_depend_on_the_folder(project, monkeypatch):
    project.write("tests/test_it.py", TEST)
    monkeypatch.chdir(project.path / "tests")
    printed = project.calibrate()
    assert "wrote ../flex-bounds.toml" in printed
    assert 'test = "tests/test_it.py::test_it"' in project.bounds
    monkeypatch.chdir(project.path)
    project.pytest("--flex-seed=green")


def test_uncalibrated_stale_and_not_reached(project, monkeypatch):
    project.write("test_it.py", TEST)
    printed = project.pytest("--flex-seed=a", code=1)
    assert "uncalibrated" in printed
    assert "calibrate: pytest test_it.py::test_it --flex=calibrate" in printed
    monkeypatch.setenv("FLEX_UNCALIBRATED", "warn")
    assert "warning: test_it.py::test_it: uncalibrated" in project.pytest("--flex-seed=a")
    monkeypatch.delenv("FLEX_UNCALIBRATED")
    project.calibrate()
    # Only a comment, the docstring and the marker changed.
    commented = TEST.replace("    assert", '    """A docstring."""\n    # A comment.\n    assert')
    project.write("test_it.py", commented.replace("@stochastic", "@stochastic()"))
    monkeypatch.setenv("FLEX_STALE", "fail")
    project.pytest("--flex-seed=green")
    project.write("test_it.py", TEST.replace("    assert", "    random.random()\n    assert"))
    assert "the test changed since calibration" in project.pytest("--flex-seed=green", code=1)
    monkeypatch.setenv("FLEX_STALE", "warn")
    project.pytest("--flex-seed=green")
    project.write("test_it.py", TEST.replace("    assert", "    if random is None:\n        assert"))
    printed = project.pytest("--flex-seed=green", code=1)
    assert "not reached" in printed
    assert "note: the test changed since calibration" in printed


def test_settings_that_do_not_go_together_are_usage_errors(project, monkeypatch):
    project.write("test_it.py", TEST)
    assert "a base seed, not a single run" in project.calibrate("--flex-seed=a@calibrate:3", code=4)
    assert "are more than --flex-max-runs=3" in project.calibrate("--flex-runs=9", "--flex-max-runs=3", code=4)
    monkeypatch.setenv("FLEX_MODE", "record")
    assert "use --flex=calibrate" in project.pytest(code=4)


def test_the_environment_is_that_of_the_rust_side(project, monkeypatch):
    project.write("test_it.py", TEST)
    monkeypatch.setenv("FLEX_MODE", "calibrate")
    monkeypatch.setenv("FLEX_SEED", "calibration")
    monkeypatch.setenv("FLEX_RUNS", "30")
    project.pytest()
    assert "samples = 30" in project.bounds
    monkeypatch.setenv("FLEX_MODE", "enforce")
    monkeypatch.setenv("FLEX_LOG", "1")
    printed = project.pytest()
    assert re.search(r"flex: test_it.py::test_it: (pass|cleared) \(seed calibration\)", printed), printed
    monkeypatch.setenv("FLEX_STALE", "perhaps")
    assert "FLEX_STALE=perhaps is not one of fail, warn" in project.pytest(code=4)


def test_one_run_can_be_replayed(project):
    project.write("test_it.py", TEST)
    project.calibrate()
    first = project.pytest("--flex-seed=calibration@calibrate:57")
    assert "run 57 of phase calibrate under seed calibration" in first
    value = re.search(r"assert random.random\(\) < learned\(\): (0\.\d+)", first)
    again = project.pytest("--flex-seed=calibration@calibrate:57")
    assert value[0] in again
    assert value[0] not in project.pytest("--flex-seed=calibration@calibrate:58")


def test_a_bounds_file_that_cannot_be_read_is_left_alone(project):
    project.write("test_it.py", TEST)
    project.write("flex-bounds.toml", "version = 99\n")
    assert "flex-bounds.toml" in project.calibrate(code=4)
    assert "flex-bounds.toml" in project.pytest("--flex-seed=a", code=1)
    assert project.bounds == "version = 99\n"


def test_time_is_shared_and_what_is_too_little_is_said(project):
    # A hundred runs, which are wanted at least, would take ten seconds.
    project.write("test_it.py", TEST.replace("    assert", "    __import__('time').sleep(0.1)\n    assert"))
    result = project.run("--flex=calibrate", "--flex-seed=a", "--flex-time-budget=6s")
    assert "the time was up before there were as many runs as wanted" in result.stdout.str()


def test_an_interrupted_calibration_keeps_what_is_finished(project):
    project.write("test_a.py", TEST)
    slow = TEST.replace("    assert", "    print('SLOW', flush=True)\n    __import__('time').sleep(0.2)\n    assert")
    project.write("test_b.py", slow)
    command = [sys.executable, "-m", "pytest", "-s", "--flex=calibrate", "--flex-seed=a", "-p", "no:randomly"]
    process = subprocess.Popen(
        command,
        cwd=project.path,
        stdout=subprocess.PIPE,
        text=True,
        # A process that was started in the background ignores it, and so do those that it starts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    for line in process.stdout:
        if "SLOW" in line:
            break
    process.send_signal(signal.SIGINT)
    process.stdout.read()
    assert process.wait() == 2
    assert 'test = "test_a.py::test_it"' in project.bounds
    assert "test_b" not in project.bounds


def at_a_terminal(project, command, environment):
    """Return what a command shows at a terminal of its own."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, cwd=project.path, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    shown = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert process.wait() == 0
    return shown


def rows(shown):
    """Return what is left to be seen of it: what comes after a carriage return is written over what was there."""
    text = re.sub(r"\x1b\[[0-9;]*[mK]", "", shown.decode())
    for line in text.replace("\r\n", "\n").split("\n"):
        row = ""
        for part in line.split("\r"):
            row = part + row[len(part) :]
        yield row.rstrip()


def test_progress_is_shown_on_a_terminal(project):
    project.write("test_it.py", TEST.replace("    assert", "    __import__('time').sleep(0.01)\n    assert"))
    command = [sys.executable, "-m", "pytest", "--color=yes", "--flex=calibrate", "--flex-seed=a", "--flex-runs=60"]
    # What has no screen shows none, also where CI says that nobody looks.
    usual = {**os.environ, "CI": "", "TERM": "xterm"}
    shown = at_a_terminal(project, command, usual)
    assert re.search(rb"\rflex: test_it.py::test_it: run \d+ of 60", shown)
    assert b"\x1b[1mguard " in shown
    # When it is gone, pytest goes on with its own line as if it had never been there.
    assert re.search(r"^test_it\.py \.+ +\[100%\]$", "\n".join(rows(shown)), re.M)
    assert not any("flex: test_it.py::test_it: run" in row for row in rows(shown))

    # Nobody looks at a terminal of CI; whoever wants it quiet says so; and colour is as pytest is told.
    progress = rb"flex: test_it.py::test_it: run"
    full = [*command, "--flex-full"]
    shown = at_a_terminal(project, full, {**usual, "CI": "true"})
    assert not re.search(progress, shown)
    assert b"\x1b[1mguard " in shown
    shown = at_a_terminal(project, [*full, "-q"], usual)
    assert not re.search(progress, shown)
    plain = ["--color=no" if word == "--color=yes" else word for word in full]
    shown = at_a_terminal(project, plain, usual)
    assert re.search(progress, shown)
    assert b"\x1b[1m" not in shown


def test_without_a_terminal_progress_is_for_those_who_ask_for_it(project):
    project.write("test_it.py", TEST.replace("    assert", "    __import__('time').sleep(0.05)\n    assert"))
    usual = ("--flex=calibrate", "--flex-seed=a", "--flex-runs=40", "--flex-full")
    assert " of 40" not in project.pytest(*usual)
    said = project.pytest(*usual, "-vv")
    assert re.search(r"flex: test_it.py::test_it: run \d+ of 40(, \d+ s left)?, guard [-\d.e]+", said)
    assert "\x1b" not in said


def test_shared_state_is_refused_and_uncontrolled_randomness_is_said(project):
    project.write(
        "test_it.py",
        """
import random, os
from pytest_flex import learned, stochastic
seen = []

@stochastic
def test_shared():
    seen.append(1)
    assert random.random() + len(seen) < learned()

@stochastic
def test_uncontrolled():
    assert int.from_bytes(os.urandom(6), "little") < learned()
""",
    )
    printed = project.calibrate(code=1)
    assert "refused: shared state: under one seed" in printed
    assert "uncontrolled randomness: under the same seed" in printed
    assert "1 site refused" in printed
    printed = project.pytest("--flex-seed=a", code=1)
    assert "refused at calibration" in printed
    assert "1 failed, 1 passed" in printed


def test_flex_toml_says_what_tests_do_not(project):
    project.write("test_it.py", TEST)
    project.write("flex.toml", 'runs = 40\n\n[[test]]\npath = "test_it.py::*"\nconfidence = 0.99\n')
    project.calibrate()
    assert "samples = 40" in project.bounds
    assert "confidence = 0.99\n" in project.bounds
    project.pytest("--flex-seed=green")
    project.write("flex.toml", "rnus = 40\n")
    assert "flex.toml:1" in project.pytest(code=4)


def test_a_suite_has_a_budget(project):
    project.write("test_it.py", TEST + TEST.replace("test_it", "test_more"))
    project.write("flex.toml", 'false-alarms = "1 in 1000 runs"\n')
    project.calibrate()
    # Half of the budget, evenly over two sites.
    assert project.bounds.count("confidence = 0.99975\n") == 2
    project.pytest("--flex-seed=green")
