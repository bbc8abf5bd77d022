"""How well scikit-learn's estimators do on data that they have not seen: random by the data, the split and the fit."""

from __future__ import annotations

import numpy as np
import pytest
from pytest_flex import learned, stochastic
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_classification
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import train_test_split
from sklearn.random_projection import GaussianRandomProjection
from sklearn.tree import DecisionTreeClassifier


@pytest.fixture
def split(flex_seed):
    """A fresh problem for every run."""
    features, labels = make_classification(n_samples=400, n_features=8, class_sep=1.5, random_state=flex_seed)
    return train_test_split(features, labels, random_state=flex_seed)


@pytest.mark.parametrize("kind", [SGDClassifier, DecisionTreeClassifier])
@stochastic
def test_accuracy_on_new_data(kind, split, flex_seed):
    train, test, train_labels, test_labels = split
    accuracy = kind(random_state=flex_seed).fit(train, train_labels).score(test, test_labels)
    assert accuracy > learned(domain=(0, 1))


@stochastic
def test_clusters_are_found_again(flex_seed):
    points, labels = make_blobs(n_samples=150, centers=3, cluster_std=1.5, random_state=flex_seed)
    found = KMeans(n_clusters=3, n_init=2, random_state=flex_seed).fit(points)
    assert adjusted_rand_score(labels, found.labels_) > learned(domain=(-1, 1))
    assert found.inertia_ / len(points) < learned()


@stochastic
class TestRandomProjection:
    """A projection to few dimensions keeps distances, by the lemma of Johnson and Lindenstrauss."""

    @pytest.fixture(autouse=True)
    def points(self, flex_rng):
        self.points = flex_rng.normal(size=(20, 300))

    def test_lengths_are_kept(self, flex_seed):
        projected = GaussianRandomProjection(n_components=100, random_state=flex_seed).fit_transform(self.points)
        before = np.linalg.norm(self.points, axis=1)
        np.testing.assert_allclose(np.linalg.norm(projected, axis=1), before, rtol=learned())
