"""What looks at the calls of a function that asserts something."""

from __future__ import annotations

from collections.abc import Callable

from pytest_flex.observing.asserted import Asserted
from pytest_flex.observing.assertion import Assertion
from pytest_flex.observing.comparisons import Ordered
from pytest_flex.observing.functions import Asserting
from pytest_flex.observing.tolerances import Arguments, Call, Tolerances
from pytest_flex.source.statement import Statement


class Called:
    """A call of a function that asserts something."""

    __slots__ = ("assertion_of", "function", "ordered", "tolerances")

    def __init__(
        self,
        function: Asserting,
        statement: Statement,
        asserted: Asserted,
        arguments: Arguments,
        assertion_of: Callable[[], Assertion],
    ) -> None:
        self.function = function
        self.assertion_of = assertion_of
        self.ordered: Ordered | None = None
        if function.order is not None:
            nodes = [arguments.node(name) for name in function.operands]
            is_strict = not function.name.endswith("Equal")
            self.ordered = Ordered(asserted, statement, nodes, assertion_of, function.order == "less", is_strict)
        self.tolerances = Tolerances(asserted, statement, arguments, assertion_of)

    def see(self, call: Call) -> None:
        """Take a call that was made."""
        function = self.function
        if self.ordered is not None:
            given = function.given(call)
            left, right = function.operands
            self.ordered.see(function.number(given[left]), function.number(given[right]))
        else:
            self.tolerances.see(function.measure(function, call), function.defaults_of)
