"""The tolerances of an assertion, which are arguments of a call: how much of each its values need."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from pytest_flex._native import Knob
from pytest_flex.observing.asserted import Asserted
from pytest_flex.observing.assertion import Assertion, Saw
from pytest_flex.observing.knobs import left_out, stated_by
from pytest_flex.source.statement import Statement

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], Any]
"""A call that was made: the function, its arguments, those that have names, and what it returned."""

Measured = tuple[str, float, float, str | None]
"""A role, a value, its bound, and the argument that states the bound."""

Defaults = dict[str, tuple[str, str]]
"""For an argument that may be left out: by what keyword it is given then, and its text."""


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

    __slots__ = ("arguments", "asserted", "assertion_of", "saw", "statement")

    def __init__(
        self, asserted: Asserted, statement: Statement, arguments: Arguments, assertion_of: Callable[[], Assertion]
    ) -> None:
        self.asserted = asserted
        self.statement = statement
        self.arguments = arguments
        self.assertion_of = assertion_of
        self.saw: dict[str, Saw] = {}

    def see(self, measured: list[Measured], defaults_of: Callable[[list[Measured]], Defaults]) -> None:
        """Take what was measured, one value a role."""
        if not self.saw:
            for role, _, bound, argument in sorted(measured, key=self._rank):
                knob = None if argument is None else self._knob(role, bound, argument, defaults_of(measured))
                # Either of two tolerances could be another; failures are about the first.
                self.saw[role] = self.assertion_of().series(
                    role, bound, knob, is_margin=argument is None, is_alternative=bool(self.saw)
                )
        saw = self.saw
        for role, value, bound, _ in measured:
            saw[role](value, bound)

    def _rank(self, measured: Measured) -> tuple[int, int]:
        """Return which tolerance failures are about: one that is written, and is more than nothing."""
        role, _, bound, argument = measured
        if argument is not None and bound and self.arguments.node(argument) is not None:
            return 0, 0 if role == "absolute" else 1
        return 1 if bound else 2, 0

    def _knob(self, role: str, bound: float, argument: str, defaults: Defaults) -> Knob | None:
        node = self.arguments.node(argument)
        if node is not None:
            stated = stated_by(node, self.statement, self.asserted)
            # A number that is not the one that was used is another one; digits and places are another unit.
            is_used = stated is not None and (stated.value == bound or role in ("places", "decimal", "significant"))
            return stated.knob if stated is not None and is_used else None
        call = self.arguments.call
        if call is None or not self.arguments.is_direct or argument not in defaults:
            return None
        return left_out(call, *defaults[argument], self.asserted.source)
