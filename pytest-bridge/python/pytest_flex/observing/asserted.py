"""What a source file asserts: the comparisons and calls that must hold, one by one, for an assertion to pass.

`assert a < b and not c < d` asserts two comparisons, the second of them negated. What need not hold, such as one side
of an `or`, is left out: how far it is from failing says nothing about the assertion. Of `assert np.all(mask)` the share
of what is true is looked at, and of `assert close(a, b)` the comparison that the function returns, if that stands in a
file that is transformed, too.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_flex.source.file import Source, source_of
from pytest_flex.source.statement import Statement, name_of

ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
COMPARED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
TRUTHS = {"assertTrue": False, "assertFalse": True}
"""unittest's assertions of a condition, and whether they negate it."""
PREDICATES = ("isclose", "allclose")
SHARES = ("all", "any")
"""Calls that are true by how many elements are."""


@dataclass(frozen=True, eq=False)
class Condition:
    """A comparison that must hold, or that a function returns, or a call that must be true."""

    statement: Statement
    node: ast.Compare | ast.Call
    op: int
    """Which of the comparison's operators."""
    negated: bool
    form: str
    is_returned: bool = False
    """Whether it is what a function returns, which somebody may assert."""

    @property
    def is_share(self) -> bool:
        """Whether it is a call that is true by how many elements are."""
        return isinstance(self.node, ast.Call) and name_of(self.node.func) in SHARES

    @property
    def reports(self) -> bool:
        """Whether the transformation lets it report what it sees."""
        return isinstance(self.node, ast.Compare) or self.is_share


def conditions(statements: list[Statement]) -> list[Condition]:
    """Return what the statements of a file assert, always in the same order."""
    return [condition for statement in statements for condition in _asserted(statement)]


class Asserted:
    """What one file asserts."""

    def __init__(self, source: Source) -> None:
        self.source = source
        held = conditions(source.statements)
        self.reporting = [condition for condition in held if condition.reports]
        """By their numbers, which the transformation gives in the same order."""
        self.calls = {condition.node: condition for condition in held if isinstance(condition.node, ast.Call)}
        """Other calls that must be true, or false."""

    def is_predicate(self, call: ast.Call | None) -> bool:
        """Whether a call of a function such as `np.isclose` must be true."""
        condition = None if call is None else self.calls.get(call)
        return condition is not None and not condition.negated


@functools.cache
def asserted_in(file: str) -> Asserted | None:
    """Return what a file asserts, if it can be read."""
    source = source_of(file)
    return None if source is None else Asserted(source)


def _asserted(statement: Statement) -> Iterator[Condition]:
    node = statement.node
    if statement.expects_failure:
        return
    if isinstance(node, ast.Return):
        value = node.value
        if isinstance(value, ast.Compare) and len(value.ops) == 1 and isinstance(value.ops[0], ORDERED):
            yield Condition(statement, value, 0, False, "return", is_returned=True)
    elif isinstance(node, ast.Assert):
        yield from _held(node.test, False, statement, "assert", False)
    elif not statement.is_class_body:
        for call in statement.calls():
            if isinstance(call.func, ast.Attribute) and call.args:
                negated = TRUTHS.get(call.func.attr)
                if negated is not None:
                    yield from _held(call.args[0], negated, statement, f"unittest.{call.func.attr}", False)


def _held(node: ast.expr, negated: bool, statement: Statement, form: str, in_loop: bool) -> Iterator[Condition]:
    """Return the conditions that must all hold for an expression to be true, or false if it is negated."""
    parts: list[ast.expr] = []
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        negated = not negated
        parts = [node.operand]
    elif isinstance(node, ast.BoolOp):
        if isinstance(node.op, ast.Or) == negated:
            parts = node.values
    elif isinstance(node, ast.NamedExpr):
        parts = [node.value]
    elif isinstance(node, ast.Compare):
        # A negated chain is an `or`. Names cannot be given in loops of a class body, which its operands may need.
        if (len(node.ops) == 1 or not negated) and not (in_loop and statement.is_class_body):
            for index, op in enumerate(node.ops):
                if isinstance(op, COMPARED):
                    yield Condition(statement, node, index, negated, form)
    elif isinstance(node, ast.Call):
        name = name_of(node.func)
        operand = _operand_of(node)
        if name in SHARES and operand is not None and not _tells_more(operand):
            yield Condition(statement, node, 0, negated, form)
        if name == ("any" if negated else "all") or name in ("bool", "item"):
            if isinstance(operand, ast.GeneratorExp | ast.ListComp):
                operand, in_loop = operand.elt, True
            parts = [] if operand is None else [operand]
        elif name not in SHARES:
            yield Condition(statement, node, 0, negated, form)
    for part in parts:
        yield from _held(part, negated, statement, form, in_loop)


def _operand_of(call: ast.Call) -> ast.expr | None:
    """Return what `all(x)`, `np.all(x)` or `x.all()` is about."""
    if call.args:
        return call.args[0]
    return call.func.value if isinstance(call.func, ast.Attribute) else None


def _tells_more(operand: ast.expr) -> bool:
    """Whether what is compared in it says more than how many elements are true."""
    if isinstance(operand, ast.GeneratorExp | ast.ListComp | ast.Compare):
        return True
    return isinstance(operand, ast.Call) and name_of(operand.func) in PREDICATES
