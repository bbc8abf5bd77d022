"""What is shared by all runs, and done while one is under way: that run does not touch it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from pytest_flex import _native


@contextlib.contextmanager
def outside() -> Iterator[None]:
    """Leave the run under way for a while, if there is one."""
    was_open = _native.leave()
    try:
        yield
    finally:
        _native.come_back(was_open)
