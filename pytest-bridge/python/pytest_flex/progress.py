"""One line on the terminal that says how far a calibration is; nothing where output goes to a file."""

from __future__ import annotations

import time
from types import TracebackType

import pytest


class Progress:
    """The progress of one test."""

    def __init__(self, config: pytest.Config, test: str) -> None:
        reporter = config.pluginmanager.getplugin("terminalreporter")
        self.reporter = reporter if reporter is not None and reporter.isatty else None
        self.test = test
        self.shown = 0.0

    def show(self, done: int, wanted: int) -> None:
        """Say how many runs are done, a few times a second."""
        now = time.monotonic()
        if self.reporter is None or now - self.shown < 0.2:
            return
        self.shown = now
        writer = self.reporter._tw
        line = f"flex: {self.test}: run {done} of {wanted}"
        writer.write("\r" + line[: writer.fullwidth - 1].ljust(writer.fullwidth - 1), flush=True)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.reporter is not None and self.shown:
            writer = self.reporter._tw
            writer.write("\r" + " " * (writer.fullwidth - 1) + "\r", flush=True)
