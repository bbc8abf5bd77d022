"""Words for people: numbers with their nouns, and lines on the terminal in one voice."""

from __future__ import annotations

import sys
from typing import Any

from pytest_flex import _native

LABELS: dict[str, dict[str, bool]] = {
    "error:": {"red": True, "bold": True},
    "warning:": {"yellow": True, "bold": True},
    "hint:": {"cyan": True},
}
"""What a line may begin with, and how pytest marks that up."""


def count(number: int, thing: str) -> str:
    """Return a number with its noun in the right form."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def say(terminal: Any, line: str) -> None:
    """Write a line of words; its label stands out where pytest uses colours."""
    line = spelt(terminal, line)
    # Once for both parts: pytest ends the line of its own progress before each that it is given.
    terminal.ensure_newline()
    for label, markup in LABELS.items():
        if line.startswith(label):
            terminal.write(label, **markup)
            line = line[len(label) :]
    terminal.line(line)


def is_painted(terminal: Any) -> bool:
    """Return whether pytest uses colours."""
    return bool(terminal._tw.hasmarkup)


def spelt(terminal: Any, text: str) -> str:
    """Return a text with our own signs in ASCII where the terminal has no others."""
    encoding = getattr(terminal._tw._file, "encoding", None) or sys.getdefaultencoding()
    return text if encoding.lower().replace("-", "").startswith("utf") else _native.ascii(text)


MORE_RUNS = 6
"""How pytest ends if what shards showed is not enough; its own codes end with 5."""
