"""Doctests, which are searched like tests: their outcome is all that is known of them."""

from __future__ import annotations

from typing import Any, cast

import pytest
from _pytest.doctest import DoctestItem


def is_doctest(item: pytest.Item) -> bool:
    """Whether an item is a doctest of pytest's own."""
    return isinstance(item, DoctestItem) and hasattr(item, "_initrequest")


def as_function(item: pytest.Item) -> pytest.Function:
    """Let a doctest be run several times: like a function without a class, and with its names anew each time."""
    test: Any = item
    test.function = test.dtest
    test.cls = None
    names = dict(test.dtest.globs)
    setup = test.setup

    def set_up() -> None:
        # A run leaves none behind.
        test.dtest.globs.clear()
        test.dtest.globs.update(names)
        setup()

    test.setup = set_up
    return cast("pytest.Function", item)


def line_of(item: pytest.Item) -> int | None:
    """Return the line in which a doctest begins; `None` for what is none."""
    test = getattr(item, "dtest", None)
    return None if test is None else (test.lineno or 0) + 1


def line_before(item: pytest.Item, file: str) -> int | None:
    """Return the line before an example of a doctest, by the file that its code is said to be in."""
    test = getattr(item, "dtest", None)
    name, _, number = file.removeprefix("<doctest ").removesuffix("]>").rpartition("[")
    if test is None or name != test.name or not number.isdecimal() or int(number) >= len(test.examples):
        return None
    return cast("int", (test.lineno or 0) + test.examples[int(number)].lineno)


def why(error: BaseException) -> str | None:
    """Return which example of a doctest failed, in one line; `None` for another error."""
    failures = getattr(error, "failures", None) or [error]
    failure = failures[0] if isinstance(failures, list) else error
    example = getattr(failure, "example", None)
    if example is None or not hasattr(failure, "test"):
        return None
    raised = getattr(failure, "exc_info", None)
    got = f"raised {raised[0].__name__}" if raised else f"gave {getattr(failure, 'got', '').strip()!r}"
    return f"`{example.source.strip().splitlines()[0]}` {got} instead of {example.want.strip()!r}"
