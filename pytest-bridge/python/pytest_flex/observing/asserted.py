"""What a source file asserts: the comparisons and calls that must hold, one by one, for an assertion to pass.

`assert a < b and not c < d` asserts two comparisons, the second of them negated. What need not hold, such as one side
of an `or`, is left out: how far it is from failing says nothing about the assertion.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_flex.source.file import Source, source_of
from pytest_flex.source.statement import Statement, name_of

COMPARED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
TRUTHS = {"assertTrue": False, "assertFalse": True}
"""unittest's assertions of a condition, and whether they negate it."""
PREDICATES = ("isclose", "allclose")


@dataclass(frozen=True, eq=False)
class Condition:
    """A comparison that must hold, or a call that must be true."""

    statement: Statement
    node: ast.Compare | ast.Call
    op: int
    """Which of the comparison's operators."""
    negated: bool
    form: str


def conditions(statements: list[Statement]) -> list[Condition]:
    """Return what the statements of a file assert, always in the same order."""
    return [condition for statement in statements for condition in _asserted(statement)]


class Asserted:
    """What one file asserts."""

    def __init__(self, source: Source) -> None:
        self.source = source
        held = conditions(source.statements)
        self.comparisons = [condition for condition in held if isinstance(condition.node, ast.Compare)]
        """By their numbers, which the transformation gives in the same order."""
        self.predicates = {condition.node for condition in held if isinstance(condition.node, ast.Call)}


@functools.cache
def asserted_in(file: str) -> Asserted | None:
    """Return what a file asserts, if it can be read."""
    source = source_of(file)
    return None if source is None else Asserted(source)


def _asserted(statement: Statement) -> Iterator[Condition]:
    node = statement.node
    if statement.expects_failure:
        return
    if isinstance(node, ast.Assert):
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
        if name in PREDICATES and not negated:
            yield Condition(statement, node, 0, negated, form)
        elif name == ("any" if negated else "all") or name in ("bool", "item"):
            if node.args:
                argument = node.args[0]
                if isinstance(argument, ast.GeneratorExp | ast.ListComp):
                    argument, in_loop = argument.elt, True
                parts = [argument]
            elif isinstance(node.func, ast.Attribute):
                parts = [node.func.value]
    for part in parts:
        yield from _held(part, negated, statement, form, in_loop)
