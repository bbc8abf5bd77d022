"""The run that is under way in this process: whom `learned()` belongs to, and whom assertions report to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_flex.observing.observed import Sites
    from pytest_flex.runs.runs import Runs

run: Runs | None = None

sites: Sites | None = None
"""What existing assertions report to; `None` if nobody listens."""
