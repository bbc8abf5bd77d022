"""Claims about all runs together: green and red, decided by as many runs as that takes, and replayed.

All seeds are fixed.
"""

from __future__ import annotations

import inspect
import json
import re
from statistics import NormalDist

import numpy as np
import pytest
import pytest_flex
import scipy.stats
from pytest_flex import _native
from pytest_flex.claiming import claim
from pytest_flex.claiming.law import places
from pytest_flex.claiming.values import numbers, outcomes

HEAD = """
import os, random
import numpy as np
import scipy.stats
from pytest_flex import distributed, learned, mean, no_worse, rate, same_distribution, stochastic

SHIFT = float(os.environ.get("SHIFT", 0))

def between(x):
    return min(max(x, 0.0), 1.0)
"""

DECIDED = (
    HEAD
    + """
@stochastic
def test_mean():
    error = between(random.gauss(0.1 + SHIFT, 0.03))
    assert mean(np.mean([error]), domain=(0, 1)) < np.float64(0.11)

@stochastic
def test_near(flex_rng):
    bias = np.clip(flex_rng.normal(SHIFT, 0.03, size=4), -0.5, 0.5)
    assert mean(bias, within=0.02, of=0, domain=(-0.5, 0.5))

@stochastic
def test_rate(flex_rng):
    solved = flex_rng.normal(3 - 40 * SHIFT, 1, size=4) > 0
    assert 0.9 < rate(solved, draws="independent")

@stochastic
def test_distributed(flex_rng):
    assert distributed(flex_rng.normal(10 * SHIFT, size=3), scipy.stats.norm(0, 1), draws="independent")

@stochastic
def test_discrete(flex_rng):
    assert distributed(flex_rng.poisson(3 + 20 * SHIFT, size=5), scipy.stats.poisson(3), draws="independent")

@stochastic
def test_same(flex_rng):
    assert same_distribution(flex_rng.normal(20 * SHIFT), flex_rng.normal(), margin=0.3)

@stochastic
def test_no_worse(flex_rng):
    reference = flex_rng.normal()
    assert no_worse(reference + SHIFT + 0.05 * flex_rng.normal(), reference, margin=0.03)
"""
)
NAMES = re.findall(r"def (test_\w+)", DECIDED)

UNDECIDED = (
    HEAD
    + """
@stochastic
def test_passes():
    assert mean(between(random.gauss(0.1, 0.03)), domain=(0, 1), margin=1e-4, max_runs=20) < 0.1

@stochastic
def test_certain():
    assert rate(random.random() >= 0) > 0.9

@stochastic
def test_fails():
    assert mean(between(random.gauss(0.1, 0.03)), domain=(0, 1), max_runs=20, undecided="fail") < 0.1
"""
)


def test_unchanged_code_is_fine_and_a_regression_is_found_and_replayed(project, monkeypatch):
    project.write("test_all.py", DECIDED)
    monkeypatch.setenv("FLEX_LOG", "1")
    printed = project.pytest("--flex-seed=s1")
    assert printed.count(": fine after ") == len(NAMES), printed
    monkeypatch.setenv("SHIFT", "0.05")
    monkeypatch.setenv("FLEX_LOG", "json")
    red = project.pytest("--flex-seed=s1", code=1)
    assert f"{len(NAMES)} failed" in red
    # In CI, pytest's summary repeats the whole of a failure.
    lines = dict.fromkeys(red.splitlines())
    told = [json.loads(line) for line in lines if line.startswith('{"verdict":"fail"')]
    assert [verdict["problems"][0]["outcome"] for verdict in told] == ["broken"] * len(NAMES)
    monkeypatch.delenv("FLEX_LOG")
    for name in NAMES:
        report = report_of(red, name)
        for part in (": regression", "    claim ", "    runs ", " : 1 against it; "):
            assert part in report
        replay = re.search(r"^replay: pytest (.*)$", report, re.M)
        assert comparable(report_of(project.pytest(*replay[1].split(), code=1), name)) == comparable(report)
    report = report_of(red, "test_mean")
    assert "assert mean(np.mean([error]), domain=(0, 1)) < np.float64(0.11)   (test_all.py:" in report
    assert "claim    the mean is below 0.11" in report
    # A process for each run shows the same.
    isolated = project.pytest("--flex-seed=s1", "--flex-isolate", "-k", "test_mean or test_discrete", code=1)
    for name in ("test_mean", "test_discrete"):
        assert comparable(report_of(isolated, name)) == comparable(report_of(red, name))


def report_of(printed: str, name: str) -> str:
    start = printed.index(f"flex: test_all.py::{name}: ")
    return printed[start : printed.index("\n", printed.index("replay:", start))]


def comparable(report: str) -> str:
    return re.sub(r"^\{.*\n|--flex-isolate ", "", report, flags=re.M)


def test_what_is_not_decided_says_so_and_calibration_tells_how_many_runs_it_takes(project):
    project.write("test_all.py", UNDECIDED)
    printed = project.pytest("--flex-seed=s1", code=1)
    assert "1 failed, 2 passed" in printed
    assert re.search(r"^note: test_all.py::test_passes: .*: undecided after 20 runs; the mean is 0\.", printed, re.M)
    assert "it fails because of `undecided = fail`" in report_of(printed, "test_fails")
    # The debugger sees nothing that is in doubt.
    project.pytest("--flex-seed=s1", "--pdb", "-k", "test_passes")
    printed = " ".join(project.calibrate().split())
    assert "scatter by 0.03" in printed
    assert "deterministic" not in printed
    assert "runs to a decision: " in printed


PLACES = """
import random, unittest
from statistics import NormalDist, mean as average
import pytest_flex as flex
from pytest_flex import distributed as drawn_from, mean, rate, stochastic

def helper(x):
    assert drawn_from(x, NormalDist(0, 1), margin=0.5)

@stochastic
def test_function():
    x, y = random.random(), random.random()
    assert mean(x, domain=(0, 1)) < 0.6 and mean(average([y]), domain=(0, 1)) < 0.7
    for n in (1, 2):
        assert flex.mean(x / n, domain=(0, 1), case=n) < 0.8
    helper([random.gauss(0, 1)])

class TestCase(unittest.TestCase):
    @stochastic
    def test_method(self):
        self.assertGreater(rate(random.random() > 0.01, name="most"), 0.8)
"""


def test_a_claim_is_known_by_its_statement_wherever_it_stands(project, monkeypatch):
    project.write("test_all.py", PLACES)
    monkeypatch.setenv("FLEX_LOG", "1")
    printed = project.pytest("--flex-seed=s1", "-p", "no:randomly")
    both = "assert mean(x, domain=(0, 1)) < 0.6 and mean(average([y]), domain=(0, 1)) < 0.7"
    loop = "assert flex.mean(x / n, domain=(0, 1), case=n) < 0.8"
    expected = [both, f"{both}#2", f"{loop} [1]", f"{loop} [2]"]
    expected += ["helper: assert drawn_from(x, NormalDist(0, 1), margin=0.5)", "most"]
    assert re.findall(r"^  (.*): fine after ", printed, re.M) == expected, printed


MISTAKES = {
    "mean(random.random()) < 0.6": "state the range that they never leave",
    "mean(2 + random.random(), domain=(0, 1)) < 0.6": "lies outside of the domain",
    "mean([random.random()] * 8, domain=(0, 1), draws='independent') < 0.9": "share a seed",
    "mean(random.random()) < learned(domain=(0, 1))": "options belong to mean(), and learned() has none here",
    "mean([random.random()] * 2, draws='independent') < learned()": "leave `draws` out, or write the bound",
    "0 < mean(random.random()) < learned()": "it is compared twice",
    "mean(random.random(), within=0.1, of=0) < learned()": "leave one of the two out",
    "mean(random.random(), domain=(0, 1)) < random.random()": "differs in its bound or its options",
    "mean('x', domain=(0, 1)) < 0.6": "'x' is not a number, nor several",
    "mean([], domain=(0, 1)) < 0.6": "no value",
    "0 < mean(random.random(), domain=(0, 1)) < 0.6": "it is compared twice",
    "mean(random.random(), domain=(0, 1)) == 0.5": "compare it by <, <=, > or >=",
    "mean(random.random(), domain=(0, 1))": "compare it with a number, as in `mean(x) < 0.1`, or say `within`",
    "mean(random.random(), domain=(0, 1), within=0.1)": "`within` and `of` belong together",
    "mean(random.random(), domain=(0, 1), margin=-1) < 0.6": "margin=-1: `margin` is above 0",
    "mean(random.random(), domain=(0, 1), undecided='no') < 0.6": "`undecided` is pass or fail",
    "mean(random.random(), domain=(1, 0)) < 0.6": "domain",
    "not mean(random.random(), domain=(0, 1)) < 0.6": "so nothing can depend on it",
    "mean(0.5, domain=(0, 1)) is not None": "mean() is never compared",
    "rate(0.3) > 0.9": "0.3 is neither true nor false; compare numbers first",
    "rate(True) > 1.5": "1.5",
    "rate(True) < rate(False)": "compared by no_worse(first, second, margin=…)",
    "distributed(random.random(), 3)": "3 is not a law",
    "distributed(random.random(), lambda x: 2 + x)": "between 0 and 1",
    "mean(float('nan'), domain=(0, 1)) < 0.6": "NaN",
    "no_worse(float('nan'), 0.5, better='higher')": "NaN",
}


def test_a_mistake_is_named_where_it_stands(project):
    tests = [f"@stochastic\ndef test_{number}():\n    assert {text}\n" for number, text in enumerate(MISTAKES)]
    project.write("test_all.py", HEAD + "\n".join(tests))
    printed = project.pytest("--flex-seed=s1", "-p", "no:randomly", "--tb=short", code=1)
    parts = re.split(r"^_+ test_\d+ _+$", printed, flags=re.M)[1:]
    assert len(parts) == len(MISTAKES), printed
    wrong = {text: part for (text, words), part in zip(MISTAKES.items(), parts, strict=True) if words not in part}
    assert not wrong, "\n".join(f"{text}\n{part}" for text, part in wrong.items())


def test_a_claim_needs_a_stochastic_test():
    with pytest.raises(claim.ClaimError, match="needs a running stochastic test"):
        claim.rate(True)


def test_options_are_those_of_the_engine():
    for family, options in _native.claim_families():
        parameters = inspect.signature(getattr(claim, family)).parameters.values()
        stated = {each.name for each in parameters if each.kind is each.KEYWORD_ONLY}
        assert stated == set(options), family
        assert getattr(pytest_flex, family) is getattr(claim, family)


def test_whatever_holds_numbers_is_drawn():
    assert numbers(0.5) == [0.5]
    assert numbers(np.float32(0.5)) == [0.5]
    assert numbers(np.arange(4).reshape(2, 2)) == [0.0, 1.0, 2.0, 3.0]
    assert numbers([1, (2, 3), np.array([4.0])]) == [1.0, 2.0, 3.0, 4.0]
    assert numbers(i * i for i in range(3)) == [0.0, 1.0, 4.0]
    assert outcomes([True, np.bool_(False), np.array([True])]) == [1.0, 0.0, 1.0]
    for wrong in ("x", None, {1: 2}, 1j):
        with pytest.raises(TypeError, match="is not a number"):
            numbers(wrong)
    for wrong in (1, 0.5, "x", None, np.array([0, 1])):
        with pytest.raises(TypeError, match="is neither true nor false"):
            outcomes(wrong)


def test_where_values_lie_in_a_law():
    # statistics.NormalDist and scipy.stats agree; both steps of a binomial law are its own numbers.
    ours, theirs = (places([-1.0, 0.3], law) for law in (NormalDist(), scipy.stats.norm()))
    assert ours[0] == ours[1]
    assert np.allclose(ours, theirs, rtol=1e-12)
    assert places([0.25], lambda x: x) == ([0.25], [0.25])
    law = scipy.stats.binom(5, 0.3)
    below, upto = places([0.0, 2.0, 2.5, 5.0], law)
    assert np.allclose(below, [0.0, law.cdf(1), law.cdf(2), law.cdf(4)], rtol=1e-12)
    assert np.allclose(upto, [law.cdf(0), law.cdf(2), law.cdf(2), 1.0], rtol=1e-12)
