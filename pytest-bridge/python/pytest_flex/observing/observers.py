"""What looks at the operands of one assertion, and tells its series: ordered comparisons, approximate ones, calls."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast

import pytest

from pytest_flex.observing.asserted import Condition, Statement, name_of
from pytest_flex.observing.comparing import Closeness, extreme, neediest, numbers, pairs
from pytest_flex.observing.source import Json, Source

if TYPE_CHECKING:
    from pytest_flex.observing.functions import Asserting
    from pytest_flex.observing.series import Series, Site

APPROX: Any = type(pytest.approx(0.0)).__base__
"""What all kinds of `pytest.approx` are; before pytest 9.2 it has no public name."""

SiteOf = Callable[[str], "Site"]
"""Makes the site, once it is known what form of assertion it is."""

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], Any]
"""A call that was made: the function, its arguments, those that have names, and what it returned."""

Measured = tuple[str, float, float, str | None]
"""A role, a value, its bound, and the argument that states the bound."""

Defaults = dict[str, tuple[str, str]]
"""For an argument that may be left out: by what keyword it is given then, and its text."""


class Observer(Protocol):
    """What looks at operands."""

    def see(self, left: Any, right: Any) -> None:
        """Take the operands of a comparison that was made."""


def observer_of(condition: Condition, source: Source, site_of: SiteOf) -> Observer:
    """Return what looks at an asserted comparison."""
    compare = cast("ast.Compare", condition.node)
    left, right = [compare.left, *compare.comparators][condition.op : condition.op + 2]
    op = compare.ops[condition.op]
    if isinstance(op, ast.Eq | ast.NotEq):
        is_equal = isinstance(op, ast.Eq) != condition.negated
        return Approximate(source, condition.statement, (left, right), site_of, is_equal)
    is_less = isinstance(op, ast.Lt | ast.LtE) != condition.negated
    is_strict = isinstance(op, ast.Lt | ast.Gt) != condition.negated
    return Ordered(source, condition.statement, (left, right), lambda: site_of(condition.form), is_less, is_strict)


class Ordered:
    """`left < right`, or `left > right`: a value and a bound if one side is a literal, else their difference."""

    __slots__ = ("bound_is_left", "is_lower", "is_strict", "knob", "series", "site_of")

    def __init__(
        self,
        source: Source,
        statement: Statement,
        nodes: Sequence[ast.expr | None],
        site_of: Callable[[], Site],
        is_less: bool,
        is_strict: bool,
    ) -> None:
        self.site_of = site_of
        self.is_strict = is_strict
        self.series: Series | None = None
        left, right = (None if node is None else source.knob(node, statement) for node in nodes)
        if left is not None and right is not None:
            # A number that is written there goes before a name; of two of a kind none is a bound.
            one, other = (knob.json["given"] == "literal" for knob in (left, right))
            left, right = left if one > other else None, right if other > one else None
        self.knob = left or right
        self.bound_is_left = left is not None
        self.is_lower = is_less == self.bound_is_left if self.knob else not is_less

    def see(self, left: Any, right: Any) -> None:
        """Take two operands."""
        if type(left) is not float:
            left = numbers(left)
        if type(right) is not float:
            right = numbers(right)
        if left is None or right is None:
            return
        series = self.series or self._begin(left if self.bound_is_left else right)
        if self.knob is None:
            value, bound = left - right, 0.0
        else:
            value, bound = (right, left) if self.bound_is_left else (left, right)
        series.see(value if type(value) is float else extreme(value, not self.is_lower), bound)

    def _begin(self, bound: Any) -> Series:
        if self.knob is not None and bound != self.knob.value:
            # The name stands for something else by now.
            if self.bound_is_left:
                self.is_lower = not self.is_lower
            self.knob = None
            self.bound_is_left = False
        role = "lower" if self.is_lower else "upper"
        if self.knob is None:
            self.series = self.site_of().add(role, 0.0, None, is_margin=True)
        else:
            self.series = self.site_of().add(role, self.knob.value, self.knob.json)
        self.series.is_strict = self.is_strict
        return self.series


class Approximate:
    """`value == pytest.approx(expected)`, or `!=`; other equalities are not looked at."""

    __slots__ = ("is_equal", "nodes", "site_of", "source", "statement", "tolerances")

    def __init__(
        self, source: Source, statement: Statement, nodes: tuple[ast.expr, ast.expr], site_of: SiteOf, is_equal: bool
    ) -> None:
        self.source = source
        self.statement = statement
        self.nodes = nodes
        self.site_of = site_of
        self.is_equal = is_equal
        self.tolerances: Tolerances | None = None

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
        close = _approximate(relative, absolute, approx.nan_ok)
        needed = None
        differences: list[float] = []
        expected = approx.expected
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
            site = self.site_of("pytest.approx")
            arguments = Arguments(call, {"rel": 1, "abs": 2})
            self.tolerances = Tolerances(self.source, self.statement, arguments, lambda: site)
        if not self.is_equal:
            # One difference is enough.
            self.tolerances.see([("lower", max(differences), 0.0, None)], lambda _: {})
        elif needed is not None:
            measured: list[Measured] = [("absolute", needed[0], absolute, "abs")]
            if approx.rel is not None or approx.abs is None:
                measured.insert(0, ("relative", needed[1], relative, "rel"))
            self.tolerances.see(measured, lambda _: {"rel": ("rel", "1e-06"), "abs": ("abs", "1e-12")})


@functools.lru_cache
def _approximate(relative: float, absolute: float, nan_ok: bool) -> Closeness:
    """Return what `pytest.approx` means by these tolerances; most have those of others before."""
    return Closeness(relative, absolute, adds=False, equal_nan=nan_ok)


class Called:
    """A call of a function that asserts something."""

    __slots__ = ("function", "ordered", "site_of", "tolerances")

    def __init__(
        self,
        function: Asserting,
        statement: Statement,
        source: Source,
        arguments: Arguments,
        site_of: Callable[[], Site],
    ) -> None:
        self.function = function
        self.site_of = site_of
        self.ordered: Ordered | None = None
        if function.order is not None:
            nodes = [arguments.node(name) for name in function.operands]
            is_strict = not function.name.endswith("Equal")
            self.ordered = Ordered(source, statement, nodes, site_of, function.order == "less", is_strict)
        self.tolerances = Tolerances(source, statement, arguments, site_of)

    def see(self, call: Call) -> None:
        """Take a call that was made."""
        function = self.function
        if self.ordered is not None:
            given = function.given(call)
            left, right = function.operands
            self.ordered.see(function.number(given[left]), function.number(given[right]))
        else:
            self.tolerances.see(function.measure(function, call), function.defaults_of)


class Arguments:
    """The arguments of a call in the source, by the names of parameters; none if the call cannot be told.

    Where the function is called by another, and that by the test, the places of parameters are not known (`None`).
    """

    __slots__ = ("call", "is_direct", "places")

    def __init__(self, call: ast.Call | None, places: dict[str, int] | None) -> None:
        self.call = call
        self.places = places or {}
        self.is_direct = places is not None

    def node(self, name: str) -> ast.expr | None:
        """Return what is written for a parameter."""
        if self.call is None:
            return None
        for keyword in self.call.keywords:
            if keyword.arg == name:
                return keyword.value
        given = self.call.args[: self.places.get(name, -1) + 1]
        if not given or len(given) <= self.places[name] or any(isinstance(node, ast.Starred) for node in given):
            return None
        return given[-1]


class Tolerances:
    """The series of an assertion that has tolerances, which are arguments of a call."""

    __slots__ = ("arguments", "series", "site_of", "source", "statement")

    def __init__(self, source: Source, statement: Statement, arguments: Arguments, site_of: Callable[[], Site]) -> None:
        self.source = source
        self.statement = statement
        self.arguments = arguments
        self.site_of = site_of
        self.series: dict[str, Series] = {}

    def see(self, measured: list[Measured], defaults_of: Callable[[list[Measured]], Defaults]) -> None:
        """Take what was measured, one value a role."""
        if not self.series:
            for role, _, bound, argument in sorted(measured, key=self._rank):
                knob = None if argument is None else self._knob(role, bound, argument, defaults_of(measured))
                series = self.site_of().add(role, bound, knob, is_margin=argument is None)
                # Either of two tolerances could be another; failures are about the first.
                series.is_alternative = bool(self.series)
                self.series[role] = series
        series_of = self.series
        for role, value, bound, _ in measured:
            series_of[role].see(value, bound)

    def _rank(self, measured: Measured) -> tuple[int, int]:
        """Return which tolerance failures are about: one that is written, and is more than nothing."""
        role, _, bound, argument = measured
        if argument is not None and bound and self.arguments.node(argument) is not None:
            return 0, 0 if role == "absolute" else 1
        return 1 if bound else 2, 0

    def _knob(self, role: str, bound: float, argument: str, defaults: Defaults) -> Json | None:
        node = self.arguments.node(argument)
        if node is not None:
            knob = self.source.knob(node, self.statement)
            # A number that is not the one that was used is another one; digits and places are another unit.
            is_used = knob is not None and (knob.value == bound or role in ("places", "decimal", "significant"))
            return knob.json if knob is not None and is_used else None
        call = self.arguments.call
        if call is None or not self.arguments.is_direct or argument not in defaults:
            return None
        return self.source.left_out(call, *defaults[argument])
