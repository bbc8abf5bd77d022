"""Sites: the places in the source where `learned()` stands, with an identity that survives moving and reformatting.

A site is known by its name, or by the text of its statement, as `ast.unparse` writes it, with the function's qualified
name in front if that is not the test, and with its number among equals. Line numbers are information, never identity.
"""

from __future__ import annotations

import ast
import functools
import linecache
import os
import sys
from dataclasses import dataclass
from types import CodeType, FrameType

from pytest_flex.learning.placeholder import LearnedError


@dataclass(frozen=True, eq=False)
class Site:
    """One `learned()` in the source of a test."""

    id: str
    text: str
    place: str
    has_name: bool = False


class SiteFinder:
    """Finds the sites of one test."""

    def __init__(self, test: CodeType, folder: os.PathLike[str]) -> None:
        self.test = test
        self.folder = folder
        self.known: dict[tuple[CodeType, int, str | None], Site] = {}
        # How many calls each statement has shown, for Pythons that know no columns.
        self.calls: dict[int, list[int]] = {}

    def prepare(self) -> None:
        """Read the test's file, so that processes forked from this one need not."""
        _source(self.test.co_filename)

    def find(self, frame: FrameType, name: str | None) -> Site:
        """Return the site of the call under way in this frame."""
        key = (frame.f_code, frame.f_lasti, name)
        site = self.known.get(key)
        if site is None:
            site = self.known[key] = self._find(frame, name)
        return site

    def _find(self, frame: FrameType, name: str | None) -> Site:
        code = frame.f_code
        line = frame.f_lineno
        place = f"{relative(code.co_filename, self.folder)}:{line}"
        source = _source(code.co_filename)
        statement = source.at(line) if source else None
        if statement is None:
            if name is None:
                raise LearnedError(f"{place}: the source cannot be read; give learned() a `name`")
            return Site(name, name, place, has_name=True)
        if statement.misuse:
            raise LearnedError(f"{place}: {statement.text}: {statement.misuse}")
        if name is not None:
            return Site(name, statement.text, place, has_name=True)
        nth = statement.before + self._call(frame, statement)
        prefix = "" if statement.qualname == _qualname(self.test) else f"{statement.qualname}: "
        suffix = f"#{nth + 1}" if nth else ""
        return Site(f"{prefix}{statement.text}{suffix}", statement.text, place)

    def _call(self, frame: FrameType, statement: Statement) -> int:
        """Return which of the statement's calls of `learned()` this is, from 0 on."""
        if len(statement.calls) == 1:
            return 0
        if sys.version_info >= (3, 11):
            line, _, column, _ = list(frame.f_code.co_positions())[frame.f_lasti // 2]
            if line is not None and column is not None and (line, column) in statement.calls:
                return statement.calls.index((line, column))
        # Learned comparisons always hold, so that the calls of a statement come in their order.
        seen = self.calls.setdefault(id(statement), [])
        if frame.f_lasti not in seen:
            seen.append(frame.f_lasti)
        return seen.index(frame.f_lasti)


@dataclass
class Statement:
    """A statement that calls `learned()`."""

    text: str
    qualname: str
    lines: range
    # Where its calls begin.
    calls: list[tuple[int, int]]
    # Calls in equal statements of the same function that come before it.
    before: int = 0
    misuse: str | None = None


class Source:
    """The statements of a file that call `learned()`."""

    def __init__(self, tree: ast.Module) -> None:
        self.statements: list[Statement] = []
        self._walk(tree, [])
        counts: dict[tuple[str, str], int] = {}
        for statement in self.statements:
            key = (statement.qualname, statement.text)
            statement.before = counts.get(key, 0)
            counts[key] = statement.before + len(statement.calls)

    def at(self, line: int) -> Statement | None:
        """Return the innermost statement around a line."""
        found = [statement for statement in self.statements if line in statement.lines]
        return min(found, key=lambda statement: len(statement.lines), default=None)

    def _walk(self, node: ast.AST, names: list[str]) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                self._walk(child, [*names, child.name, "<locals>"])
            elif isinstance(child, ast.ClassDef):
                self._walk(child, [*names, child.name])
            else:
                self._walk(child, names)
            if isinstance(child, ast.stmt):
                self._add(child, names)

    def _add(self, node: ast.stmt, names: list[str]) -> None:
        own = list(own_expressions(node))
        calls = [call for part in own for call in ast.walk(part) if isinstance(call, ast.Call) and _is_learned(call)]
        if not calls:
            return
        places = sorted((call.lineno, call.col_offset) for call in calls)
        ends = [part.end_lineno or part.lineno for part in own]
        first = min([node.lineno, *(part.lineno for part in own)])
        self.statements.append(
            Statement(
                text=text_of(node),
                qualname=".".join(names).removesuffix(".<locals>"),
                lines=range(first, max(ends) + 1),
                calls=places,
                misuse=_misuse(node, own),
            )
        )


@functools.cache
def _source(file: str) -> Source | None:
    try:
        return Source(ast.parse("".join(linecache.getlines(file))))
    except SyntaxError:
        return None


def own_expressions(node: ast.stmt) -> list[ast.expr]:
    """Return the expressions of a statement without those of the statements in it."""
    parts: list[ast.expr] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            parts.append(child)
        elif not isinstance(child, ast.stmt | ast.arguments):
            parts.extend(part for part in ast.walk(child) if isinstance(part, ast.expr))
    return [] if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) else parts


def _is_learned(call: ast.Call) -> bool:
    name = call.func
    return (isinstance(name, ast.Name) and name.id == "learned") or (
        isinstance(name, ast.Attribute) and name.attr == "learned"
    )


def text_of(node: ast.stmt) -> str:
    """Return a statement as text; of one that holds others, the head."""
    if isinstance(node, ast.Assert):
        # A message is not what is asserted.
        node = ast.Assert(test=node.test, msg=None)
    text = ast.unparse(node)
    return text.split("\n", 1)[0] if hasattr(node, "body") else " ".join(text.split())


def _misuse(node: ast.stmt, own: list[ast.expr]) -> str | None:
    """Return what is wrong with a statement that decides by a comparison which always holds."""
    words = "a comparison with learned() always holds, so nothing can depend on it"
    if isinstance(node, ast.If | ast.While):
        return words
    for part in own:
        for inner in ast.walk(part):
            decides = None
            if isinstance(inner, ast.UnaryOp) and isinstance(inner.op, ast.Not):
                decides = inner.operand
            elif isinstance(inner, ast.IfExp):
                decides = inner.test
            if decides is not None and any(isinstance(x, ast.Call) and _is_learned(x) for x in ast.walk(decides)):
                return words
    return None


def _qualname(code: CodeType) -> str:
    """Return the qualified name of the function that a code belongs to."""
    if sys.version_info >= (3, 11):
        return code.co_qualname
    source = _functions(code.co_filename)
    return source.get((code.co_name, code.co_firstlineno), code.co_name)


@functools.cache
def _functions(file: str) -> dict[tuple[str, int], str]:
    """Return the qualified names of a file's functions, by their name and first line."""
    found: dict[tuple[str, int], str] = {}

    def walk(node: ast.AST, names: list[str]) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                line = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
                found[child.name, line] = ".".join([*names, child.name])
                walk(child, [*names, child.name, "<locals>"])
            elif isinstance(child, ast.ClassDef):
                walk(child, [*names, child.name])
            else:
                walk(child, names)

    walk(ast.parse("".join(linecache.getlines(file))), [])
    return found


def relative(file: str, folder: os.PathLike[str]) -> str:
    """Return a file as seen from a folder, if it is in it."""
    try:
        relative = os.path.relpath(file, folder)
    except ValueError:
        return file
    return file if relative.startswith("..") else relative
