"""Recording: this process repeats a few runs for another that calibrates, and decides nothing."""

from __future__ import annotations

import time

from pytest_flex import _native
from pytest_flex.modes.enforce import fail
from pytest_flex.runs.ending import HungRun, Skipped, why
from pytest_flex.runs.runs import Runs
from pytest_flex.session.order import Order


class Recording:
    """The runs of one test that are repeated."""

    def __init__(self, runs: Runs, order: Order) -> None:
        self.runs = runs
        self.test = runs.test
        self.order = order

    def run(self) -> None:
        """Make the runs and write down what they showed."""
        runs = self.runs
        runs.watches = not runs.session.options.isolate and len(self.order.tests[self.test.name]) == 1
        recording = _native.Recording(self.test)
        started = time.perf_counter()
        with runs.wrapping():
            for index in self.order.tests[self.test.name]:
                try:
                    runs.make(index)
                    failure = None
                except Skipped:
                    failure = None
                except HungRun as error:
                    words = runs.hung(error, index)
                    self.order.hang.write_text(words, encoding="utf-8")
                    fail(words)
                except BaseException as error:
                    failure = why(error)
                recording.run(index, failure, runs.recorder)
        probe = None if runs.watch is None else runs.watch.probe()
        record = recording.record(time.perf_counter() - started, runs.recorder, probe)
        self.order.record_of(self.test.name).write_bytes(record)
