"""What a source file asserts: the comparisons and calls that must hold, one by one, for an assertion to pass.

`assert a < b and not c < d` asserts two comparisons, the second of them negated. What need not hold, such as one side
of an `or`, is left out: how far it is from failing says nothing about the assertion.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_flex.learning.sites import own_expressions

COMPARED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
TRUTHS = {"assertTrue": False, "assertFalse": True}
"""unittest's assertions of a condition, and whether they negate it."""
PREDICATES = ("isclose", "allclose")
_RAISES = ("raises", "assertRaises", "assertRaisesRegex", "assert_raises", "assert_raises_regex")

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, eq=False)
class Statement:
    """A statement, and where it stands."""

    node: ast.stmt
    functions: tuple[Function, ...]
    """The functions around it, the outermost first."""
    names: tuple[str, ...]
    """What its qualified name is made of."""
    is_class_body: bool
    expects_failure: bool
    """Whether it stands in a `with pytest.raises(…)`."""

    @property
    def qualname(self) -> str:
        """The qualified name of the function that it stands in."""
        return ".".join(self.names).removesuffix(".<locals>")

    @property
    def lines(self) -> range:
        """Its lines; of a statement that holds others, the head."""
        ends = [part.end_lineno or part.lineno for part in own_expressions(self.node)]
        return range(self.node.lineno, max([self.node.lineno, *ends]) + 1)


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


def statements_of(tree: ast.Module) -> list[Statement]:
    """Return all statements of a file."""
    return list(_below(tree, Statement(ast.Pass(), (), (), False, False)))


def _below(node: ast.AST, around: Statement) -> Iterator[Statement]:
    functions, names = around.functions, around.names
    if isinstance(node, Function):
        functions, names = (*functions, node), (*names, node.name, "<locals>")
    elif isinstance(node, ast.ClassDef):
        names = (*names, node.name)
    is_class_body = isinstance(node, ast.ClassDef) or (around.is_class_body and not isinstance(node, Function))
    expects_failure = around.expects_failure or (
        isinstance(node, ast.With | ast.AsyncWith) and any(_is_raises(item.context_expr) for item in node.items)
    )
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            inner = Statement(child, functions, names, is_class_body, expects_failure)
            yield inner
            yield from _below(child, inner)
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            yield from _below(child, Statement(around.node, functions, names, is_class_body, expects_failure))


def _asserted(statement: Statement) -> Iterator[Condition]:
    node = statement.node
    if statement.expects_failure:
        return
    if isinstance(node, ast.Assert):
        yield from _held(node.test, False, statement, "assert", False)
    elif not statement.is_class_body:
        for part in own_expressions(node):
            for call in ast.walk(part):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.args:
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


def _is_raises(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and name_of(node.func) in _RAISES


def name_of(function: ast.expr) -> str | None:
    """Return the last part of a function's name."""
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else None
