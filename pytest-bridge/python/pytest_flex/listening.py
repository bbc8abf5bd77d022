"""What transformed test modules call: their comparisons are handed to whoever listens, and nothing else happens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_flex import running

MOST = 1 << 20
"""More comparisons than a file can hold: the numbers of the next file begin there."""

files: dict[str, int] = {}
"""The first number of each transformed file."""

Listeners = tuple[Callable[[int, Any, Any], None], Callable[[int, Any, Any, Any], Any]]


def listeners(file: str) -> Listeners:
    """Return what the comparisons of a file report to: after a statement, and in the midst of an expression."""
    first = files.setdefault(file, len(files) * MOST)

    def saw(number: int, left: Any, right: Any) -> None:
        sites = running.sites
        if sites is not None:
            sites.compared(first + number, left, right)

    def passed(number: int, result: Any, left: Any, right: Any) -> Any:
        sites = running.sites
        if sites is not None:
            sites.compared(first + number, left, right)
        return result

    return saw, passed
