"""Recording changes neither the outcome of a test nor a word of what pytest says about it."""

from __future__ import annotations

import re

import pytest
from observation import HERE

STYLES = ["--tb=long", "--tb=short", "--tb=line", "--showlocals", "-vv", "--assert=plain"]


@pytest.mark.parametrize("style", STYLES)
def test_failures_look_as_they_do_without_recording(observation, style):
    project = observation.project
    project.write("test_forms.py", (HERE / "failing_forms.py").read_text(encoding="utf-8"))
    without = project.pytest("-p", "no:randomly", style, code=1)
    observation.run("-p", "no:randomly", style, code=1)
    assert _lasting(observation.printed) == _lasting(without)
    assert re.search(r"7\d failed, [12] passed", without)


def test_hooks_of_pytest_see_the_assertions_as_they_are(observation):
    project = observation.project
    project.write(
        "conftest.py",
        """
def pytest_assertion_pass(item, lineno, orig, expl):
    print(f"passed {lineno}: {orig} is {expl}")

def pytest_assertrepr_compare(op, left, right):
    return [f"{left} and {op} and {right}"]
""",
    )
    project.write("test_it.py", "def test_it():\n    x = 0.5\n    assert 0 < x < 0.75 and x\n    assert x > 1\n")
    options = ("-p", "no:randomly", "-o", "enable_assertion_pass_hook=true")
    without = project.pytest(*options, code=1)
    assert "passed 3: 0 < x < 0.75 and x is " in without
    observation.run(*options, code=1)
    assert _lasting(observation.printed) == _lasting(without)


def _lasting(text: str) -> str:
    """Return what does not depend on the time and on where objects are."""
    text = re.sub(r"\b\d+\.\d\ds\b", "TIME", text)
    text = re.sub(r"0x[0-9a-f]+", "ADDRESS", text)
    return re.sub(r"^=+ (.*?) =+$", r"\1", text, flags=re.M)
