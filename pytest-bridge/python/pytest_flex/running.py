"""The run that is under way in this process, which `learned()` belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_flex.observed import Sites
    from pytest_flex.runs import Runs

run: Runs | None = None

sites: Sites | None = None
"""Where what its assertions compare is recorded, if that is asked for."""
