"""Tests without a flaw: 200 that are deterministic and 50 that are random and sound. `detect` must find nothing here.

A bound of a sound test lies at least seven standard deviations out, or where no value can be, so that a run fails it
with a probability below 1e-9.
"""

import json
import math
import statistics
import unittest

import numpy as np
import pytest

DETERMINISTIC = range(25)
RANDOM = range(5)


@pytest.mark.parametrize("k", DETERMINISTIC)
def test_arithmetic(k):
    assert k / 7 < k / 7 + 1e-9


@pytest.mark.parametrize("k", DETERMINISTIC)
def test_tolerance(k):
    assert math.sin(k) ** 2 + math.cos(k) ** 2 == pytest.approx(1.0)


@pytest.mark.parametrize("k", DETERMINISTIC)
def test_loop(k):
    for power in range(1, 6):
        assert abs(math.exp(power * math.log(k + 2)) - (k + 2) ** power) < 1e-6


@pytest.mark.parametrize("k", DETERMINISTIC)
def test_arrays(k):
    matrix = np.arange(1.0, 10.0).reshape(3, 3) + np.eye(3) * (k + 1)
    np.testing.assert_allclose(matrix @ np.linalg.inv(matrix), np.eye(3), atol=1e-9)


@pytest.mark.parametrize("k", DETERMINISTIC)
def test_equality(k):
    assert json.loads(json.dumps({"k": k})) == {"k": k}


@pytest.mark.parametrize("k", DETERMINISTIC)
def test_exceptions(k):
    with pytest.raises(ZeroDivisionError):
        _ = k / 0


@pytest.mark.parametrize("k", DETERMINISTIC)
def test_order(k):
    values = [(17 * i + k) % 31 for i in range(31)]
    assert sorted(values) == list(range(31))
    assert max(values) <= 30


class TestDeterministic(unittest.TestCase):
    """The same for unittest, with 25 methods that are made below."""


def _method(k):
    def test(self):
        self.assertLess(statistics.fmean([k, k + 1]), k + 1)
        self.assertAlmostEqual(math.sqrt(k) ** 2, k)

    return test


for _k in DETERMINISTIC:
    setattr(TestDeterministic, f"test_{_k}", _method(_k))


@pytest.mark.parametrize("k", RANDOM)
def test_mean_of_normals(k):
    assert abs(np.random.default_rng(k).normal(size=400).mean()) < 0.4


@pytest.mark.parametrize("k", RANDOM)
def test_median_of_uniforms(k):
    assert 0.2 < np.median(np.random.RandomState(k).uniform(size=400)) < 0.8


@pytest.mark.parametrize("k", RANDOM)
def test_range_of_uniforms(k):
    np.random.seed(k)
    assert np.random.uniform(size=50).max() < 1.0


@pytest.mark.parametrize("k", RANDOM)
def test_counts(k):
    assert np.random.default_rng(k).poisson(20.0) <= 100


@pytest.mark.parametrize("k", RANDOM)
def test_accuracy(k):
    accuracy = np.random.default_rng(k).binomial(300, 0.95) / 300
    assert accuracy > 0.8


@pytest.mark.parametrize("k", RANDOM)
def test_heavy_tail(k):
    # P(X > x) = x^-4, so one value in 1e12 is larger.
    assert np.random.default_rng(k).pareto(4.0) < 1000.0


@pytest.mark.parametrize("k", RANDOM)
def test_lognormal(k):
    assert np.random.default_rng(k).lognormal(size=25).mean() < 60.0


@pytest.mark.parametrize("k", RANDOM)
def test_shape_and_atol(k):
    means = np.random.default_rng(k).normal(size=(3, 1000)).mean(axis=1)
    np.testing.assert_allclose(means, 0.0, atol=0.25)


@pytest.mark.parametrize("k", RANDOM)
def test_two_assertions(k):
    values = np.random.default_rng(k).exponential(size=500)
    assert values.min() >= 0.0
    assert values.mean() == pytest.approx(1.0, abs=0.4)


@pytest.mark.parametrize("k", RANDOM)
def test_coins(k):
    heads = sum(np.random.default_rng(k).random(1000) < 0.5)
    assert 350 < heads < 650
