"""Names that tests, bounds files and the environment give, wherever they are shown: none is obeyed. Seeds are fixed."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest

NASTY = "\x1b[2J\x9b31m\n::error::x\r]]></failure><script/>&amp;\u202e\x07'\"`$(touch pwned)`;%0A\\"
"""Signs that would clear the screen, begin an annotation, end a tag, turn the text, and be a command of a shell."""

TESTS = """
import os
import random

import pytest
from pytest_flex import learned, stochastic

NASTY = {nasty}


@stochastic
@pytest.mark.parametrize("value", [0], ids=[NASTY])
def test_it(flex_seed, value):
    draw = random.Random(flex_seed).gauss(float(os.environ.get("SHIFT", "0")), 1)
    assert draw < learned(name=NASTY), NASTY
"""


@pytest.fixture
def pytest_in(project, monkeypatch):
    """Run pytest as GitHub does, and assert that what it prints is harmless."""
    project.write("test_it.py", TESTS.format(nasty=json.dumps(NASTY)))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")

    def run(*args: str, code: int = 0) -> str:
        printed = project.pytest("-p", "no:cacheprovider", *args, code=code)
        obeyed = [sign for sign in printed if (ord(sign) < 32 and sign not in "\n\t") or sign in "\x7f\x9b\u202e"]
        assert not obeyed, repr(printed)
        assert not [line for line in printed.splitlines() if line.startswith("::error::")], printed
        assert not list(project.path.rglob("pwned"))
        return printed

    return run


def test_names_of_tests_and_sites_are_text_everywhere(project, pytest_in, monkeypatch):
    pytest_in("--flex=calibrate", "--flex-seed=a")
    pytest_in("--flex-seed=b")
    monkeypatch.setenv("SHIFT", "9")
    printed = pytest_in("--flex-seed=b", "--junit-xml=junit.xml", code=1)
    assert "regression" in printed
    report = ET.parse(project.path / "junit.xml")
    assert report.find(".//script") is None
    pytest_in("--flex=check", "--flex-seed=c", code=1)
    pytest_in("--flex=record", "--flex-seed=c", "--flex-max-runs=30", "--flex-record=record.json")


def test_a_bounds_file_and_the_environment_are_text_too(project, pytest_in, monkeypatch):
    quoted = json.dumps(NASTY)
    entry = (
        f'[[bound]]\ntest = {quoted}\nsite = {quoted}\ntail = "upper"\nconfidence = 0.9\nstrategy = "refuse"\n'
        f'reason = {quoted}\nsamples = 9\nreached = "always"\n'
    )
    project.write("flex-bounds.toml", f"version = 2\n\n{entry}{quoted} = 1\n")
    pytest_in("--flex-seed=a", code=1)
    project.write("flex-bounds.toml", f"version = 2\n\n{entry}")
    pytest_in("--flex=calibrate", "--flex-seed=a")
    monkeypatch.setenv("FLEX_MODE", NASTY)
    pytest_in(code=4)
