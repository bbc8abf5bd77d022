"""Tracing: every test is run once, as without flex, and what it touched and executed is written down."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from pytest_flex import _native
from pytest_flex.probing import watching
from pytest_flex.session import record_file
from pytest_flex.session.session import FlexSession
from pytest_flex.session.words import count
from pytest_flex.tracing.looking import look

if TYPE_CHECKING:
    from pytest_flex.tracing.calls import Calls


class Tracing(FlexSession):
    """All tests of this process, traced. Stochastic ones are run once, without learned bounds."""

    def __init__(self, config: pytest.Config) -> None:
        super().__init__(config)
        if not hasattr(config, "workerinput"):
            record_file.check(config, self.options)
        self.trace = _native.TraceBuilder(str(self.folder), self.options.calls)
        self.lines: list[str] = []
        """What came of it."""
        self._looking: _native.Looking | None = None
        self._calls: Calls | None = None

    def take_over(self, items: list[pytest.Item]) -> None:
        """Look at all tests."""
        if not items:
            return
        if any(item.get_closest_marker("stochastic") for item in items):
            # Everything that runs these is loaded only for them.
            from pytest_flex.modes.suite import Suite

            Suite(self.config).take_over(items)
        self.tests = len(items)
        watching.install(self.config)
        if self.options.calls:
            from pytest_flex.tracing.calls import Calls

            self._calls = Calls(self.folder)
        self._looking = look(self, items[0].session, self.trace, self._calls)

    def header(self) -> str:
        """Say what flex will do."""
        what = "with all calls" if self.options.calls else "by probes"
        return f"flex: trace {count(self.tests, 'test')} {what}"

    def finish(self, session: pytest.Session) -> None:
        """Write the trace, or hand it to the process that does."""
        if self._looking is not None:
            self._looking.end()
        if self._calls is not None:
            self._calls.close(self.trace)
        worker = getattr(self.config, "workeroutput", None)
        if worker is not None:
            worker["flex"] = self.trace.take_bytes()
            return
        file, traced = record_file.path(self.config, self.options), len(self.trace)
        try:
            self.trace.write(file)
        except OSError as error:
            self.lines.append(f"error: the trace could not be written: {error}")
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
            return
        where = os.path.relpath(file, self.config.invocation_params.dir)
        self.lines.append(f"flex: {count(traced, 'test')} traced; wrote {where}")

    def take_over_from(self, worker: Any) -> None:
        """Take what a worker of xdist saw."""
        self.trace.absorb(worker)

    def summarise(self, terminal: Any) -> None:
        """Show what came of it."""
        for line in self.lines:
            terminal.write_line(line)
