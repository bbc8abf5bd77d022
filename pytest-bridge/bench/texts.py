"""A plugin of pytest that writes down how every test ended and what it said; `-p texts`, with `TEXTS` for the file.

With `TEXTS_BROKEN`, functions of Python are broken for tests, so that many of them fail and have something to say.
"""

from __future__ import annotations

import builtins
import json
import os
import re
from collections.abc import Generator
from typing import Any

import pytest

said: list[tuple[str, str, str, str]] = []
plain = {name: getattr(builtins, name) for name in ("sorted", "max", "round")}


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_pyfunc_call() -> Generator[None, Any, Any]:
    """Break functions for the time of a test."""
    if "TEXTS_BROKEN" in os.environ:
        builtins.sorted = lambda *args, **kwargs: plain["sorted"](*args, **kwargs)[::-1]  # type: ignore[assignment]
        builtins.max = min  # type: ignore[assignment]
        builtins.round = lambda number, digits=None: plain["round"](number, digits) + 1  # type: ignore[assignment]
    try:
        return (yield)
    finally:
        for name, function in plain.items():
            setattr(builtins, name, function)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Take note of how a phase ended; addresses of objects differ from process to process."""
    text = re.sub("0x[0-9a-f]+", "0x", report.longreprtext)
    said.append((report.nodeid, report.when or "", report.outcome, text))


def pytest_sessionfinish() -> None:
    """Write everything down."""
    with open(os.environ["TEXTS"], "w", encoding="utf-8") as file:
        json.dump(said, file)
