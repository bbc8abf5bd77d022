"""The corpus of flaky tests, its half in Python: the verdict of each, and what `fix` does about it.

The other half is in the end-to-end tests of Rust; `cargo xtask detect` makes 2,000 fresh runs of every test that is
mended. All seeds are fixed, that of hashes too.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from warm import Warm

CORPUS = Path(__file__).parents[2] / "tests" / "corpus" / "python" / "test_corpus.py"

EXPECTED = {
    "test_allclose_with_a_wrong_atol": ("flaky", "tolerance"),
    "test_accuracy": ("flaky", "bound"),
    "test_f1_of_a_rare_class": ("flaky", "look"),
    "test_mean_of_the_largest": ("flaky", "look"),
    "test_errors_of_all_sizes": ("flaky", "bound"),
    "test_golden_value": ("golden", "look"),
    "test_order_of_a_set": ("uncontrolled", None),
    "TestRounding::test_places": ("flaky", "tolerance"),
}
"""The verdict, and the option of the menu that is written; `look` for what looks like a bug."""


def flex_harness(warm: Warm, folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    program = os.environ.get("FLEX_HARNESS")
    if program is None:
        pytest.skip("FLEX_HARNESS names the program flex-harness; `cargo xtask test` sets it")
    env = {name: value for name, value in os.environ.items() if not name.startswith(("FLEX_", "PYTEST_"))}
    env["PATH"] = f"{warm.folder}{os.pathsep}{env['PATH']}"
    env["PYTHONHASHSEED"] = "0"
    return subprocess.run([program, *args], cwd=folder, env=env, capture_output=True, text=True, timeout=900)


def answer(warm: Warm, folder: Path, *args: str) -> dict:
    said = flex_harness(warm, folder, *args, "--json")
    assert said.returncode < 2, said.stderr
    return json.loads(said.stdout)


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not part of a released package")
def test_every_test_gets_its_verdict_and_its_fix(warm: Warm, tmp_path: Path) -> None:
    shutil.copy(CORPUS, tmp_path)
    found = answer(warm, tmp_path, "detect", "--tight", "--pytest", ".", "--seed", "corpus")
    menus = {
        menu["test"]: menu for menu in answer(warm, tmp_path, "fix", "--choose", "bound", "--pytest", ".")["assertions"]
    }
    tests = {test["name"].split("::", 1)[1]: test for test in found["tests"]}
    assert tests.keys() == EXPECTED.keys()
    for name, (verdict, fix) in EXPECTED.items():
        assert tests[name]["verdict"] == verdict, name
        menu = menus.get(f"test_corpus.py::{name}", {"menu": [], "look_here": []})
        chosen = [offer["option"] for offer in menu["menu"] if offer["chosen"]]
        assert chosen == ([] if fix in ("look", None) else [fix]), menu
        assert bool(menu["look_here"]) == (fix == "look"), menu

    applied = flex_harness(warm, tmp_path, "fix", "--choose", "bound", "--pytest", ".", "--apply", "--allow-dirty")
    assert applied.returncode == 1, "what looks like a bug is left, and says so by the exit code"
    again = answer(warm, tmp_path, "detect", "--pytest", ".", "--seed", "again", "--max-runs", "100")
    for test in again["tests"]:
        if EXPECTED[test["name"].split("::", 1)[1]][1] in ("bound", "tolerance"):
            assert test["failed"] == 0, test
