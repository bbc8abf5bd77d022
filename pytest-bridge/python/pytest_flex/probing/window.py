"""What is shared by all runs, and done while one is under way: that run does not touch it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from pytest_flex import _native


@contextlib.contextmanager
def outside() -> Iterator[None]:
    """Close the window of the run under way for a while, if one is open."""
    was_open = _native.suspend()
    try:
        yield
    finally:
        if was_open:
            _native.resume()
