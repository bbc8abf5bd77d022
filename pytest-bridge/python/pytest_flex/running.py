"""The run that is under way in this process, which `learned()` belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_flex.runs import Runs

run: Runs | None = None
