"""One line on the terminal that says how far a calibration is; nothing where output goes to a file."""

from __future__ import annotations

import contextlib
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
        self._write(f"flex: {self.test}: run {done} of {wanted}")

    def _write(self, line: str) -> None:
        """Write over the line; what a test prints is captured meanwhile, so that must pause."""
        assert self.reporter is not None
        writer = self.reporter._tw
        width = writer.fullwidth - 1
        capture = self.reporter.config.pluginmanager.getplugin("capturemanager")
        with capture.global_and_fixture_disabled() if capture is not None else contextlib.nullcontext():
            writer.write("\r" + line[:width].ljust(width) + ("" if line else "\r"), flush=True)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.reporter is not None and self.shown:
            self._write("")
