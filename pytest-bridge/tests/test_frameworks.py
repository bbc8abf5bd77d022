"""Seeds of torch, JAX, TensorFlow, Keras and numba in a search; each where it is installed, which takes minutes.

`cargo xtask frameworks` installs them and runs this.
"""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from searching import record, values

FORMS = {
    "torch": {
        "x = torch.rand((), generator=torch.Generator().manual_seed(42)).item()": "torch.Generator.manual_seed",
        "r = torch.Generator(); r.manual_seed(42); x = torch.rand(1, generator=r)[0]": "torch.Generator.manual_seed",
        "torch.manual_seed(42); x = torch.rand(()).item()": "torch.manual_seed",
    },
    "jax": {
        "x = float(jax.random.normal(jax.random.key(42)))": "jax.random.key",
        "x = float(jax.random.normal(jax.random.PRNGKey(seed=42)))": "jax.random.PRNGKey",
    },
    "tensorflow": {
        "tf.random.set_seed(42); x = float(tf.random.normal([]))": "tf.random.set_seed",
        "x = float(tf.random.Generator.from_seed(42).normal([]))": "tf.random.Generator.from_seed",
        "x = float(tf.random.stateless_normal([], seed=[42, 1]))": None,
    },
    "keras": {"keras.utils.set_random_seed(42); x = float(keras.random.normal(()))": None},
}
HEADS = {
    "torch": "import torch\n",
    "jax": "import jax\n",
    "tensorflow": "import tensorflow as tf\n",
    "keras": "import keras\n",
}


@pytest.mark.parametrize("library", FORMS)
def test_literal_seeds_vary(project, library):
    if find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    forms = FORMS[library]
    tests = [f"def test_{index}():\n    {form}\n    assert x < 99\n" for index, form in enumerate(forms)]
    project.write("test_forms.py", HEADS[library] + "\n".join(tests))
    found = record(project, "--flex-runs=6", "--flex-max-runs=6")
    for index, (form, call) in enumerate(forms.items()):
        test = found[f"test_{index}"]
        assert len(set(values(test).values())) == 6, form
        calls = {seed["call"] for seed in test["literal_seeds"]}
        assert call is None or call in calls, (form, calls)
        for run in test["repeats"]:
            assert dict((tuple(value[:2]), value[2]) for value in run["values"])[0, 0] == values(test)[run["index"]], (
                form
            )


@pytest.mark.skipif(find_spec("jax") is None, reason="JAX is not installed")
def test_a_key_of_jax_follows_the_run(project):
    project.write(
        "test_key.py",
        """
import jax
from pytest_flex import learned, stochastic

@stochastic(runs=30)
def test_it(flex_key):
    assert jax.random.normal(flex_key) < learned()
""",
    )
    assert "1 test calibrated: 1 site learned, 0 refused" in project.calibrate()
    project.pytest("--flex-seed=green")
    assert "flex_key is for stochastic tests" in _unmarked(project)


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
def test_generators_of_torch_are_what_they_were(project):
    project.write(
        "test_generators.py",
        """
import pytest
import torch

AT_IMPORT = torch.Generator().manual_seed(5)

def test_equal_seeds():
    first, second = (torch.Generator().manual_seed(42) for _ in range(2))
    x = torch.rand((), generator=first).item()
    assert x == torch.rand((), generator=second).item()
    assert type(first) is torch.Generator
    assert x < 2

def test_stated():
    assert AT_IMPORT.initial_seed() == 5

def test_wrong():
    with pytest.raises((TypeError, RuntimeError)):
        torch.Generator().manual_seed("text")

def test_its_own():
    torch.manual_seed(42)
    assert torch.utils.data.RandomSampler(range(3)) is not None
    x = next(iter(torch.utils.data.DataLoader(torch.arange(100.0), shuffle=True))).item()
    assert x < 101
""",
    )
    found = record(project, "--flex-runs=6", "--flex-max-runs=6")
    assert all(run["outcome"] == "pass" for test in found.values() for run in test["runs"])
    assert len(set(values(found["test_equal_seeds"]).values())) == 6
    assert {seed["call"] for seed in found["test_its_own"]["literal_seeds"]} == {"torch.manual_seed"}
    project.pytest("--flex-seed=green")


def _unmarked(project):
    project.replace("test_key.py", "@stochastic(runs=30)", "")
    return project.pytest("--flex-seed=green", code=1)


@pytest.mark.skipif(find_spec("numba") is None, reason="numba is not installed")
def test_compiled_code_of_numba_follows_the_run(project):
    project.write(
        "test_numba.py",
        """
import random
import numba
import numpy as np

@numba.njit
def drawn():
    return np.random.random() + random.random()

drawn()

def test_drawn():
    x = drawn()
    assert x < 3

def test_fixed():
    x = 1.0
    assert x < 3
""",
    )
    found = record(project, "--flex-runs=6", "--flex-max-runs=6")
    seen = values(found["test_drawn"])
    assert len(set(seen.values())) == 6
    for run in found["test_drawn"]["repeats"]:
        assert dict((tuple(value[:2]), value[2]) for value in run["values"])[0, 0] == seen[run["index"]]
    assert len(found["test_fixed"]["runs"]) < 6
