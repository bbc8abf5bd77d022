"""NumPy's generators, and copies with a bug, against the laws of scipy: a test for each, under each seed."""

import os

import numpy as np
import pytest
import scipy.stats as laws
from pytest_flex import distributed, stochastic

SOUND = {
    "random": (lambda rng, n: rng.random(n), laws.uniform()),
    "normal": (lambda rng, n: rng.normal(1, 2, n), laws.norm(1, 2)),
    "standard_exponential": (lambda rng, n: rng.standard_exponential(n), laws.expon()),
    "gamma, shape 0.5": (lambda rng, n: rng.gamma(0.5, 2, n), laws.gamma(0.5, scale=2)),
    "gamma, shape 3": (lambda rng, n: rng.gamma(3, 1, n), laws.gamma(3)),
    "beta": (lambda rng, n: rng.beta(2, 3, n), laws.beta(2, 3)),
    "lognormal": (lambda rng, n: rng.lognormal(0, 0.5, n), laws.lognorm(0.5)),
    "weibull": (lambda rng, n: rng.weibull(1.5, n), laws.weibull_min(1.5)),
    "standard_t": (lambda rng, n: rng.standard_t(3, n), laws.t(3)),
    "integers": (lambda rng, n: rng.integers(0, 6, n), laws.randint(0, 6)),
    "poisson": (lambda rng, n: rng.poisson(4, n), laws.poisson(4)),
    "binomial": (lambda rng, n: rng.binomial(20, 0.3, n), laws.binom(20, 0.3)),
    "geometric": (lambda rng, n: rng.geometric(0.25, n), laws.geom(0.25)),
    "RandomState.normal": (
        lambda rng, n: np.random.RandomState(rng.integers(2**32)).normal(size=n),
        laws.norm(),
    ),
}
"""A function that draws so many values, and the law that they have."""


def redrawn(rng, n):
    values = rng.normal(size=n)
    return np.where(abs(values) > 2.5, rng.normal(size=n), values)


BUGS = {
    "normal: the variance is given for the sd": (lambda rng, n: rng.normal(0, 1.2**2, n), laws.norm(0, 1.2)),
    "normal: a sum of 4 uniform draws": (
        lambda rng, n: (rng.random((4, n)).sum(0) - 2) * 3**0.5,
        laws.norm(),
    ),
    "normal: values beyond 2.5 are drawn again": (redrawn, laws.norm()),
    "normal: one seed in each run": (lambda rng, n: np.random.default_rng(1).normal(size=n), laws.norm()),
    "exponential: the rate is given for the scale": (lambda rng, n: rng.exponential(1.25, n), laws.expon(scale=0.8)),
    "gamma: the shape is one too small": (lambda rng, n: rng.gamma(2, 1, n), laws.gamma(3)),
    "beta: the shapes are exchanged": (lambda rng, n: rng.beta(3, 2, n), laws.beta(2, 3)),
    "uniform: of 4 bits": (lambda rng, n: rng.integers(0, 16, n) / 16, laws.uniform()),
    "integers: a remainder of 16 values": (lambda rng, n: rng.integers(0, 16, n) % 6, laws.randint(0, 6)),
    "integers: the last is never drawn": (lambda rng, n: rng.integers(0, 5, n), laws.randint(0, 6)),
    "poisson: counted from 1": (lambda rng, n: rng.poisson(4, n) + 1, laws.poisson(4)),
    "binomial: one trial is missing": (lambda rng, n: rng.binomial(19, 0.3, n), laws.binom(20, 0.3)),
    "geometric: counted from 0": (lambda rng, n: rng.geometric(0.25, n) - 1, laws.geom(0.25)),
}


@stochastic(confidence=1 - 1e-4 / len(SOUND))
@pytest.mark.parametrize("seed", range(int(os.environ["SOUND_SEEDS"])))
@pytest.mark.parametrize("name", SOUND)
def test_sound(flex_rng, name, seed):
    draw, law = SOUND[name]
    assert distributed(draw(flex_rng, 100), law, draws="independent")


# A bug that moves a law by less than the margin may be called fine.
@stochastic(confidence=1 - 1e-4 / len(SOUND))
@pytest.mark.parametrize("seed", range(int(os.environ["BUG_SEEDS"])))
@pytest.mark.parametrize("name", BUGS)
def test_bug(flex_rng, name, seed):
    draw, law = BUGS[name]
    assert distributed(draw(flex_rng, 100), law, draws="independent", margin=0.002)
