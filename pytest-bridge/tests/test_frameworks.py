"""Seeds of JAX, TensorFlow, Keras and numba in a search; each where it is installed, which takes minutes.

`cargo xtask frameworks` installs them and runs this.
"""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from searching import record, values

FORMS = {
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
HEADS = {"jax": "import jax\n", "tensorflow": "import tensorflow as tf\n", "keras": "import keras\n"}


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
