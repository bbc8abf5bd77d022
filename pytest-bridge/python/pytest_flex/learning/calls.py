"""The calls of `learned()` in a source file, by statement, and what is wrong with a statement that has one."""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass

from pytest_flex.source.file import Source
from pytest_flex.source.statement import Statement, name_of


@dataclass(frozen=True, eq=False)
class LearnedCalls:
    """The calls of `learned()` in one statement."""

    statement: Statement
    places: list[tuple[int, int]]
    """Where they begin: line and column."""
    before: int
    """How many there are before it in equal statements of the same function."""

    @property
    def misuse(self) -> str | None:
        """What is wrong with a statement that decides by a comparison which always holds."""
        words = "a comparison with learned() always holds, so nothing can depend on it"
        if isinstance(self.statement.node, ast.If | ast.While):
            return words
        for part in self.statement.expressions():
            for inner in ast.walk(part):
                decides = None
                if isinstance(inner, ast.UnaryOp) and isinstance(inner.op, ast.Not):
                    decides = inner.operand
                elif isinstance(inner, ast.IfExp):
                    decides = inner.test
                if decides is not None and any(_is_learned(node) for node in ast.walk(decides)):
                    return words
        return None


def calls_at(source: Source, line: int) -> LearnedCalls | None:
    """Return the calls of the innermost statement around a line."""
    found = [calls for calls in _calls(source) if line in calls.statement.lines]
    return min(found, key=lambda calls: len(calls.statement.lines), default=None)


@functools.cache
def _calls(source: Source) -> list[LearnedCalls]:
    found = []
    counts: dict[tuple[str, str], int] = {}
    for statement in source.statements:
        places = sorted((call.lineno, call.col_offset) for call in statement.calls() if _is_learned(call))
        if places:
            key = (statement.qualname, statement.text)
            before = counts.get(key, 0)
            counts[key] = before + len(places)
            found.append(LearnedCalls(statement, places, before))
    return found


def _is_learned(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and name_of(node.func) == "learned"
