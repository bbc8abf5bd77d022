"""What looks at the operands of an asserted comparison: ordered ones, those with `pytest.approx`, and shares."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

import pytest

from pytest_flex import _native
from pytest_flex.observing.asserted import Asserted, Condition
from pytest_flex.observing.assertion import Assertion, Saw
from pytest_flex.observing.comparing import Closeness, extreme, neediest, numbers, pairs, share_of
from pytest_flex.observing.knobs import stated_by
from pytest_flex.observing.tolerances import Arguments, Measured, Tolerances
from pytest_flex.source.statement import Statement, name_of

APPROX: Any = type(pytest.approx(0.0)).__base__
"""What all kinds of `pytest.approx` are; before pytest 9.2 it has no public name."""

AssertionOf = Callable[[str], Assertion]
"""Makes the assertion, once it is known what form it has."""


class Observer(Protocol):
    """What looks at operands."""

    def see(self, left: Any, right: Any) -> None:
        """Take the operands of a comparison that was made."""


def observer_of(condition: Condition, asserted: Asserted, assertion_of: AssertionOf) -> Observer:
    """Return what looks at an asserted comparison, or at what is all or in part true."""
    if condition.is_share:
        return Share(condition, assertion_of)
    compare = cast("ast.Compare", condition.node)
    left, right = [compare.left, *compare.comparators][condition.op : condition.op + 2]
    op = compare.ops[condition.op]
    if isinstance(op, ast.Eq | ast.NotEq):
        is_equal = isinstance(op, ast.Eq) != condition.negated
        return Approximate(asserted, condition.statement, (left, right), assertion_of, is_equal)
    is_less = isinstance(op, ast.Lt | ast.LtE) != condition.negated
    is_strict = isinstance(op, ast.Lt | ast.Gt) != condition.negated
    of_form = functools.partial(assertion_of, condition.form)
    return Ordered(asserted, condition.statement, (left, right), of_form, is_less, is_strict)


class Ordered:
    """`left < right`, or `left > right`: a value and a bound if one side is a literal, else their difference."""

    __slots__ = ("assertion_of", "bound_is_left", "is_lower", "is_strict", "saw", "stated")

    def __init__(
        self,
        asserted: Asserted,
        statement: Statement,
        nodes: Sequence[ast.expr | None],
        assertion_of: Callable[[], Assertion],
        is_less: bool,
        is_strict: bool,
    ) -> None:
        self.assertion_of = assertion_of
        self.is_strict = is_strict
        self.saw: Saw | None = None
        left, right = (None if node is None else stated_by(node, statement, asserted) for node in nodes)
        if left is not None and right is not None:
            # A number that is written there goes before a name; of two of a kind none is a bound.
            one, other = left.is_literal, right.is_literal
            left, right = left if one > other else None, right if other > one else None
        self.stated = left or right
        self.bound_is_left = left is not None
        self.is_lower = is_less == self.bound_is_left if self.stated else not is_less

    def see(self, left: Any, right: Any) -> None:
        """Take two operands."""
        if type(left) is not float:
            left = numbers(left)
        if type(right) is not float:
            right = numbers(right)
        if left is None or right is None:
            return
        saw = self.saw or self._begin(left if self.bound_is_left else right)
        if self.stated is None:
            value, bound = left - right, 0.0
        else:
            value, bound = (right, left) if self.bound_is_left else (left, right)
        saw(value if type(value) is float else extreme(value, not self.is_lower), bound)

    def _begin(self, bound: Any) -> Saw:
        if self.stated is not None and bound != self.stated.value:
            # The name stands for something else by now.
            if self.bound_is_left:
                self.is_lower = not self.is_lower
            self.stated = None
            self.bound_is_left = False
        role = "lower" if self.is_lower else "upper"
        assertion = self.assertion_of()
        if self.stated is None:
            self.saw = assertion.series(role, 0.0, is_margin=True, is_strict=self.is_strict)
        else:
            self.saw = assertion.series(role, self.stated.value, self.stated.knob, is_strict=self.is_strict)
        return self.saw


class Share:
    """`all(values)`, or `any(values)`: the share of those that are true."""

    __slots__ = ("assertion_of", "condition", "saw")

    def __init__(self, condition: Condition, assertion_of: AssertionOf) -> None:
        self.condition = condition
        self.assertion_of = assertion_of
        self.saw: Saw | None = None

    def see(self, left: Any, right: Any) -> None:
        """Take the values, or the method that is called of them."""
        share = share_of(getattr(right, "__self__", right))
        if share is None:
            return
        is_all = name_of(cast("ast.Call", self.condition.node).func) == "all"
        bound = 1.0 if is_all else 0.0
        if self.saw is None:
            role = "upper" if self.condition.negated else "lower"
            # All are true if their share is not below 1, and none is if it is not above 0.
            is_strict = is_all == self.condition.negated
            self.saw = self.assertion_of(self.condition.form).series(role, bound, is_strict=is_strict)
        self.saw(share, bound)


class Approximate:
    """`value == pytest.approx(expected)`, or `!=`; other equalities are not looked at."""

    __slots__ = ("asserted", "assertion_of", "is_equal", "nodes", "seen", "statement", "tolerances")

    def __init__(
        self,
        asserted: Asserted,
        statement: Statement,
        nodes: tuple[ast.expr, ast.expr],
        assertion_of: AssertionOf,
        is_equal: bool,
    ) -> None:
        self.asserted = asserted
        self.statement = statement
        self.nodes = nodes
        self.assertion_of = assertion_of
        self.is_equal = is_equal
        self.tolerances: Tolerances | None = None
        self.seen: dict[str, Saw] = {}
        """What takes the values of each tolerance of an equality, once one was seen."""

    def see(self, left: Any, right: Any) -> None:
        """Take two operands."""
        if isinstance(right, APPROX):
            approx, actual, node = right, left, self.nodes[1]
        elif isinstance(left, APPROX):
            approx, actual, node = left, right, self.nodes[0]
        else:
            return
        absolute = 1e-12 if approx.abs is None else float(approx.abs)
        relative = (1e-6 if approx.abs is None else 0.0) if approx.rel is None else float(approx.rel)
        expected = approx.expected
        if self.seen and type(actual) is float and type(expected) is float:
            # What most calls are after the first: nothing is left to find out.
            pair = _native.needed(actual, expected, relative, absolute, False, False, approx.nan_ok)
            if pair is not None:
                if approx.rel is not None or approx.abs is None:
                    self.seen["relative"](pair[1], relative)
                self.seen["absolute"](pair[0], absolute)
            return
        close = _approximate(relative, absolute, approx.nan_ok)
        needed = None
        differences: list[float] = []
        # Most are single numbers, which need no walk through collections.
        for one, other in ((actual, expected),) if type(expected) is float else pairs(actual, expected):
            value, wanted = numbers(one), numbers(other)
            if value is None or wanted is None:
                return
            needed = neediest(needed, close.needed(value, wanted))
            if not self.is_equal:
                beyond = abs(value - wanted) - max(absolute, relative * extreme(abs(wanted), True))
                differences.append(extreme(beyond, True))
        if self.tolerances is None:
            call = node if isinstance(node, ast.Call) and name_of(node.func) == "approx" else None
            assertion = self.assertion_of("pytest.approx")
            arguments = Arguments(call, {"rel": 1, "abs": 2})
            self.tolerances = Tolerances(self.asserted, self.statement, arguments, lambda: assertion)
        if not self.is_equal:
            # One difference is enough.
            self.tolerances.see([("lower", max(differences), 0.0, None)], lambda _: {})
        elif needed is not None:
            measured: list[Measured] = [("absolute", needed[0], absolute, "abs")]
            if approx.rel is not None or approx.abs is None:
                measured.insert(0, ("relative", needed[1], relative, "rel"))
            self.tolerances.see(measured, lambda _: {"rel": ("rel", "1e-06"), "abs": ("abs", "1e-12")})
            self.seen = self.tolerances.saw


@functools.lru_cache
def _approximate(relative: float, absolute: float, nan_ok: bool) -> Closeness:
    """Return what `pytest.approx` means by these tolerances; most have those of others before."""
    return Closeness(relative, absolute, adds=False, equal_nan=nan_ok)
