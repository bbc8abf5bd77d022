"""The call that is under way in a frame, found in the source."""

from __future__ import annotations

import ast
import dis
import functools
import itertools
import sys
from types import CodeType

from pytest_flex.source.file import Source
from pytest_flex.source.statement import Span, Statement, name_of, span_of

Found = tuple[ast.Call, Statement]


def call_at(
    source: Source, code: CodeType, lasti: int, line: int, name: str
) -> tuple[ast.Call | None, Statement] | None:
    """Return the call under way, or its statement at least; `name` is that of the function that was called."""
    if sys.version_info >= (3, 11):
        first, last, column, end = next(itertools.islice(code.co_positions(), lasti // 2, None))
        found = _by_span(source).get((first, column, last, end))  # type: ignore[arg-type]
        if found is not None:
            return found
    # Before Python 3.11 only lines are known, and pytest before 8.4 puts all of an assertion in one place.
    around = [
        (call, statement)
        for call, statement in source.calls
        if line in statement.lines and called_name(source, call) == name
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


@functools.cache
def _by_span(source: Source) -> dict[Span, Found]:
    return {span_of(call): (call, statement) for call, statement in source.calls}


def called_name(source: Source, call: ast.Call) -> str | None:
    """Return what the function of a call is called where it is defined, as far as the file says."""
    name = name_of(call.func)
    return source.aliases.get(name, name) if name is not None and isinstance(call.func, ast.Name) else name


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
