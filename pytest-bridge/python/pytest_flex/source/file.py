"""A source file: its text, its statements, and what can be asked about them."""

from __future__ import annotations

import ast
import functools
import io
import linecache
import tokenize
from types import CodeType

from pytest_flex.source.statement import Function, Span, Statement, first_line, statements_of


class Source:
    """A file of Python."""

    def __init__(self, code: bytes) -> None:
        self.tree = ast.parse(code)
        encoding, _ = tokenize.detect_encoding(io.BytesIO(code).readline)
        self.text = io.TextIOWrapper(io.BytesIO(code), encoding).read()
        self.statements = statements_of(self.tree)

    @functools.cached_property
    def calls(self) -> list[tuple[ast.Call, Statement]]:
        """All calls, with the statements that they stand in."""
        return [(call, statement) for statement in self.statements for call in statement.calls()]

    @functools.cached_property
    def aliases(self) -> dict[str, str]:
        """What functions are called that are imported under another name."""
        return {
            alias.asname: alias.name
            for node in ast.walk(self.tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if alias.asname is not None
        }

    @functools.cached_property
    def names_of_flex(self) -> set[str]:
        """What `pytest_flex` is called here."""
        imports = (node for node in ast.walk(self.tree) if isinstance(node, ast.Import))
        names = (alias for node in imports for alias in node.names if alias.name == "pytest_flex")
        return {alias.asname or alias.name for alias in names}

    @functools.cached_property
    def numbers(self) -> dict[Statement, int]:
        """Which of several statements with equal text of one function a statement is, from 0 on."""
        seen: dict[tuple[str, str], int] = {}
        numbers = {}
        for statement in self.statements:
            if isinstance(statement.node, ast.Assert | ast.Expr | ast.With):
                key = (statement.qualname, statement.text)
                numbers[statement] = seen.get(key, 0)
                seen[key] = numbers[statement] + 1
        return numbers

    @functools.cached_property
    def token_ends(self) -> list[tuple[int, int, str]]:
        """Where each token ends that means something, in bytes, as `ast` counts."""
        silent = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
        lines = self.text.split("\n")
        return [
            (token.end[0], len(lines[token.end[0] - 1][: token.end[1]].encode()), token.string)
            for token in tokenize.generate_tokens(io.StringIO(self.text).readline)
            if token.type not in silent and token.end[0] <= len(lines)
        ]

    @functools.cached_property
    def _functions(self) -> dict[int, Statement]:
        """The functions by their first lines, decorators included."""
        return {first_line(each.node): each for each in self.statements if isinstance(each.node, Function)}

    def span_of_function(self, line: int) -> Span | None:
        """Return where the function stands that begins in this line and is in no other, its decorators included."""
        function = self._functions.get(line)
        if function is None or function.functions:
            return None
        node = function.node
        return line, node.col_offset, node.end_lineno or line, node.end_col_offset or 0

    def qualname_of(self, code: CodeType) -> str:
        """Return the qualified name of the function that a code belongs to, where Python does not say it."""
        function = self._functions.get(code.co_firstlineno)
        if function is None or getattr(function.node, "name", None) != code.co_name:
            return code.co_name
        return ".".join([*function.names, code.co_name])

    def around(self, statement: Statement) -> tuple[int, str]:
        """Return the outermost function around a statement, or the statement itself: its first line and its text."""
        node = statement.functions[0] if statement.functions else statement.node
        first = first_line(node)
        return first, "\n".join(self.text.split("\n")[first - 1 : node.end_lineno])


@functools.cache
def source_of(file: str) -> Source | None:
    """Return a file's source, if it can be read."""
    try:
        return Source(_read(file))
    except (OSError, SyntaxError, ValueError, UnicodeError):
        return None


def _read(file: str) -> bytes:
    try:
        with open(file, "rb") as opened:
            return opened.read()
    except OSError:
        # Code that was never in a file, such as a notebook's, may be known to Python.
        lines = linecache.getlines(file)
        if not lines:
            raise
        return "".join(lines).encode()
