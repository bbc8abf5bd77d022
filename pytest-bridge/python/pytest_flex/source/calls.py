"""The calls in a source file that are sites, by statement, and what is wrong with a statement that has one."""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass

from pytest_flex.source.file import Source
from pytest_flex.source.site import Form
from pytest_flex.source.statement import Statement


@dataclass(frozen=True, eq=False)
class SiteCalls:
    """The calls in one statement that are sites of one form."""

    source: Source
    form: Form
    statement: Statement
    places: list[tuple[int, int]]
    """Where they begin: line and column."""
    before: int
    """How many there are before it in equal statements of the same function."""

    @property
    def misuse(self) -> str | None:
        """What is wrong with a statement that decides by a comparison which always holds."""
        words = f"{self.form.holds}, so nothing can depend on it"
        if isinstance(self.statement.node, ast.If | ast.While):
            return words
        for part in self.statement.expressions():
            for inner in ast.walk(part):
                decides = None
                if isinstance(inner, ast.UnaryOp) and isinstance(inner.op, ast.Not):
                    decides = inner.operand
                elif isinstance(inner, ast.IfExp):
                    decides = inner.test
                if decides is not None and any(_is_site(self.source, node, self.form) for node in ast.walk(decides)):
                    return words
        return None


def calls_at(source: Source, line: int, form: Form) -> SiteCalls | None:
    """Return the calls of the innermost statement around a line."""
    found = [calls for calls in _calls(source, form) if line in calls.statement.lines]
    return min(found, key=lambda calls: len(calls.statement.lines), default=None)


@functools.cache
def _calls(source: Source, form: Form) -> list[SiteCalls]:
    found = []
    counts: dict[tuple[str, str], int] = {}
    for statement in source.statements:
        places = sorted((call.lineno, call.col_offset) for call in statement.calls() if _is_site(source, call, form))
        if places:
            key = (statement.qualname, statement.text)
            before = counts.get(key, 0)
            counts[key] = before + len(places)
            found.append(SiteCalls(source, form, statement, places, before))
    return found


def _is_site(source: Source, node: ast.AST, form: Form) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
        return False
    if isinstance(node.func, ast.Name):
        return source.aliases.get(node.func.id, node.func.id) in form.names
    # `np.mean` is not ours.
    is_ours = form.is_unmistakable or ast.unparse(node.func.value) in source.names_of_flex
    return is_ours and node.func.attr in form.names
