"""The transformation of test modules: every asserted comparison reports its operands.

It has two halves, around pytest's own rewriting. Before it, the operators of asserted comparisons are marked, each with
its number: pytest takes over the operators, and knows nothing of the marks, so that it explains failures as ever. After
it, a comparison stands in a statement of its own, `@py_assert2 = x < @py_assert1`, whose operands are names, and a
report of them follows as another statement: nothing is evaluated twice or in another order, and no frame of ours is on
the stack when a comparison raises. Comparisons that pytest leaves alone (in generators, in `assertTrue`, under
`--assert=plain`) become `(@flex0 := f()) < saw(7, @flex0, g())`, where `saw` returns the right operand. pytest shows no
variables that begin with `@`.

Of `np.all(mask)` and `mask.all()` the operand is reported, or the method, in the call as pytest made it anew: pytest
leaves its place as it was (before 8.4 it does not, and nothing is reported).
"""

from __future__ import annotations

import ast
from typing import Any

from pytest_flex.observing.asserted import conditions
from pytest_flex.source.statement import Span, name_of, span_of, statements_of

VERSION = 3
"""Of the transformation: cached modules of another one are not used."""

_MARK = "flex_number"
_SAW = "@flex_saw"


def mark(tree: ast.Module) -> tuple[dict[Span, int], int]:
    """Mark the operators of asserted comparisons; return the numbers of calls by their places, and how many numbers."""
    count = 0
    calls: dict[Span, int] = {}
    for condition in conditions(statements_of(tree)):
        if isinstance(condition.node, ast.Compare):
            # Operators that `ast.parse` returns are shared by the whole tree.
            op = type(condition.node.ops[condition.op])()
            setattr(op, _MARK, count)
            condition.node.ops[condition.op] = op
        elif condition.is_share:
            calls[span_of(condition.node)] = count
        if condition.reports:
            count += 1
    return calls, count


def weave(tree: ast.Module, calls: dict[Span, int]) -> None:
    """Let marked comparisons and numbered calls report."""
    _Weaver(calls).visit(tree)
    place = 0
    for place, node in enumerate(tree.body):  # noqa: B007
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not (is_text or (isinstance(node, ast.ImportFrom) and node.module == "__future__")):
            break
    first = tree.body[place]
    line = min([first.lineno, *(decorator.lineno for decorator in getattr(first, "decorator_list", []))])
    prologue: list[ast.stmt] = [
        ast.Import([ast.alias("pytest_flex.observing.listening", "@flex")]),
        ast.Assign(
            [ast.Name(_SAW, ast.Store())],
            ast.Call(ast.Attribute(_load("@flex"), "listener", ast.Load()), [_load("__file__")], []),
        ),
    ]
    for statement in prologue:
        statement.lineno = statement.end_lineno = line
        statement.col_offset = statement.end_col_offset = 0
        ast.fix_missing_locations(statement)
    tree.body[place:place] = prologue


class _Weaver(ast.NodeTransformer):
    def __init__(self, calls: dict[Span, int]) -> None:
        self.calls = calls
        self.temporaries = 0

    def visit_Assign(self, node: ast.Assign) -> Any:
        """Add a report to a comparison that pytest has made a statement."""
        compare = node.value
        target = node.targets[0]
        if isinstance(compare, ast.Compare) and isinstance(target, ast.Name) and target.id.startswith("@py_assert"):
            number = _take_mark(compare.ops[0])
            left, right = _again(compare.left), _again(compare.comparators[0])
            if number is not None and left is not None and right is not None:
                report = ast.Expr(_saw(number, left, right))
                return [node, ast.fix_missing_locations(ast.copy_location(report, compare))]
        return self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> Any:
        """Let a comparison report in the midst of an expression."""
        self.generic_visit(node)
        numbers = [_take_mark(op) for op in node.ops]
        if all(number is None for number in numbers):
            return node
        operands = [node.left, *node.comparators]
        is_simple = all(isinstance(operand, ast.Name | ast.Constant) for operand in operands)
        again: ast.expr | None = None
        for index, operand in enumerate(operands):
            number = numbers[index - 1] if index else None
            told = operand if number is None or again is None else _saw(number, again, operand)
            again = _again(operand) if is_simple or isinstance(operand, ast.Constant) else None
            if again is None and index < len(numbers) and numbers[index] is not None:
                name = f"@flex{index}"
                self.temporaries = max(self.temporaries, index + 1)
                told = ast.NamedExpr(ast.Name(name, ast.Store()), told)
                again = _load(name)
            operands[index] = ast.fix_missing_locations(ast.copy_location(told, operand))
        node.left, node.comparators = operands[0], operands[1:]
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        """Let a call of `all` or `any` report what it is about."""
        self.generic_visit(node)
        number = self.calls.get(span_of(node)) if self.calls and hasattr(node, "lineno") else None
        if number is not None and name_of(node.func) != _SAW:
            told = node.args[0] if node.args else node.func
            saw = ast.fix_missing_locations(ast.copy_location(_saw(number, ast.Constant(None), told), told))
            if node.args:
                node.args[0] = saw
            else:
                node.func = saw
        return node

    def visit_Assert(self, node: ast.Assert) -> Any:
        """Forget the operands of an assertion that has passed, as pytest does."""
        return self._cleared(node)

    def visit_Expr(self, node: ast.Expr) -> Any:
        """Forget the operands of `assertTrue`."""
        return self._cleared(node)

    def _cleared(self, node: ast.stmt) -> Any:
        self.temporaries = 0
        self.generic_visit(node)
        if not self.temporaries:
            return node
        names: list[ast.expr] = [ast.Name(f"@flex{index}", ast.Store()) for index in range(self.temporaries)]
        clear = ast.Assign(names, ast.Constant(None))
        return [node, ast.fix_missing_locations(ast.copy_location(clear, node))]


def _take_mark(op: ast.cmpop) -> int | None:
    """Return the mark of an operator, and take it off: pytest may have put one node in two places."""
    number: int | None = op.__dict__.pop(_MARK, None)
    return number


def _again(node: ast.expr) -> ast.expr | None:
    """Return an expression for a value that has just been evaluated, if there is one without another name."""
    if isinstance(node, ast.Name):
        return _load(node.id)
    if isinstance(node, ast.NamedExpr):
        return _load(node.target.id)
    return ast.Constant(node.value) if isinstance(node, ast.Constant) else None


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _saw(number: int, left: ast.expr, right: ast.expr) -> ast.Call:
    return ast.Call(_load(_SAW), [ast.Constant(number), left, right], [])
