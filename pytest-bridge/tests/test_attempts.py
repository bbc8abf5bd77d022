"""`attempts=8`: a test passes if one of its runs does not fail by itself. All seeds are fixed."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

PROGRAM = os.environ.get("FLEX_HARNESS")

HEAD = "import random\nimport unittest\nimport pytest\nfrom pytest_flex import learned, stochastic\n"

KINDS = """
def value():
    return random.random()

@pytest.fixture
def drawn():
    return value()

@pytest.mark.parametrize("seed", range(20))
@stochastic(OPTIONS)
def test_fixture(drawn, seed):
    assert drawn > 0.3

@pytest.mark.parametrize("seed", range(20))
@stochastic(OPTIONS)
def test_body(seed):
    if value() < 0.3:
        pytest.fail("too small")

class TestUnit(unittest.TestCase):
    @stochastic(OPTIONS)
    def test_it(self):
        self.assertGreater(value(), 0.3)
"""


@pytest.mark.parametrize("isolate", [(), ("--flex-isolate",)])
def test_one_run_that_does_not_fail_is_enough(project, isolate):
    project.write("test_kinds.py", HEAD + KINDS.replace("OPTIONS", ""))
    printed = project.pytest("--flex-seed=a", *isolate, code=1)
    failed = int(printed.split(" failed,")[0].split()[-1])
    assert 4 <= failed <= 24, printed
    project.write("test_kinds.py", HEAD + KINDS.replace("OPTIONS", "attempts=16"))
    assert "41 passed" in project.pytest("--flex-seed=a", *isolate)
    # Without bounds there is one attempt.
    project.pytest("--flex-seed=a", "--flex=off", *isolate, code=1)


def test_if_all_attempts_fail_so_does_the_test(project):
    project.write(
        "test_never.py",
        HEAD
        + """
@stochastic(attempts=8)
def test_never():
    print("a run")
    assert random.random() > 2, "the words of the failure"

@stochastic(attempts=8)
def test_skipped():
    print("a skipped run")
    pytest.skip("not today")
""",
    )
    printed = project.pytest("--flex-seed=a", "-rs", code=1)
    assert "1 failed, 1 skipped" in printed
    assert "the words of the failure" in printed
    assert "note: 8 of 8 attempts failed by themselves" in printed
    assert "replay: pytest test_never.py::test_never --flex-seed=a" in printed
    assert printed.splitlines().count("a run") == 8
    single = project.pytest("test_never.py::test_never", "--flex-seed=a@enforce:3", code=1)
    assert single.splitlines().count("a run") == 1
    assert "attempts failed" not in single


def test_learned_bounds_are_judged_on_the_first_run_that_does_not_fail(project):
    project.write(
        "test_both.py",
        HEAD
        + """
SHIFT, FAILING = 0, 0

@stochastic(attempts=16)
def test_it():
    x = random.gauss(SHIFT, 1)
    assert random.random() >= FAILING
    assert x < learned()
""",
    )
    project.calibrate()
    project.replace("test_both.py", "SHIFT, FAILING = 0, 0", "SHIFT, FAILING = 0, 0.5")
    for seed in range(5):
        project.pytest(f"--flex-seed=s{seed}")
    assert "failed by themselves" in project.calibrate("--flex-bounds=other.toml", code=1)
    project.replace("test_both.py", "SHIFT, FAILING = 0,", "SHIFT, FAILING = 4,")
    # The reruns that confirm it fail in every second run too, and have attempts of their own.
    assert "test_it: regression" in project.pytest("--flex-seed=s1", code=1)


@pytest.mark.parametrize(
    ("option", "words"), [("attempts=0", "`attempts` is at least 1"), ("attempts='x'", "attempts")]
)
def test_attempts_are_a_number(project, option, words):
    project.write("test_it.py", HEAD + f"@stochastic({option})\ndef test_it():\n    pass\n")
    assert words in project.pytest(code=4)


def test_attempts_in_flex_toml(project):
    project.write("flex.toml", "version = 1\n[[test]]\npath = '*::test_kind*'\nattempts = 3\n")
    project.write("test_kinds.py", HEAD + "@stochastic\ndef test_kind():\n    assert False\n")
    assert "3 of 3 attempts failed by themselves" in project.pytest("--flex-seed=a", code=1)


@pytest.mark.skipif(PROGRAM is None, reason="FLEX_HARNESS does not say where the command line is")
def test_fix_writes_attempts_and_the_test_passes(project, monkeypatch):
    monkeypatch.setenv("PATH", str(project.warm.folder), prepend=os.pathsep)
    source = "import random\n\n\ndef test_it():\n    x = 10 + random.random()\n    assert x > 10.3\n"
    file = project.write("test_it.py", source)

    def flex(*args: str) -> subprocess.CompletedProcess[str]:
        command = [PROGRAM, *args]
        return subprocess.run(command, cwd=project.path, capture_output=True, text=True, check=False)

    found = flex("detect", "--pytest", ".", "--seed", "a", "--json")
    assert json.loads(found.stdout)["tests"][0]["verdict"] == "flaky", found.stderr
    fixed = flex("fix", "--pytest", ".", "--choose", "rerun", "--apply", "--allow-dirty")
    assert fixed.returncode == 0, fixed.stderr
    assert "test_it passes" in fixed.stderr
    text = file.read_text(encoding="utf-8")
    assert "from pytest_flex import stochastic\n" in text
    assert "@stochastic(attempts=" in text
    for seed in range(10):
        project.pytest(f"--flex-seed=s{seed}")
