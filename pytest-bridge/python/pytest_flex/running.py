"""The run that is under way in this process: whom `learned()` belongs to, and whom assertions report to."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any, Protocol


class RunUnderWay(Protocol):
    """What `learned()`, fixtures and subtests ask of a run."""

    seed: bytes
    subtest_errors: list[BaseException]
    words_for: Callable[[Any], str]

    def site(self, frame: FrameType, name: str | None) -> Any:
        """Return the site of the call of `learned()` in this frame."""

    def hit(self, learned: Any, least: float, greatest: float, tail: str) -> None:
        """Record a sample of a site."""


class Listening(Protocol):
    """What existing assertions report to."""

    inside: bool

    def compared(self, number: int, left: Any, right: Any) -> None:
        """Take the operands of a comparison."""

    def called(self, function: Any, frame: FrameType | None, call: Any, error: AssertionError | None) -> None:
        """Take a call of a function that asserts something, and what it raised."""


run: RunUnderWay | None = None

sites: Listening | None = None
"""`None` if nobody listens."""
