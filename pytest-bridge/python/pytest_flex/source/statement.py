"""The statements of a source file, each with the functions and classes around it."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from dataclasses import dataclass

_RAISES = ("raises", "assertRaises", "assertRaisesRegex", "assert_raises", "assert_raises_regex")

Function = ast.FunctionDef | ast.AsyncFunctionDef

Span = tuple[int, int, int, int]
"""First line and column, last line and the column after it; lines are counted from 1, columns in bytes from 0."""


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

    @functools.cached_property
    def text(self) -> str:
        """The statement in one line, as `ast.unparse` writes it; of one that holds others, the head."""
        node = self.node
        if isinstance(node, ast.Assert):
            # A message is not what is asserted.
            node = ast.Assert(test=node.test, msg=None)
        text = ast.unparse(node)
        return text.split("\n", 1)[0] if hasattr(node, "body") else " ".join(text.split())

    @property
    def lines(self) -> range:
        """Its lines; of a statement that holds others, the head."""
        ends = [part.end_lineno or part.lineno for part in self.expressions()]
        return range(self.node.lineno, max([self.node.lineno, *ends]) + 1)

    def expressions(self) -> list[ast.expr]:
        """Return its expressions without those of the statements in it."""
        if isinstance(self.node, Function | ast.ClassDef):
            return []
        parts: list[ast.expr] = []
        for child in ast.iter_child_nodes(self.node):
            if isinstance(child, ast.expr):
                parts.append(child)
            elif not isinstance(child, ast.stmt | ast.arguments):
                parts.extend(part for part in ast.walk(child) if isinstance(part, ast.expr))
        return parts

    def calls(self) -> Iterator[ast.Call]:
        """Return the calls in its expressions."""
        for part in self.expressions():
            for node in ast.walk(part):
                if isinstance(node, ast.Call):
                    yield node


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


def _is_raises(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and name_of(node.func) in _RAISES


def name_of(function: ast.expr) -> str | None:
    """Return the last part of a function's name."""
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else None


def first_line(node: ast.stmt) -> int:
    """Return the line in which a statement begins, its decorators included."""
    return min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])


def span_of(node: ast.stmt | ast.expr) -> Span:
    """Return where a node stands."""
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
