"""The engine for Python code that has no test."""

from __future__ import annotations

import math

import pytest
import pytest_flex
from pytest_flex import Learner, bound

# The quantiles of an exponential distribution.
VALUES = [-math.log((i + 0.5) / 100) for i in range(100)]


def test_a_bound_has_two_tiers():
    learned = bound(VALUES, confidence=0.9999, tail="upper")
    assert learned.samples == 100
    assert learned.strategy == "tail"
    assert learned.lower is None
    assert learned.median < learned.upper.guard < learned.upper.ceiling
    assert 0 < learned.upper.shift < 2
    assert 0.5 < learned.upper.power[0] < learned.upper.power[1] <= 1
    both = bound(VALUES, tail="both", domain=(0, math.inf))
    assert both.lower.guard < both.median < both.upper.guard
    assert "LearnedBound(samples=100" in repr(learned)


@pytest.mark.parametrize(
    "options", [{"confidence": 1.0}, {"tail": "middle"}, {"domain": (1.0, 0.0)}, {"confidence": math.nan}]
)
def test_a_question_that_makes_no_sense_is_an_error(options):
    with pytest.raises(ValueError, match=r".+"):
        bound(VALUES, **options)


def test_a_learner_says_which_runs_it_wants():
    learner = Learner({"error": "upper", "recall": "lower"})
    assert learner.wanted() == list(range(100))
    for index in learner.wanted():
        learner.push(index, {"error": VALUES[index], "recall": 1 - VALUES[index] / 100})
    assert learner.wanted() == []
    bounds = learner.bounds()
    assert sorted(bounds) == ["error", "recall"]
    assert bounds["error"].upper.guard > bounds["error"].median
    with pytest.raises(ValueError, match="not one of the sites"):
        learner.push(100, {"precision": 1.0})


def test_the_version_is_that_of_the_engine():
    assert pytest_flex.__version__.count(".") == 2
