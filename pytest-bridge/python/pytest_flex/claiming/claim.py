"""`mean`, `rate`, `distributed`, `same_distribution` and `no_worse`: what a test says of all its runs together.

Each collects what a run drew, and holds while the test runs. The engine decides after the run whether more are needed,
and what comes of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from pytest_flex import running
from pytest_flex._native import claim_families
from pytest_flex.claiming.law import places
from pytest_flex.claiming.values import UnusableError, numbers, outcomes
from pytest_flex.learning.placeholder import Learned
from pytest_flex.source.site import Form

if TYPE_CHECKING:
    from pytest_flex.running import RunUnderWay
    from pytest_flex.source.site import Site

__tracebackhide__ = True
"""pytest shows the line of the test, and not how we found out."""


def mean(
    value: Any,
    *,
    domain: tuple[float, float] | None = None,
    within: float | None = None,
    of: float | None = None,
    margin: float | None = None,
    max_runs: int | None = None,
    undecided: Literal["pass", "fail"] = "pass",
    draws: Literal["cluster", "independent"] = "cluster",
    confidence: float | None = None,
    name: str | None = None,
    case: object = None,
) -> Claim:
    """Return the mean of a value over all runs, to be compared: `assert mean(error, domain=(0, 1)) < 0.01`.

    `assert mean(error) < learned()` holds it where it was. `domain` is the range that no value ever leaves.
    `assert mean(bias, within=0.01, of=0, domain=(-1, 1))` says that it is near to a number. `margin` is the smallest
    excess that is worth finding.
    """
    return Claim("mean", locals(), lambda: (numbers(value),))


def rate(
    outcome: Any,
    *,
    margin: float | None = None,
    max_runs: int | None = None,
    undecided: Literal["pass", "fail"] = "pass",
    draws: Literal["cluster", "independent"] = "cluster",
    confidence: float | None = None,
    name: str | None = None,
    case: object = None,
) -> Claim:
    """Return how often something is true, to be compared: `assert rate(solved) > 0.9`, or `> learned()`."""
    return Claim("rate", locals(), lambda: (outcomes(outcome),))


def distributed(
    value: Any,
    law: Any,
    *,
    margin: float | None = None,
    max_runs: int | None = None,
    undecided: Literal["pass", "fail"] = "pass",
    draws: Literal["cluster", "independent"] = "cluster",
    confidence: float | None = None,
    name: str | None = None,
    case: object = None,
) -> bool:
    """Claim that a value is drawn from a law: `assert distributed(draw(), scipy.stats.norm(0, 1))`.

    The law is anything with a `cdf`, and a `pmf` if it is discrete; or a function that is the `cdf`.
    """
    return bool(Claim("distributed", locals(), lambda: places(numbers(value), law)))


def same_distribution(
    first: Any,
    second: Any,
    *,
    margin: float | None = None,
    max_runs: int | None = None,
    undecided: Literal["pass", "fail"] = "pass",
    draws: Literal["cluster", "independent"] = "cluster",
    confidence: float | None = None,
    name: str | None = None,
    case: object = None,
) -> bool:
    """Claim that two values are drawn from the same law, whichever that is.

    `assert same_distribution(fast(), slow())`.
    """
    return bool(Claim("same_distribution", locals(), lambda: (numbers(first), numbers(second))))


def no_worse(
    value: Any,
    reference: Any,
    *,
    margin: float | None = None,
    better: Literal["lower", "higher"] = "lower",
    max_runs: int | None = None,
    undecided: Literal["pass", "fail"] = "pass",
    draws: Literal["cluster", "independent"] = "cluster",
    confidence: float | None = None,
    name: str | None = None,
    case: object = None,
) -> bool:
    """Claim that a value is no worse than another of the same run, by more than the margin.

    `assert no_worse(new(), reference(), margin=0.01)`; lower values are better unless `better="higher"`.
    """
    return bool(Claim("no_worse", locals(), lambda: (numbers(value), numbers(reference))))


class ClaimError(Exception):
    """A claim about all runs stands where flex cannot decide it, or is called with what it cannot use."""


OPTIONS = {family: [name for name in options if name not in ("name", "case")] for family, options in claim_families()}
"""The options of each family, besides what a claim is known by."""

FORM = Form(
    frozenset(OPTIONS),
    "what is claimed of all runs always holds while a test runs",
    ClaimError,
)


class Claim:
    """What a run drew of something that is claimed of all runs. Made by `mean()` and `rate()`."""

    __slots__ = ("_case", "_drawn", "_family", "_is_claimed", "_options", "_site", "_tail")

    # NumPy leaves comparisons to us.
    __array_ufunc__ = None

    def __init__(
        self,
        family: str,
        said: dict[str, Any],
        draw: Callable[[], tuple[list[float], ...]],
    ) -> None:
        """Take what was drawn, and of what was said to the function the options that its family has."""
        run = _run(family)
        name, case = said["name"], said["case"]
        # The frame of whoever called the function that makes this.
        self._site: Site = run.site(sys._getframe(2), name, FORM)
        self._family = family
        self._case = None if case is None else str(case)
        self._options = {option: said[option] for option in OPTIONS[family]}
        self._is_claimed = False
        self._tail: str | None = None
        """The side of a bound that is learned."""
        try:
            self._drawn = draw()
        except UnusableError as error:
            raise ClaimError(f"{self._site}: {error}") from None
        run.begin(self)

    def __lt__(self, bound: float) -> bool:
        return self._compared("<", bound)

    def __le__(self, bound: float) -> bool:
        return self._compared("<=", bound)

    def __gt__(self, bound: float) -> bool:
        return self._compared(">", bound)

    def __ge__(self, bound: float) -> bool:
        return self._compared(">=", bound)

    def __bool__(self) -> bool:
        return self._claim(None)

    def __eq__(self, other: object) -> NoReturn:
        raise ClaimError(f"{self._site}: compare it by <, <=, > or >=, or say `within` and `of` for a mean")

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"{self._family}()"

    def _compared(self, sign: str, bound: Any) -> bool:
        if isinstance(bound, Learned):
            return self._hold("upper" if sign.startswith("<") else "lower", bound)
        if isinstance(bound, Claim):
            raise ClaimError(f"{self._site}: two things of one run are compared by no_worse(first, second, margin=…)")
        if not isinstance(bound, Real):
            try:
                (bound,) = numbers(bound)
            except (TypeError, ValueError):
                raise ClaimError(f"{self._site}: it is compared with {bound!r}, which is not a number") from None
        return self._claim((sign, float(bound)))

    def _hold(self, tail: str, bound: Learned) -> bool:
        """Take note that the bound is learned, on this side; on both, if the other one follows."""
        if (bound._case, bound._domain, bound._confidence) != (None, None, None):
            raise ClaimError(f"{self._site}: options belong to {self._family}(), and learned() has none here")
        if (self._is_claimed and self._tail is None) or self._tail in (tail, "both"):
            self._twice()
        self._tail = tail if self._tail is None else "both"
        self._is_claimed = True
        return True

    def _twice(self) -> NoReturn:
        raise ClaimError(
            f"{self._site}: it is compared twice; call {self._family}() for each bound, or say `within` and `of` "
            "for a mean"
        )

    def _claim(self, compared: tuple[str, float] | None) -> bool:
        """Record what was drawn, and hold."""
        if self._is_claimed:
            self._twice()
        self._is_claimed = True
        _run(self._family).claim(self, compared)
        return True

    def _end(self, run: RunUnderWay) -> None:
        """Record what is learned, now that all comparisons are known; fail the run of a claim that says nothing."""
        if self._tail is not None:
            run.claim(self, (self._tail, None))
        if not self._is_claimed:
            raise ClaimError(f"{self._site}: {self._family}() is never compared, so that nothing is claimed")


def _run(family: str) -> RunUnderWay:
    if running.run is None:
        raise ClaimError(
            f"{family}() needs a running stochastic test: mark the test with @stochastic (pytest_flex.stochastic), "
            "and do not use -p no:flex"
        )
    return running.run
