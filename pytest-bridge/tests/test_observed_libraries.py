"""What is recorded of libraries that assert: those in between, those that a project names, torch and TensorFlow."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from observation import short


def test_a_library_in_between_is_seen_through(observation, monkeypatch):
    """A package's own `assert_allclose` calls NumPy's: the assertion is where the test calls it."""
    library = observation.project.path / "site-packages"
    (library / "helping").mkdir(parents=True)
    (library / "helping" / "__init__.py").write_text(
        "from numpy.testing import assert_allclose as original\n"
        "def assert_allclose(a, b, rtol=1e-3, atol=0):\n    original(a, b, rtol=rtol, atol=atol)\n"
    )
    monkeypatch.syspath_prepend(library)
    sites = observation.of(
        "assert_allclose(1.25, 1, atol=0.5)\nassert_allclose(1, 1, 0.25)",
        "-p",
        "no:cacheprovider",
        head=f"import sys\nsys.path.insert(0, {str(library)!r})\nfrom helping import assert_allclose",
    )
    assert [site["line"] for site in sites] == [8, 9]
    assert short(sites) == [
        ("absolute", 0.5, "literal", 0.249),
        ("relative", 0.001, None, -0.25),
        ("relative", 0.25, None, 0.0),
        ("absolute", 0.0, None, -0.25),
    ]


def test_helpers_that_the_project_names(observation):
    observation.project.write(
        "flex.toml",
        """
[[assertion]]
function = "helpers.assert_near"
actual = "a"
expected = "b"
atol = "within"

[[assertion]]
function = "helpers.Checks.ratio"
actual = "value"
expected = "wanted"
rtol = "tolerance"

[[assertion]]
function = "helpers.below"
actual = "value"
upper = "limit"

[[assertion]]
function = "helpers.missing"
actual = "value"
upper = "limit"
""",
    )
    observation.project.write(
        "helpers.py",
        """
import numpy as np

def assert_near(a, b, *, within=0.5):
    np.testing.assert_allclose(a, b, rtol=0, atol=within)

class Checks:
    def ratio(self, value, wanted, tolerance):
        assert abs(value - wanted) <= tolerance * wanted

def below(value, limit):
    if not value < limit:
        raise AssertionError("too much")
""",
    )
    sites = observation.of(
        """
assert_near(1.25, [1, 1])
assert_near(1.25, 1, within=0.3)
helpers.Checks().ratio(1.25, 1, 0.5)
helpers.below(random.random(), 0.8)
""",
        head="import helpers\nfrom helpers import assert_near",
        runs=3,
        code=1,
    )
    assert short(sites)[:3] == [
        ("absolute", 0.5, "default", 0.25),
        ("absolute", 0.3, "literal", 0.25),
        ("relative", 0.5, "literal", 0.25),
    ]
    assert sites[3]["failed"] == [0, 2]
    assert [site["form"] for site in sites] == [
        "helpers.assert_near",
        "helpers.assert_near",
        "helpers.Checks.ratio",
        "helpers.below",
    ]


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
def test_torch(observation):
    sites = observation.of(
        """
x = torch.tensor([1.25, 1.0])
torch.testing.assert_close(x, torch.ones(2), rtol=0.5, atol=0.0)
torch.testing.assert_close(x, x)
torch.testing.assert_close([x, 1.0], [x, 1.0])
assert torch.allclose(x, torch.ones(2), atol=0.5)
assert (x < 2).all()
assert x[0] < 2
assert x[0].item() > 1
assert torch.all(x < torch.tensor([2.0, 2.0]))
""",
        head="import torch",
    )
    assert [series[:3] for series in short(sites)] == [
        ("relative", 0.5, "literal"),
        ("absolute", 0.0, "literal"),
        ("relative", 1.3e-6, "default"),
        ("absolute", 1e-5, "default"),
        # Of several pairs, the one nearest to its own tolerance.
        ("relative", 1e-7, "default"),
        ("absolute", 1e-7, "default"),
        ("absolute", 0.5, "literal"),
        ("relative", 1e-5, "default"),
        ("upper", 2.0, "literal"),
        ("upper", 2.0, "literal"),
        ("lower", 1.0, "literal"),
        ("upper margin", 0.0, None),
    ]
    # One tolerance alone is refused by torch.
    assert sites[1]["series"][0]["knob"]["keyword"] == "atol=1e-05, rtol"


@pytest.mark.skipif(find_spec("tensorflow") is None, reason="TensorFlow is not installed")
def test_tensorflow(observation):
    observation.project.write(
        "test_it.py",
        """
import tensorflow as tf

class TestIt(tf.test.TestCase):
    def test_it(self):
        self.assertAllClose([1.25, tf.constant(1.0)], [1.0, 1.0], atol=0.5)
        self.assertAllClose({"a": tf.ones(2)}, {"a": [1.0, 1.0]})
        self.assertNear(1.25, 1.0, 0.5)
""",
    )
    sites = observation.run()["test_it"]["sites"]
    assert [series[:3] for series in short(sites)] == [
        ("absolute", 0.5, "literal"),
        ("relative", 1e-6, "default"),
        ("relative", 1e-6, "default"),
        ("absolute", 1e-6, "default"),
        ("absolute", 0.5, "literal"),
    ]
