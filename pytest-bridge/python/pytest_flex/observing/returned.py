"""What looks at a comparison that a function returns, wherever such a call is asserted: `assert close(a, b)`."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeAlias, cast

from pytest_flex.observing.asserted import Asserted, Condition
from pytest_flex.observing.assertion import Assertion
from pytest_flex.observing.comparisons import Ordered

AssertedCall: TypeAlias = tuple[Asserted, Condition, Callable[[], Assertion]]
"""A call that must be true, or false: what its file asserts, the call, and what makes its assertion."""


class Returned:
    """A comparison that a function returns.

    How far it is from failing is its margin: the numbers in it are those of all who call the function.
    """

    __slots__ = ("_asserting", "_callers", "condition")

    def __init__(self, condition: Condition, asserting: Callable[[FrameType, str], AssertedCall | None]) -> None:
        self.condition = condition
        self._asserting = asserting
        self._callers: dict[tuple[int, int], Ordered | None] = {}

    def see(self, left: Any, right: Any) -> None:
        """Take two operands, if the call of the function is asserted."""
        # Above this are `compared`, what listens, and the function.
        function = sys._getframe(3)
        caller = function.f_back
        if caller is None:
            return
        key = id(caller.f_code), caller.f_lasti
        if key not in self._callers:
            self._callers[key] = self._ordered(caller, function.f_code.co_name)
        ordered = self._callers[key]
        if ordered is not None:
            ordered.see(left, right)

    def _ordered(self, caller: FrameType, name: str) -> Ordered | None:
        found = self._asserting(caller, name)
        if found is None:
            return None
        asserted, call, assertion_of = found
        op = cast("ast.Compare", self.condition.node).ops[0]
        is_less = isinstance(op, ast.Lt | ast.LtE) != call.negated
        is_strict = isinstance(op, ast.Lt | ast.Gt) != call.negated
        return Ordered(asserted, call.statement, (None, None), assertion_of, is_less, is_strict)
