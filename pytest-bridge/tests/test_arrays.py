"""torch and JAX: too heavy for every environment, so `cargo xtask pytest` installs them where it can."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

# They are not imported here: the tests do that in processes of their own.


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
def test_torch(project):
    project.write(
        "test_torch.py",
        """
import torch
from torch.testing import assert_close
from pytest_flex import learned, stochastic

@stochastic(runs=30)
def test_it():
    x = torch.randn(5, requires_grad=True)
    assert x < learned()
    assert (x > learned()).all()
    assert learned() > x[0]
    assert x[0].item() < learned(name="item")
    assert x.to(torch.bfloat16) <= learned(name="narrow")
    torch.testing.assert_close(x, torch.zeros(5), rtol=0.0, atol=learned())
    assert_close(1 + x / 100, torch.ones(5), rtol=learned(), atol=0.0)
""",
    )
    assert "1 test calibrated: 7 sites learned, 0 refused" in project.calibrate()
    project.pytest("--flex-seed=green")
    first = project.pytest("--flex-seed=a@calibrate:3")
    assert project.pytest("--flex-seed=a@calibrate:3").splitlines()[-12:-1] == first.splitlines()[-12:-1]


@pytest.mark.skipif(find_spec("jax") is None, reason="JAX is not installed")
def test_jax(project):
    project.write(
        "test_jax.py",
        """
import jax
import jax.numpy as jnp
from pytest_flex import learned, stochastic

@stochastic(runs=30)
def test_it(flex_seed):
    x = jax.random.normal(jax.random.key(flex_seed), (5,))
    assert x < learned()
    assert (x > learned()).all()
    assert learned() > x[0]
    assert float(x[0]) < learned(name="float")
""",
    )
    assert "1 test calibrated: 4 sites learned, 0 refused" in project.calibrate()
    project.pytest("--flex-seed=green")
