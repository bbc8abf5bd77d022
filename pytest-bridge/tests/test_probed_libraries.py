"""What tests draw from torch, TensorFlow and Keras; each where it is installed, since they take minutes to install."""

from __future__ import annotations

import importlib.util
import json

import pytest

TORCH = """
import pytest
import torch

SHARED = torch.Generator()

class Model:
    def __init__(self): self.held = {"generator": torch.Generator().manual_seed(2)}

MODEL = Model()
KEPT = []

@pytest.fixture(scope="module")
def wide(): return torch.Generator().manual_seed(3)

def test_generator_of_the_module(): torch.rand(2, generator=SHARED)
def test_generator_within_an_object(): torch.randperm(3, generator=MODEL.held["generator"])
def test_generator_of_a_wider_fixture(wide): torch.rand(2, generator=wide)
def test_the_same_generator_again(wide): torch.rand(2, generator=wide)
def test_generator_left_behind(): KEPT.append(torch.Generator().manual_seed(1))
def test_generator_that_a_test_left_behind(): torch.rand(2, generator=KEPT[0])
def test_drawn(): torch.rand(3)
def test_dropout(): torch.nn.functional.dropout(torch.ones(4))
def test_layer(): torch.nn.Linear(2, 2)
def test_entropy(): torch.Generator().seed()
def test_own_generator(): torch.rand(2, generator=torch.Generator().manual_seed(1))
def test_fixed(): assert torch.ones(3).sum() == 3
def test_fixed_beside_a_generator(wide): assert wide is not None
"""

TENSORFLOW = """
import tensorflow as tf

before = tf.random.Generator.from_seed(1)
dropout = tf.keras.layers.Dropout(0.5)

@tf.function
def graph(): return tf.random.uniform([2])

graph()

def test_drawn(): tf.random.uniform([2])
def test_shuffled(): tf.random.shuffle([1, 2, 3])
def test_dropped(): tf.nn.dropout(tf.ones([4]), 0.5)
def test_layer(): dropout(tf.ones([4]), training=True)
def test_generator_from_before(): before.normal([2])
def test_entropy(): tf.random.Generator.from_non_deterministic_state()
def test_graph(): graph()
def test_seeded():
    tf.random.set_seed(1)
    tf.random.uniform([2])
def test_fixed(): assert int(tf.reduce_sum(tf.random.stateless_uniform([2], seed=(1, 2)))) < 3
"""


@pytest.mark.parametrize(
    ("library", "suite", "steady"),
    [
        (
            "torch",
            TORCH,
            {"test_fixed": "fixed", "test_own_generator": "fixed", "test_fixed_beside_a_generator": "fixed"},
        ),
        ("tensorflow", TENSORFLOW, {"test_fixed": "fixed", "test_seeded": "controlled"}),
    ],
)
def test_draws_are_seen(project, library, suite, steady):
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    project.write("test_it.py", suite)
    project.pytest("--flex=trace", "--flex-record=trace.json", "-p", "no:randomly")
    tests = json.loads((project.path / "trace.json").read_text(encoding="utf-8"))["tests"]
    assert len(tests) == suite.count("def test_")
    for test in tests:
        name = test["name"].split("::")[1]
        causes = {(touch["cause"], touch["seeded"]) for touch in test["probe"]}
        if name in steady:
            assert causes == ({("randomness", True)} if steady[name] == "controlled" else set()), test
        else:
            assert ("randomness", False) in causes, test
