"""Sites: places in the source of a test whose values are learned or observed, known by what survives moving code.

A site is known by its name, or by the text of its statement, with the function's qualified name in front if that is
not the test, and with its number among equals. File and line are information, never identity.
"""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Site:
    """A place in the source of a test."""

    id: str
    text: str
    file: str
    """As seen from the project's folder."""
    line: int

    def __str__(self) -> str:
        return f"{self.text} ({self.file}:{self.line})"


@dataclass(frozen=True)
class Form:
    """Functions whose calls are sites."""

    names: frozenset[str]
    holds: str
    """What always holds while a test runs, in words."""
    error: type[Exception]
    """What a call raises that flex can make nothing of."""
    is_unmistakable: bool = False
    """Whether nothing else is called so, whatever module a name comes from."""


def identity(qualname: str | None, text: str, nth: int) -> str:
    """Return what a statement is known by: the function that it stands in if that must be said, its number from 0."""
    return f"{'' if qualname is None else f'{qualname}: '}{text}{f'#{nth + 1}' if nth else ''}"


def relative(file: str, folder: os.PathLike[str]) -> str:
    """Return a file as seen from a folder, if it is in it."""
    try:
        relative = os.path.relpath(file, folder)
    except ValueError:
        return file
    return file if relative.startswith("..") else relative
