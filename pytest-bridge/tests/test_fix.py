"""What `flex-harness fix` writes into assertions of unittest and NumPy is exact, also at powers of ten."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

import pytest

PROGRAM = os.environ.get("FLEX_HARNESS")
np = pytest.importorskip("numpy")

CALLS = {
    "places": "unittest.TestCase().assertAlmostEqual(D, 0.0, places=9)",
    "decimal": "np.testing.assert_almost_equal(D, 0.0, decimal=9)",
    "array": "np.testing.assert_array_almost_equal([D], [0.0], decimal=9)",
    "significant": "np.testing.assert_approx_equal(1.0 + D, 1.0, significant=9)",
}


def record(root: str, source: str, role: str, values: list[float], bound: float) -> dict[str, Any]:
    """Return what `detect` would write of these differences."""
    line = source.splitlines()[3]
    column = line.rindex("9")
    span = {"line": 4, "column": column, "end_line": 4, "end_column": column + 1}
    failed = [run for run, value in enumerate(values) if value > bound]
    runs = [{"index": run, "outcome": "fail" if run in failed else "pass"} for run in range(len(values))]
    site = {
        "id": "a",
        "file": "test_it.py",
        "line": 4,
        "text": line.strip(),
        "form": "numpy.testing",
        "is_hard": True,
        "failed": failed,
        "series": [
            {
                "role": role,
                "bound": bound,
                "knob": {"text": "9", "given": "literal", "span": span},
                "values": list(enumerate(values)),
            }
        ],
    }
    for run in failed:
        runs[run]["failed_site"] = 0
    test = {
        "name": "test_it.py::test_it",
        "file": "test_it.py",
        "line": 3,
        "replay": None,
        "seconds_per_run": 0.1,
        "runs": runs,
        "sites": [site],
    }
    return {"version": 2, "harness": "pytest", "base": "a", "root": root, "tests": [test]}


@pytest.mark.skipif(PROGRAM is None, reason="FLEX_HARNESS does not say where the command line is")
@pytest.mark.parametrize("exponent", [3, 6])
@pytest.mark.parametrize("kind", CALLS)
def test_whole_tolerances_are_exact(project, kind, exponent):
    # The differences reach to a power of ten or a little further. The seed is fixed.
    unit = 10.0**-exponent
    values = (1.2 * unit * np.random.default_rng(1).random(1000)).tolist()
    source = f"import unittest\nimport numpy as np\ndef test_it():\n    {CALLS[kind]}\n"
    file = project.write("test_it.py", source)
    role = "decimal" if kind == "array" else kind
    project.write("record.json", json.dumps(record(str(project.path), source, role, values, 0.2 * unit)))
    done = subprocess.run(
        [PROGRAM, "fix", "--choose", "bound", "--record", "record.json", "--apply", "--allow-dirty"],
        cwd=project.path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    patched = file.read_text(encoding="utf-8")
    number = int(patched.split("=")[-1].strip(" )\n"))

    def passes(text: str) -> bool:
        names: dict[str, Any] = {"D": max(values)}
        exec(compile(text, "test_it.py", "exec"), names)
        try:
            names["test_it"]()
        except AssertionError:
            return False
        return True

    assert passes(patched)
    assert not passes(patched.replace(f"={number})", f"={number + 1})"))


@pytest.mark.skipif(PROGRAM is None, reason="FLEX_HARNESS does not say where the command line is")
def test_averages_and_p_values_are_offered_as_claims(project, monkeypatch):
    monkeypatch.setenv("PATH", str(project.warm.folder), prepend=os.pathsep)
    project.write(
        "test_it.py",
        "import numpy as np\n\n\ndef test_average():\n    assert np.mean(np.random.rand(20)) < 0.6\n\n\n"
        "def test_p_value():\n    p_value = float(np.random.rand())\n    assert p_value > 0.05\n",
    )

    def flex(*args: str) -> str:
        command = [PROGRAM, *args]
        done = subprocess.run(command, cwd=project.path, capture_output=True, text=True, check=False)
        return " ".join((done.stdout + done.stderr).split())

    # The seed is fixed.
    flex("detect", "--pytest", ".", "--seed", "a")
    menu = flex("fix", "--pytest", ".")
    assert "an average that is compared with 0.6 in each run says something of all runs" in menu, menu
    assert "Write, in a stochastic test: assert mean(x, domain=(" in menu
    assert "a p-value above 0.05 fails 5.0% of runs by construction" in menu
    assert 'assert distributed(draws, law, draws="independent")' in menu
