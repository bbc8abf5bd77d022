# ruff: noqa
# fmt: off
"""Assertions that fail, in many forms: the words of pytest about them must not change when they are recorded."""
import math, asyncio, unittest
import numpy as np
import pytest
from dataclasses import dataclass

G = 3

def f(x=1): return x
class Odd:
    def __init__(self, v): self.v = v
    def __repr__(self): return f"Odd(\n{self.v})"
    def __lt__(self, o): return self.v < o
class Raises:
    def __lt__(self, o): raise RuntimeError("no order")
    def __gt__(self, o): raise RuntimeError("no order")
    def __bool__(self): raise RuntimeError("no truth")
    def __eq__(self, o): return self
    __hash__ = None

def test_plain():
    x = 2
    assert x < 1
def test_message():
    assert f(3) < f(2), f"oh {f(7)} %s %%"
def test_message_object():
    assert f(3) < f(2), {"a": 1}
def test_chain():
    x = 5
    assert 0 < x < 3 < 9
def test_chain_calls():
    assert f(0) < f(1) < f(0) < f(1 / 0)
def test_not():
    assert not f(1) < 2
def test_and():
    x = 1
    assert x < 2 and f(x) > 3 and 1 / 0
def test_or():
    assert f(1) > 2 or f(2) > 3
def test_walrus():
    assert (y := f(3)) < 2
def test_walrus_both():
    x = 1
    assert (x := x + 3) < (z := 2), (x, z)
def test_walrus_again():
    x = 5
    assert x < (x := 3)
def test_walrus_condition():
    assert (ok := f(3) < 2)
def test_all():
    assert all(x < 3 for x in [1, 2, 3, 4])
def test_all_calls():
    assert all(abs(x - 1) < f(1) for x in [1, 2, 3, 4])
def test_all_list():
    assert all([f(x) < 3 for x in [1, 2, 3]])
def test_nested_all():
    assert all(all(f(x) < 3 for x in xs) for xs in [[1], [5]])
def test_any():
    assert any(x > 3 for x in [1, 2])
def test_lambda():
    assert (lambda v: v < 1)(3)
def test_odd():
    assert Odd(3) < 2
def test_raises_in_comparison():
    assert Raises() < 2
def test_raises_in_generator():
    assert all(Raises() < x for x in [2])
def test_raises_in_truth():
    assert Raises() == 2
def test_raises_in_operand():
    assert f(1) < 1 / 0
def test_undefined():
    assert undefined < 3
def test_types():
    assert "a" < 3
def test_arrays():
    assert np.arange(3) < 2
def test_arrays_all():
    assert (np.arange(3.0) < f(2)).all()
def test_np_all():
    a = np.arange(3.0)
    assert np.all(a < 2), "arrays"
def test_approx():
    assert f(1) == pytest.approx(1.1, abs=1e-3)
def test_approx_list():
    assert [1.0, 2.0] == pytest.approx([1.0, 2.1])
def test_approx_dict():
    assert {"a": 1.0} == pytest.approx({"a": 1.2}, rel=0.1)
def test_approx_array():
    assert np.ones(3) == pytest.approx(np.ones(3) * 2)
def test_approx_not():
    assert 1.0 != pytest.approx(1.0)
def test_equal():
    assert [1, 2, 3] == [1, 2, 4]
def test_isclose():
    assert math.isclose(1.0, 1.1, rel_tol=1e-3)
def test_allclose():
    assert np.allclose([1.0, 2.0], [1.0, 2.5], atol=0.1)
def test_conditional():
    assert f(1) > 2 if G else f(3)
def test_multiline():
    x = 1
    assert (
        x
        >
        f(3)  # why
    ), "lines"
def test_semicolon():
    x = 1; assert x > 0; assert x > 1
def test_attribute():
    class A: b = 3
    assert A.b < 2
def test_global():
    assert G < 2
def test_percent():
    assert f("%s") != "%s"
def test_nan():
    assert math.nan < 1
def test_assert_allclose():
    np.testing.assert_allclose([1.0, 2.0], [1.0, 2.5], rtol=1e-3, err_msg="why")
def test_assert_allclose_shape():
    np.testing.assert_allclose([1.0, 2.0], [1.0, 2.5, 3], rtol=1e-3)
def test_assert_allclose_misuse():
    np.testing.assert_allclose([1.0, 2.0], "a")
def test_assert_allclose_arguments():
    np.testing.assert_allclose([1.0, 2.0], nonsense=3)
def test_almost():
    np.testing.assert_almost_equal(1.0, 1.1, 3)
def test_less():
    np.testing.assert_array_less([1.0, 3.0], 2)
def test_ulp():
    np.testing.assert_array_max_ulp(1.0, 1.1)
def test_significant():
    np.testing.assert_approx_equal(1.0, 1.1, significant=3)
def helper(x):
    __tracebackhide__ = True
    assert x < 1
def test_helper():
    helper(3)
def test_loop():
    for x in range(5):
        assert x < 3, x
@pytest.mark.parametrize("x", [0.5, 1.5])
def test_parametrised(x):
    assert x < 1
def test_async():
    async def g():
        return 3
    async def main():
        assert await g() < 2
    asyncio.run(main())
def test_generator():
    def gen():
        assert (yield 1) < 2
    g = gen(); next(g); g.send(5)
def test_class_body():
    class A:
        x = 3
        assert x < 2
def test_class_body_all():
    class A:
        assert all(abs(x) < 2 for x in [3])
def test_nonlocal():
    x = 1
    def bump():
        nonlocal x
        x += 1
        return x
    assert bump() < x < bump()
def test_try():
    try:
        assert f(1) > 2
    except AssertionError as e:
        assert str(e) == "", "caught"
def test_match():
    match f(3):
        case int() as n:
            assert n < 2
def test_locals():
    x = 3
    assert all(abs(y) < f(x) for y in [1, 5])
    assert "@" not in "".join(n for n in locals() if n[:5] != "@py_a")
def test_expected():
    with pytest.raises(AssertionError):
        assert f(1) < 0.5
    with pytest.raises(AssertionError, match="zzz"):
        assert f(1) < 0.5
class TestUnit(unittest.TestCase):
    def test_less(self):
        self.assertLess(3, 2, "words")
    def test_greater_equal(self):
        self.assertGreaterEqual(1, 2)
    def test_almost(self):
        self.assertAlmostEqual(1.0, 1.1, places=3)
    def test_delta(self):
        self.assertAlmostEqual(1.0, 1.1, delta=0.01)
    def test_true(self):
        self.assertTrue(f(3) < 2, "oh")
    def test_true_all(self):
        self.assertTrue(all(f(x) < 2 for x in [3]))
    def test_true_chain(self):
        self.assertTrue(f(0) < f(1) < f(0) < 1 / 0)
    def test_false(self):
        self.assertFalse(f(1) < 2)
    def test_true_raises(self):
        self.assertTrue(Raises() < 2)
    def test_misuse(self):
        self.assertLess(3)
