"""`learned()`: stands in the place of a number that flex learns, and lets every comparison hold.

The object is a float, since `pytest.approx` and others take nothing else, and its value is NaN, so that code which
reads the number instead of comparing with the object lets no test pass. NumPy, torch and JAX are told not to take it
for a number, so that comparisons with their scalars and arrays end up here.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NoReturn

from pytest_flex import running
from pytest_flex.source.site import Form

if TYPE_CHECKING:
    from pytest_flex.source.site import Site


def learned(
    name: str | None = None,
    case: object = None,
    domain: tuple[float, float] | None = None,
    confidence: float | None = None,
) -> Any:
    """Return a bound that flex learns: `assert error < learned()`.

    `name` replaces the text of the statement as the site's identity. `case` makes one site per value, for a loop over
    sizes. `domain` is the range that the value can take, and `confidence` the site's own.
    """
    run = running.run
    if run is None:
        raise LearnedError(
            "learned() needs a running stochastic test: mark the test with @stochastic (pytest_flex.stochastic), "
            "and do not use -p no:flex"
        )
    site = run.site(sys._getframe(1), name, FORM)
    return Learned._of(site, None if case is None else str(case), domain, confidence)


class LearnedError(Exception):
    """`learned()` stands where flex cannot learn a bound."""


FORM = Form(frozenset({"learned"}), "a comparison with learned() always holds", LearnedError, is_unmistakable=True)


class Learned(float):
    """A bound that flex learns. Made by `learned()`."""

    __slots__ = ("_case", "_confidence", "_domain", "_site")

    # NumPy leaves operations to us, and so does JAX, to which this is no array.
    __array_ufunc__ = None
    _site: Site
    _case: str | None
    _domain: tuple[float, float] | None
    _confidence: float | None

    @classmethod
    def _of(cls, site: Site, case: str | None, domain: Any, confidence: float | None) -> Learned:
        self = float.__new__(cls, "nan")
        self._site = site
        self._case = case
        self._domain = domain
        self._confidence = confidence
        return self

    # `value < learned()` arrives as `learned() > value`.
    def __gt__(self, value: Any) -> Any:
        return self._compared(value, "upper")

    def __ge__(self, value: Any) -> Any:
        return self._compared(value, "upper")

    def __lt__(self, value: Any) -> Any:
        return self._compared(value, "lower")

    def __le__(self, value: Any) -> Any:
        return self._compared(value, "lower")

    def _compared(self, value: Any, tail: str) -> Any:
        from pytest_flex.learning.measure import extremes, true_like
        from pytest_flex.learning.picked import picked_by

        frame = sys._getframe(2)
        caller = frame.f_globals.get("__name__", "")
        # `pytest.approx` looks whether its tolerance is negative: a probe is not a sample.
        if caller.startswith("_pytest."):
            return False
        if caller == "fractions":
            # A fraction compares 0.0 in its place with what is not finite.
            raise LearnedError(f"{self._site}: write float(…) around the fraction")
        picked = picked_by(frame)
        if picked is not None:
            raise LearnedError(
                f"{self._site}: {picked}() would compare learned() with other numbers, which are no samples; compare "
                "with each by itself: `assert x < learned()` and `assert x < 0.5`"
            )
        measured = extremes(value)
        if measured is None:
            return NotImplemented
        self._hit(*measured, tail, value)
        return true_like(value)

    def _hit(self, least: float, greatest: float, tail: str, value: Any = None) -> None:
        """Record a sample, and what was compared."""
        run = running.run
        if run is None:
            raise LearnedError(f"{self._site.text}: learned() was used after its test had ended")
        run.hit(self, least, greatest, tail, value)

    def __repr__(self) -> str:
        run = running.run
        return "learned()" if run is None else run.words_for(self)

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self)

    def __hash__(self) -> int:
        return id(self)

    def __reduce__(self) -> NoReturn:
        self._misused("be copied or sent elsewhere")

    def _misused(self, *_: object, **__: object) -> NoReturn:
        raise LearnedError(
            f"{self._site}: learned() can stand on one side of <, <=, > or >=, "
            "or be a tolerance of pytest.approx, numpy.testing.assert_allclose, math.isclose or "
            "torch.testing.assert_close; nothing can be computed with it, and it is neither true nor false"
        )

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Tell torch that a comparison of a tensor with a learned bound is ours."""
        sides = {"lt": "upper", "le": "upper", "gt": "lower", "ge": "lower"}
        tail = sides.get(getattr(func, "__name__", "").strip("_"))
        if tail is not None and len(args) == 2:
            value, bound = args
            if isinstance(value, Learned):
                value, bound, tail = bound, value, "lower" if tail == "upper" else "upper"
            return bound._compared(value, tail)
        learned = next(arg for arg in args if isinstance(arg, Learned))
        learned._misused()

    def __jax_array__(self) -> Any:
        # JAX hands back what it knows nothing of.
        return _NotAnArray()


class _NotAnArray:
    """What JAX cannot compare, so that Python asks the learned bound."""


_UNARY = ["bool", "int", "float", "complex", "index", "round", "trunc", "floor", "ceil", "abs", "neg", "pos"]
_BINARY = ["add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow"]
for _name in [*_UNARY, *_BINARY, *(f"r{name}" for name in _BINARY), "eq", "ne"]:
    setattr(Learned, f"__{_name}__", Learned._misused)
