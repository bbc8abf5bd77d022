"""Where assertions are recorded: test modules, conftests, registered helpers; and what is left behind on disk."""

from __future__ import annotations

import pytest
from observation import short

TEST = "import helper\n\ndef test_it(fixed):\n    helper.check(fixed)\n    assert fixed < 0.5\n"


def write_project(project) -> None:
    project.write(
        "conftest.py",
        "import pytest\npytest.register_assert_rewrite('helper')\n"
        "@pytest.fixture\ndef fixed():\n    x = 1 / 4\n    assert x < 0.75\n    return x\n"
        "def check(x):\n    assert x < 0.875\n",
    )
    project.write("helper.py", "import conftest\ndef check(x):\n    conftest.check(x)\n    assert x < 0.625\n")
    project.write("test_it.py", TEST)


@pytest.mark.parametrize("options", [[], ["--assert=plain"], ["--import-mode=importlib", "--rootdir=."]])
def test_conftest_and_registered_helpers(observation, options, monkeypatch):
    write_project(observation.project)
    if "--import-mode=importlib" in options:
        monkeypatch.setenv("PYTHONPATH", str(observation.project.path), prepend=":")
    sites = observation.run(*options)["test_it"]["sites"]
    places = [("conftest.py", 0.875), ("helper.py", 0.625), ("test_it.py", 0.5)]
    assert [(site["file"], site["series"][0]["bound"]) for site in sites] == places


def test_nothing_is_left_where_others_look(observation, monkeypatch):
    project = observation.project
    write_project(project)
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    observation.run()
    project.pytest()
    names = sorted(file.name for file in project.path.glob("__pycache__/test_it*"))
    assert len(names) == 2, names
    ours = next(name for name in names if "-flex" in name)
    theirs = next(name for name in names if "-flex" not in name)
    cache = project.path / "__pycache__"
    assert b"@flex_saw" in (cache / ours).read_bytes()
    assert b"@flex_saw" not in (cache / theirs).read_bytes()
    for mode in ("plain", "rewrite"):
        before = (cache / theirs).read_bytes()
        sites = observation.run(f"--assert={mode}")["test_it"]["sites"]
        assert len(sites) == 3, "from the cache"
        assert (cache / theirs).read_bytes() == before
    assert len(list(cache.glob("test_it*-flex*-plain.pyc"))) == 1
    # A changed file is transformed anew.
    project.write("test_it.py", TEST.replace("0.5", "0.375"))
    assert observation.run()["test_it"]["sites"][2]["series"][0]["bound"] == 0.375


def test_modules_that_cannot_be_transformed_run_as_they_are(observation):
    """A name cannot be given in what a comprehension iterates over."""
    observation.project.write(
        "test_it.py",
        "import unittest\nclass TestIt(unittest.TestCase):\n    def test_it(self):\n"
        "        [v for v in [self.assertTrue(abs(v) < 1 + abs(v)) for v in [1]]]\n"
        "        assert 0.25 < 1 / 2\n",
    )
    assert observation.run()["test_it"]["sites"] == []
    observation.project.write("test_it.py", "def test_it(:\n    assert 1 < 2\n")
    observation.run(code=2)
    assert "SyntaxError" in observation.printed


def test_docstrings_and_future_imports_stay_first(observation):
    observation.project.write(
        "test_it.py",
        '"""Words."""\nfrom __future__ import annotations\n\ndef test_it(x: Unknown = 1 / 4):\n'
        '    assert x < 0.5\n    assert __doc__ == "Words."\n',
    )
    sites = observation.run()["test_it"]["sites"]
    assert short(sites) == [("upper", 0.5, "literal", 0.25)]


def test_pytest_is_told_not_to_rewrite(observation):
    observation.project.write("test_it.py", '"""PYTEST_DONT_REWRITE"""\ndef test_it():\n    assert 1 / 4 > 0.5\n')
    observation.run(code=1)
    assert "assert 0.25 > 0.5" not in observation.printed
    sites = observation.run(code=1)["test_it"]["sites"]
    assert short(sites) == [("lower", 0.5, "literal", 0.25)]
    assert sites[0]["failed"] == [0]


def test_the_functions_are_themselves_again(observation):
    observation.project.write(
        "test_it.py",
        """
import math
import pickle
import unittest
import numpy as np
from numpy.testing import assert_allclose

BEFORE = [math.isclose, np.allclose, assert_allclose, np.testing.assert_allclose, unittest.TestCase.assertLess]

def now():
    return [math.isclose, np.allclose, assert_allclose, np.testing.assert_allclose, unittest.TestCase.assertLess]

def test_pickled():
    assert pickle.loads(pickle.dumps(np.allclose))(1, 1)
    assert repr(math.isclose) == "<built-in function isclose>"
    assert assert_allclose.__name__ == "assert_allclose"

def pytest_sessionfinish():
    pass
""",
    )
    observation.project.write(
        "conftest.py",
        """
import sys

def pytest_unconfigure():
    module = sys.modules["test_it"]
    assert all(a is b for a, b in zip(module.now(), module.BEFORE, strict=True))
    print("as before")
""",
    )
    observation.run("-s")
    assert "as before" in observation.printed
