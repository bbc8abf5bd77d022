"""A source file with assertions: what stands where, and which numbers in it could be others."""

from __future__ import annotations

import ast
import dis
import functools
import io
import itertools
import sys
import tokenize
from types import CodeType
from typing import Any, NamedTuple, cast

from pytest_flex.learning.sites import own_expressions, text_of
from pytest_flex.observing.asserted import PREDICATES, Statement, conditions, name_of, statements_of
from pytest_flex.observing.constants import literal_of, number_of, other_use

Json = dict[str, Any]


class Knob(NamedTuple):
    """A number in the source."""

    json: Json
    """As the record has it."""
    value: float


@functools.cache
def source_of(file: str) -> Source | None:
    """Return a file's source, if it can be read."""
    try:
        with open(file, "rb") as opened:
            return Source(opened.read())
    except (OSError, SyntaxError, ValueError, UnicodeError):
        return None


class Source:
    """The assertions of a file."""

    def __init__(self, code: bytes) -> None:
        tree = ast.parse(code)
        encoding, _ = tokenize.detect_encoding(io.BytesIO(code).readline)
        self.text = io.TextIOWrapper(io.BytesIO(code), encoding).read()
        self.tree = tree
        self.statements = statements_of(tree)
        held = conditions(self.statements)
        self.comparisons = [condition for condition in held if isinstance(condition.node, ast.Compare)]
        """By their numbers, which the transformation gives in the same order."""
        self.predicates = {condition.node for condition in held if isinstance(condition.node, ast.Call)}
        self.calls = [
            (call, statement)
            for statement in self.statements
            for part in own_expressions(statement.node)
            for call in ast.walk(part)
            if isinstance(call, ast.Call)
        ]
        self._by_place = {_place(call): (call, statement) for call, statement in self.calls}
        self._aliases = {
            alias.asname: alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if alias.asname is not None
        }

    def call_at(self, code: CodeType, lasti: int, line: int, name: str) -> tuple[ast.Call | None, Statement] | None:
        """Return the call under way, or its statement at least; `name` is that of the function that was called."""
        if sys.version_info >= (3, 11):
            place = next(itertools.islice(code.co_positions(), lasti // 2, None))
            found = self._by_place.get((place[0], place[2], place[1], place[3]))
            if found is not None:
                return found
        # Before Python 3.11 only lines are known, and pytest before 8.4 puts all of an assertion in one place.
        around = [
            (call, statement)
            for call, statement in self.calls
            if line in statement.lines and self._called(call) == name
        ]
        within = [found for found in around if found[0].lineno == line]
        within.sort(key=lambda found: found[0].col_offset)
        for candidates in (around, within):
            if len(candidates) == 1:
                return candidates[0]
        loads = _loads(code, line, {name_of(call.func) for call, _ in within})
        if len(loads) == len(within):
            # Functions are loaded in the order in which they stand, each before it is called.
            before = sum(offset < lasti for offset in loads)
            return within[before - 1] if before else None
        held = {statement for _, statement in within or around}
        return (None, held.pop()) if len(held) == 1 else None

    def _called(self, call: ast.Call) -> str | None:
        name = name_of(call.func)
        return self._aliases.get(name, name) if name is not None and isinstance(call.func, ast.Name) else name

    @functools.cached_property
    def numbers(self) -> dict[Statement, int]:
        """Which of several statements with equal text of one function a statement is, from 0 on."""
        seen: dict[tuple[str, str], int] = {}
        numbers = {}
        for statement in self.statements:
            if isinstance(statement.node, ast.Assert | ast.Expr | ast.With):
                key = (statement.qualname, text_of(statement.node))
                numbers[statement] = seen.get(key, 0)
                seen[key] = numbers[statement] + 1
        return numbers

    def knob(self, node: ast.expr, statement: Statement) -> Knob | None:
        """Return the number that an expression states: a literal, or a name that stands for one."""
        given: Json = {"given": "literal"}
        literal: ast.expr | None = node
        if isinstance(node, ast.Name):
            literal = literal_of(node.id, statement.functions, self.tree)
            given = {"given": "constant", "name": node.id}
            if literal is not None:
                given["also_in"] = other_use(node, statement.functions, self.tree, self.sorts)
        value = None if literal is None else number_of(literal)
        if literal is None or value is None:
            return None
        text = ast.get_source_segment(self.text, literal) or ast.unparse(literal)
        return Knob({"text": text, **given, "span": span(literal)}, value)

    @functools.cached_property
    def sorts(self) -> dict[ast.Name, str]:
        """What the names are that stand alone for a bound or a tolerance: larger ones let more pass, or less."""
        found = {}
        for condition in self.comparisons:
            compare = cast("ast.Compare", condition.node)
            op = compare.ops[condition.op]
            operands = [compare.left, *compare.comparators][condition.op : condition.op + 2]
            if isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE):
                is_less = isinstance(op, ast.Lt | ast.LtE) != condition.negated
                found.update(_sorts(operands, is_less))
        for call, _ in self.calls:
            name = name_of(call.func) or ""
            order = ORDERED.get(name)
            if order is not None:
                found.update(_sorts(call.args[:2], order))
            elif name.startswith("assert") or name in (*PREDICATES, "approx"):
                given = [*call.args[2 if name != "approx" else 1 :], *(keyword.value for keyword in call.keywords)]
                words = {keyword.value: keyword.arg for keyword in call.keywords}
                for node in given:
                    if isinstance(node, ast.Name):
                        word = words.get(node)
                        is_digits = word in DIGITS or (word is None and name in COUNTS_DIGITS)
                        found[node] = "less" if is_digits else "more"
        return found

    def around(self, statement: Statement) -> Json:
        """Return the outermost function around a statement, as it is written; the statement itself if there is none."""
        node = statement.functions[0] if statement.functions else statement.node
        first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])
        lines = self.text.split("\n")[first - 1 : node.end_lineno]
        return {"line": first, "text": "\n".join(lines)}

    def left_out(self, call: ast.Call, keyword: str, text: str) -> Json | None:
        """Return where an argument that is left out could be given: after the last one."""
        unpacked = any(isinstance(argument, ast.Starred) for argument in call.args)
        if unpacked or any(given.arg is None for given in call.keywords) or not (call.args or call.keywords):
            return None
        end = (call.end_lineno or 0, call.end_col_offset or 0)
        last = before = None
        for place in self._token_ends:
            if place[:2] >= end:
                break
            before, last = last, place
        if last is not None and last[2] == ",":
            last = before
        if last is None:
            return None
        return {"text": text, "given": "default", "keyword": keyword, "line": last[0], "column": last[1]}

    @functools.cached_property
    def _token_ends(self) -> list[tuple[int, int, str]]:
        """Where each token ends that means something, in bytes, as `ast` counts."""
        silent = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
        lines = self.text.split("\n")
        return [
            (token.end[0], len(lines[token.end[0] - 1][: token.end[1]].encode()), token.string)
            for token in tokenize.generate_tokens(io.StringIO(self.text).readline)
            if token.type not in silent and token.end[0] <= len(lines)
        ]


def span(node: ast.stmt | ast.expr) -> Json:
    """Return where a node stands."""
    return {
        "line": node.lineno,
        "column": node.col_offset,
        "end_line": node.end_lineno,
        "end_column": node.end_col_offset,
    }


ORDERED = {
    "assertLess": True,
    "assertLessEqual": True,
    "assert_array_less": True,
    "assertGreater": False,
    "assertGreaterEqual": False,
}
"""Functions that compare their first two arguments, and whether the first is to be less."""
DIGITS = ("places", "decimal", "significant")
COUNTS_DIGITS = (
    "assertAlmostEqual",
    "assert_almost_equal",
    "assert_array_almost_equal",
    "assert_approx_equal",
)


def _sorts(operands: list[ast.expr], is_less: bool) -> dict[ast.Name, str]:
    sorts = zip(operands, ("less", "more") if is_less else ("more", "less"), strict=False)
    return {node: sort for node, sort in sorts if isinstance(node, ast.Name)}


def _place(node: ast.expr) -> tuple[int | None, ...]:
    return (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)


def _loads(code: CodeType, line: int, names: set[str | None]) -> list[int]:
    """Return where a code loads these names in a line."""
    found = []
    current = code.co_firstlineno
    for instruction in dis.get_instructions(code):
        # Python 3.13 says whether a line starts, and which one it is elsewhere.
        current = getattr(instruction, "line_number", instruction.starts_line) or current
        if current == line and instruction.opname.startswith("LOAD_") and instruction.argval in names:
            found.append(instruction.offset)
    return found
