"""The numbers in a file's assertions that could be others: literals, names that stand for one, arguments left out."""

from __future__ import annotations

import ast
import functools
from typing import NamedTuple, cast

from pytest_flex._native import Knob
from pytest_flex.observing.asserted import PREDICATES, Asserted
from pytest_flex.observing.constants import literal_of, number_of, other_use
from pytest_flex.source.file import Source
from pytest_flex.source.statement import Statement, name_of, span_of

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


class Stated(NamedTuple):
    """A number that the source states."""

    value: float
    knob: Knob
    """Where another one could be written."""
    is_literal: bool
    """Whether it is written where it is used."""


def stated_by(node: ast.expr, statement: Statement, asserted: Asserted) -> Stated | None:
    """Return the number that an expression states: a literal, or a name that stands for one."""
    source, literal = asserted.source, node
    if isinstance(node, ast.Name):
        found = literal_of(node.id, statement.functions, source.tree)
        if found is None:
            return None
        literal = found
    value = number_of(literal)
    if value is None:
        return None
    text = ast.get_source_segment(source.text, literal) or ast.unparse(literal)
    if isinstance(node, ast.Name):
        also_in = other_use(node, statement.functions, source.tree, _sorts_of_names(asserted))
        return Stated(value, Knob.constant(text, node.id, span_of(literal), also_in), False)
    return Stated(value, Knob.literal(text, span_of(literal)), True)


def left_out(call: ast.Call, keyword: str, text: str, source: Source) -> Knob | None:
    """Return where an argument that is left out could be given: after the last one."""
    unpacked = any(isinstance(argument, ast.Starred) for argument in call.args)
    if unpacked or any(given.arg is None for given in call.keywords) or not (call.args or call.keywords):
        return None
    end = (call.end_lineno or 0, call.end_col_offset or 0)
    last = before = None
    for place in source.token_ends:
        if place[:2] >= end:
            break
        before, last = last, place
    if last is not None and last[2] == ",":
        last = before
    return None if last is None else Knob.left_out(text, keyword, last[0], last[1])


@functools.cache
def _sorts_of_names(asserted: Asserted) -> dict[ast.Name, str]:
    """Return what names are that stand alone for a bound or a tolerance: larger ones let more pass, or less."""
    found: dict[ast.Name, str] = {}
    for condition in asserted.reporting:
        if not isinstance(condition.node, ast.Compare) or condition.is_returned:
            continue
        compare = cast("ast.Compare", condition.node)
        op = compare.ops[condition.op]
        operands = [compare.left, *compare.comparators][condition.op : condition.op + 2]
        if isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE):
            is_less = isinstance(op, ast.Lt | ast.LtE) != condition.negated
            found.update(_sorts(operands, is_less))
    for call, _ in asserted.source.calls:
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


def _sorts(operands: list[ast.expr], is_less: bool) -> dict[ast.Name, str]:
    sorts = zip(operands, ("less", "more") if is_less else ("more", "less"), strict=False)
    return {node: sort for node, sort in sorts if isinstance(node, ast.Name)}
