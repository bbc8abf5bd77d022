"""NumPy's generators against the laws that they state. What is said of all draws needs no calibration."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from pytest_flex import distributed, mean, no_worse, same_distribution, stochastic

LAWS = {
    "normal": (lambda rng, size: rng.normal(2, 3, size), scipy.stats.norm(2, 3)),
    "gamma": (lambda rng, size: rng.gamma(0.7, 2, size), scipy.stats.gamma(0.7, scale=2)),
    "poisson": (lambda rng, size: rng.poisson(3.5, size), scipy.stats.poisson(3.5)),
    "binomial": (lambda rng, size: rng.binomial(20, 0.3, size), scipy.stats.binom(20, 0.3)),
}


@stochastic
@pytest.mark.parametrize("law", LAWS)
def test_draws_follow_their_law(flex_rng, law):
    draw, expected = LAWS[law]
    assert distributed(draw(flex_rng, 20), expected, draws="independent")


@stochastic
def test_a_gamma_is_a_sum_of_exponentials(flex_rng):
    sums = flex_rng.exponential(size=(20, 3)).sum(axis=1)
    assert same_distribution(flex_rng.gamma(3, size=20), sums, draws="independent")


@stochastic
def test_the_dirichlet_mean_is_unbiased(flex_rng):
    share = flex_rng.dirichlet([1, 2, 3])[0]
    assert mean(share, within=0.05, of=1 / 6, domain=(0, 1))


@stochastic
def test_antithetic_draws_are_no_worse(flex_rng):
    # The mean of exp over (0, 1), from as many calls of it.
    draws = flex_rng.random(50)
    plain = np.exp(flex_rng.random(100)).mean()
    antithetic = np.exp(np.concatenate([draws, 1 - draws])).mean()
    assert no_worse(abs(antithetic - (math.e - 1)), abs(plain - (math.e - 1)))
