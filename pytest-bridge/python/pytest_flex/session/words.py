"""Words for people."""

from __future__ import annotations


def count(number: int, word: str) -> str:
    """Return `1 run` or `2 runs`."""
    return f"{number} {word}{'' if number == 1 else 's'}"
