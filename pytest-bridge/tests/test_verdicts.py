"""What enforcement says: beyond the ceiling, cleared by a rerun, judged by the bounds of a variant."""

from __future__ import annotations

import json
import re
from typing import Any

VALUE = """
import os, random
from pytest_flex import learned, stochastic

@stochastic(OPTIONS)
def test_value():
    value = random.gauss(0, 1) + float(os.environ.get("SHIFT", 0))
    assert "BREAKS" not in os.environ
    assert value < learned()
"""


def test_a_value_beyond_the_ceiling_fails_at_once_or_warns(project, monkeypatch):
    file = project.write("test_value.py", VALUE.replace("OPTIONS", ""))
    project.calibrate()
    monkeypatch.setenv("SHIFT", "1e6")
    printed = project.pytest("--flex-seed=a", code=1)
    assert "beyond the ceiling: must be" in printed
    assert "reruns" not in printed
    # Then a replay shows that something changed, and reruns confirm it.
    file.write_text(VALUE.replace("OPTIONS", "on_ceiling='warn'"), encoding="utf-8")
    printed = project.pytest("--flex-seed=a", code=1)
    assert "of the calibration gave" in printed
    assert "beyond the farthest of all samples" in printed
    assert re.search(r"FlexWarning: .*ceiling", printed, re.S), printed


def test_a_value_beyond_the_guard_is_cleared_by_a_rerun(project, monkeypatch):
    project.write("test_value.py", VALUE.replace("OPTIONS", ""))
    project.calibrate()
    monkeypatch.setenv("FLEX_LOG", "1")
    # A fifth of the runs of unchanged code go beyond their guard, so ten seeds show some; they are fixed.
    printed = [project.pytest(f"--flex-seed=a{seed}") for seed in range(10)]
    cleared = [words for words in printed if "test_value: cleared (seed a" in words]
    assert 0 < len(cleared) < 10
    assert all("1 passed" in words for words in printed)


def test_verdicts_are_shown_as_json(project, monkeypatch):
    project.write("test_value.py", VALUE.replace("OPTIONS", ""))
    project.calibrate()
    monkeypatch.setenv("FLEX_LOG", "json")
    assert '{"verdict":"pass"' in project.pytest("--flex-seed=a")
    monkeypatch.setenv("SHIFT", "50")

    def told(verdict: str) -> dict[str, Any]:
        lines = project.pytest("--flex-seed=a", code=1).splitlines()
        line = next(line for line in lines if f'{{"verdict":"{verdict}"' in line)
        return json.loads(line[line.index("{") :])

    failed = told("fail")
    assert failed["test"] == "test_value.py::test_value"
    assert failed["problems"][0]["value"] > failed["problems"][0]["bound"]
    # A test that fails by itself has a verdict, too.
    monkeypatch.setenv("BREAKS", "1")
    assert told("error")["replay"] == "pytest test_value.py::test_value --flex-seed=a"


def test_kinds_of_machines_have_bounds_of_their_own(project, monkeypatch):
    project.write("test_value.py", VALUE.replace("OPTIONS", ""))
    project.calibrate()
    monkeypatch.setenv("FLEX_VARIANT", "gpu")
    monkeypatch.setenv("SHIFT", "50")
    project.calibrate()
    assert 'variant = "gpu"' in project.bounds
    project.pytest("--flex-seed=a")
    printed = project.pytest("--flex-seed=b", "-p", "no:cacheprovider")
    assert "1 passed" in printed
    monkeypatch.delenv("FLEX_VARIANT")
    assert "beyond the" in project.pytest("--flex-seed=a", code=1)
    monkeypatch.setenv("SHIFT", "0")
    project.pytest("--flex-seed=a")


def test_without_numpy_the_generator_is_python_s_own(project, monkeypatch):
    project.write("numpy.py", "raise ImportError('there is no NumPy here')\n")
    monkeypatch.setenv("PYTHONPATH", str(project.path))
    project.write(
        "test_value.py",
        "import random\nfrom pytest_flex import learned, stochastic\n\n"
        "@stochastic\ndef test_value(flex_rng):\n"
        "    assert isinstance(flex_rng, random.Random)\n"
        "    assert flex_rng.gauss(0, 1) < learned()\n",
    )
    printed = project.calibrate(fresh=True)
    assert "uncontrolled" not in printed
    project.pytest("--flex-seed=a", fresh=True)
