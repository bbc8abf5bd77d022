"""The run that is under way in this process: whom `learned()` and claims belong to, and whom assertions report to."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pytest_flex.source.site import Form


class RunUnderWay(Protocol):
    """What `learned()`, claims, fixtures and subtests ask of a run."""

    seed: bytes
    subtest_errors: list[BaseException]
    words_for: Callable[[Any], str]

    def site(self, frame: FrameType, name: str | None, form: Form) -> Any:
        """Return the site of the call of this form in this frame."""

    def hit(self, learned: Any, least: float, greatest: float, tail: str, value: Any = None) -> None:
        """Record a sample of a site."""

    def begin(self, claim: Any) -> None:
        """Take note of a claim that is to be compared before the run ends."""

    def claim(self, claim: Any, compared: tuple[str, float | None] | None) -> None:
        """Record what a claim drew, and what it is compared with."""


class Listening(Protocol):
    """What existing assertions report to."""

    inside: bool

    def enter(self, case: str) -> str | None:
        """Come to a subtest, and return the case before it."""

    def leave(self, before: str | None, error: BaseException | None) -> None:
        """Leave a subtest with what it raised, and go back to the case before it."""

    def compared(self, number: int, left: Any, right: Any) -> None:
        """Take the operands of a comparison."""

    def called(self, function: Any, frame: FrameType | None, call: Any, error: AssertionError | None) -> None:
        """Take a call of a function that asserts something, and what it raised."""


run: RunUnderWay | None = None

sites: Listening | None = None
"""`None` if nobody listens."""
