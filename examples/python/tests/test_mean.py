"""A property about numbers that vary: hypothesis draws the case, and flex learns the bound."""

from hypothesis import given
from hypothesis import strategies as st
from pytest_flex import learned, stochastic


@stochastic
@given(count=st.integers(1, 1000))
def test_mean(count, flex_rng):
    error = abs(flex_rng.random(count).mean() - 0.5) * count**0.5
    assert error < learned()
