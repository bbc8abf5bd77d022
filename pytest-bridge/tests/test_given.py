"""hypothesis and flex together: an example and a seed make a run. All seeds are fixed."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("hypothesis")

MEAN = """
import random
from hypothesis import example, given, settings, strategies as st
from pytest_flex import learned, stochastic

SHIFT = 0

@stochastic
@settings(max_examples=7)
@given(count=st.integers(1, 60))
def test_mean(count, flex_rng):
    drawn = flex_rng.random(count).mean() + SHIFT + random.random() * 1e-9
    open("examples", "a").write(f"{count} {drawn!r}\\\\n")
    assert abs(drawn - 0.5) * count**0.5 < learned()

class TestClass:
    @stochastic
    @given(is_on=st.booleans(), alone=st.just(1))
    def test_method(self, is_on, alone):
        open("truths", "a").write(f"{is_on}\\\\n")
        assert random.random() + is_on < learned()

    @stochastic
    @given(alone=st.just(1))
    def test_only(self, alone):
        assert random.random() < learned()
""".replace("\\\\", "\\")


def lines(project, name: str) -> list[str]:
    file = project.path / name
    found = file.read_text().split("\n")[:-1]
    file.unlink()
    return found


def test_an_example_and_a_seed_make_a_run(project):
    project.write("test_it.py", MEAN)
    project.calibrate("--flex-runs=100", "--flex-max-runs=100")
    assert project.bounds.count("samples = 100") == 3
    drawn = lines(project, "examples")
    # One example a run, and some runs are made again in another process; most differ.
    runs = dict.fromkeys(drawn)
    assert 100 <= len(drawn) < 130
    assert len(runs) == 100
    assert len({line.split()[0] for line in runs}) > 20
    # One run in ten has the simplest example, which hypothesis draws for none of the others.
    truths = lines(project, "truths")
    assert 0 < truths.count("False") < truths.count("True")
    project.pytest("--flex-seed=green")
    lines(project, "examples")
    project.replace("test_it.py", "SHIFT = 0", "SHIFT = 3")
    printed = project.pytest("--flex-seed=red", "-k", "mean", code=1)
    assert "beyond the ceiling" in printed
    # A run that is repeated has its example: the first of this session, and one of the calibration.
    first = lines(project, "examples")[0]
    project.pytest("--flex-seed=red", "-k", "mean", code=1)
    assert lines(project, "examples")[0] == first
    project.replace("test_it.py", "SHIFT = 3", "SHIFT = 0")
    project.pytest("test_it.py::test_mean", "--flex-seed=calibration@calibrate:7")
    (seventh,) = lines(project, "examples")
    assert seventh in runs


def test_a_failing_pair_shrinks_and_is_replayed(project):
    project.write(
        "test_it.py",
        """
import random
from hypothesis import given, strategies as st
from pytest_flex import stochastic

@stochastic
@given(number=st.integers(0, 1000), words=st.lists(st.text()))
def test_it(number, words):
    drawn = random.random()
    assert number < 17 or drawn > 0.999, f"{number} with {drawn}"
""",
    )
    printed = project.pytest("--flex-seed=a", code=1)
    said = re.search(r"AssertionError: (17 with 0\.\d+)", printed)
    assert said is not None, printed
    assert "number=17," in printed
    assert "words=[]," in printed
    assert "replay: pytest test_it.py::test_it --flex-seed=a" in printed
    assert said[1] in project.pytest("test_it.py::test_it", "--flex-seed=a", code=1)
    # Neither looks at what hypothesis found before, nor leaves anything for it.
    assert not (project.path / ".hypothesis/examples").exists()
