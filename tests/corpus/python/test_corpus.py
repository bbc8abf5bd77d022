"""Flaky tests of the kinds that the papers on FLEX and FLASH name; the tests of the bridge say what flex must say."""

import unittest

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split


def test_allclose_with_a_wrong_atol():
    """A tolerance that somebody guessed."""
    rng = np.random.RandomState(7)
    means = rng.normal(size=(5, 400)).mean(axis=1)
    np.testing.assert_allclose(means, 0.0, atol=0.12)


def test_accuracy():
    """Accuracy above a guess, under a seed that somebody liked."""
    features, labels = make_classification(
        n_samples=300, class_sep=0.8, flip_y=0.05, random_state=0
    )
    train, test, train_labels, test_labels = train_test_split(
        features, labels, random_state=0
    )
    accuracy = LogisticRegression().fit(train, train_labels).score(test, test_labels)
    assert accuracy > 0.75


def test_f1_of_a_rare_class():
    """F1 above nothing, which it sometimes is."""
    rng = np.random.default_rng(3)
    labels = rng.random(40) < 0.1
    scores = labels + rng.normal(scale=0.6, size=40)
    assert f1_score(labels, scores > 1.0, zero_division=0.0) > 0.0


def test_mean_of_the_largest():
    """The mean of a selection that is empty in rare runs: NaN."""
    values = np.random.default_rng(11).exponential(size=50)
    largest = values[values > 2.6]
    assert largest.mean() < 15.0


def test_errors_of_all_sizes():
    """Values in a loop: the worst of them counts."""
    rng = np.random.default_rng()
    for size in (100, 400, 1600):
        error = abs(rng.normal(size=size).mean()) * np.sqrt(size)
        assert error < 2.5


def test_golden_value():
    """A value that was copied from a run under one seed."""
    mean = np.random.RandomState(42).normal(size=100).mean()
    assert mean == pytest.approx(-0.10384652, abs=1e-6)


def test_order_of_a_set():
    """The order of texts in a set changes from process to process."""
    first = len(next(iter({"a", "bb", "ccc", "dddd", "eeeee"})))
    assert first < 5


class TestRounding(unittest.TestCase):
    """The assertions of unittest have tolerances of their own."""

    def test_places(self):
        """Decimal places are powers of ten, and a step too many is flaky."""
        mean = np.random.default_rng(5).normal(size=2000).mean()
        self.assertAlmostEqual(mean, 0.0, places=1)
