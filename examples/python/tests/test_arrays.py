"""Estimates by NumPy's generators, and the tolerance that a test of them needs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pytest_flex import learned, stochastic


@stochastic
def test_pi_by_throwing_darts(flex_rng):
    darts = flex_rng.random((2, 10_000))
    inside = np.count_nonzero((darts**2).sum(axis=0) < 1)
    assert 4 * inside / 10_000 == pytest.approx(math.pi, abs=learned())


@stochastic(confidence=0.999)
def test_samples_have_the_covariance_that_was_asked_for(flex_rng):
    covariance = np.array([[2.0, 0.6], [0.6, 1.0]])
    samples = flex_rng.multivariate_normal([0, 0], covariance, size=500)
    np.testing.assert_allclose(np.cov(samples.T), covariance, atol=learned())


@stochastic
@pytest.mark.parametrize("size", [100, 1000])
def test_the_bootstrap_agrees_with_the_standard_error(size):
    # Code that draws from the global generator is seeded too.
    values = np.random.normal(size=size)
    means = [np.random.choice(values, size).mean() for _ in range(50)]
    ratio = np.std(means) / (values.std() / math.sqrt(size))
    assert learned() < ratio < learned()
