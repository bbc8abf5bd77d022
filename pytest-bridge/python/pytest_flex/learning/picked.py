"""Comparisons with `learned()` that no test asserts: those by which `min`, `max` and `sorted` pick a value."""

from __future__ import annotations

import opcode
from types import CodeType, FrameType

PICK = ("min", "max", "sorted", "sort")

_known: dict[tuple[int, int], tuple[CodeType, str | None]] = {}
"""What was found before, by code and place. The code is kept, so that no other gets its identity."""


def picked_by(frame: FrameType) -> str | None:
    """Return the function by which this frame compares; `None` if it compares by itself."""
    key = id(frame.f_code), frame.f_lasti
    if key not in _known:
        _known[key] = frame.f_code, _picked_by(frame)
    return _known[key][1]


def _picked_by(frame: FrameType) -> str | None:
    code = frame.f_code
    if not opcode.opname[code.co_code[frame.f_lasti]].startswith(("CALL", "PRECALL")):
        return None
    from pytest_flex.source.call import call_at
    from pytest_flex.source.file import source_of
    from pytest_flex.source.statement import name_of

    source = source_of(code.co_filename)
    for name in PICK if source is not None else ():
        found = call_at(source, code, frame.f_lasti, frame.f_lineno, name)  # type: ignore[arg-type]
        if found is not None and found[0] is not None and name_of(found[0].func) == name:
            return name
    return None
