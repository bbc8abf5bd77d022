"""A search for flaky tests in one pytest session: all its Python test functions, and the record of what they showed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from pytest_flex import _native
from pytest_flex.modes import detect, pairing
from pytest_flex.probing import watching
from pytest_flex.runs import repeats, subtests
from pytest_flex.runs.runs import Runs
from pytest_flex.seeds import literal_seeds, seed_hooks
from pytest_flex.seeds.wide import WideFixtures
from pytest_flex.session import marker, record_file
from pytest_flex.session.search import SearchSession
from pytest_flex.session.words import count

UNFIT = {
    "rerunfailures": "pytest-rerunfailures is off: a search reruns tests itself",
    "flaky": "flaky is off: a search reruns tests itself",
    "timeout": "pytest-timeout is off: it would hold all runs of a test against the time of one",
}
"""Plugins that take all runs of a test for one, with what to say about it."""


class Searching(SearchSession):
    """The tests of this process."""

    def __init__(self, config: pytest.Config) -> None:
        super().__init__(config)
        self.items: dict[str, pytest.Item] = {}
        self.skipped: dict[str, str] = {}
        """Why pytest skipped an item before it was run."""
        self.lines: list[str] = []
        """What came of the search."""
        self.remarks: list[str] = []
        if self.mode in ("record", "detect") and not hasattr(config, "workerinput"):
            record_file.check(config, self.options)

    def take_over(self, items: list[pytest.Item]) -> None:
        """Let flex run all Python test functions, and nothing else."""
        wanted = [item for item in items if isinstance(item, pytest.Function)]
        if self.repeated is not None:
            wanted = [item for item in wanted if self.name_of(item) in self.repeated.tests]
        if self.pairs is not None:
            wanted = [item for item in wanted if self.pairs.has(self.name_of(item))]
        others = [item for item in items if not isinstance(item, pytest.Function)]
        if self.replayed is None:
            chosen = set(wanted)
            self.config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
            if self.options.smallest_first and self.repeated is None:
                trace, record = record_file.known(self.config, self.options)
                places = _native.by_duration([self.name_of(item) for item in wanted], trace, record)
                wanted = [wanted[place] for place in places]
            items[:] = wanted
            if others and self.repeated is None and self.pairs is None:
                words = f"left out what is no Python test function: {count(len(others), 'item')}"
                self.remarks.append(f"{words}, such as {others[0].nodeid}")
        subtests.install(self.config)
        watching.install(self.config)
        _native.on_entropy(literal_seeds.asked_for_entropy)
        for item in wanted:
            self._take_over_any(item)
        self.tests = len(wanted)
        self.wide = WideFixtures(wanted, self.options.fresh)
        self.config.pluginmanager.register(self.wide, "flex-wide-fixtures")
        self.config.pluginmanager.register(_Skips(self), "flex-skips")
        for name, words in UNFIT.items():
            if self.replayed is None and self.config.pluginmanager.hasplugin(name):
                self.config.pluginmanager.unregister(name=name)
                self.remarks.append(words)

    def header(self) -> list[str]:
        """Say what flex will do."""
        what = "search" if self.replayed is None else "replay a run of"
        first = f"{what} {count(self.tests, 'test')}, seed {self.base}"
        return [f"flex: {words}" for words in [first, *self.remarks]]

    def finish(self, session: pytest.Session) -> None:
        """Repeat some runs elsewhere and write the record, or hand what was seen to the process that does."""
        seed_hooks.remove()
        for nodeid, why in self.skipped.items():
            item = self.items[nodeid]
            if self.name_of(item) not in self.record:
                self._add_skipped(item, why)
        worker = getattr(self.config, "workeroutput", None)
        if worker is not None:
            worker["flex"] = (self.record.to_bytes(), self.words)
        elif self.pairs is not None:
            self.record.write(Path(self.pairs.record))
        elif self.mode in ("record", "detect") and len(self.record):
            was_interrupted = session.exitstatus in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR)
            self._finish(session, was_interrupted)

    def take_over_from(self, worker: tuple[bytes, list[str]]) -> None:
        """Take what a worker of xdist recorded; runs are known by their index, so nothing depends on who made them."""
        record, words = worker
        self.record.absorb(record)
        self.words.extend(words)

    def summarise(self, terminal: Any) -> None:
        """Show what came of it."""
        if self.lines or self.words:
            terminal.section("flex")
            for line in [*self.lines, *self.words]:
                terminal.write_line(line)

    def _finish(self, session: pytest.Session, was_interrupted: bool) -> None:
        if not was_interrupted:
            try:
                self.lines += repeats.elsewhere(self)
            except KeyboardInterrupt:
                # What was seen before is worth keeping.
                self.lines.append("warning: interrupted while runs were repeated in other processes")
                session.exitstatus = pytest.ExitCode.INTERRUPTED
        file = record_file.path(self.config, self.options)
        try:
            self.record.write(file)
        except OSError as error:
            self.lines.append(f"error: the record of the search could not be written: {error}")
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
            return
        saved = self.record.fixed(self.new_search(""))
        if self.mode == "detect":
            text, has_findings = self.record.judge(self.options.probability)
            self.lines += text.rstrip().split("\n")
            if has_findings and session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if self.hung and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        where = os.path.relpath(file, self.config.invocation_params.dir)
        made = f"{count(len(self.record), 'test')} in {count(self.record.runs, 'run')}"
        if saved is not None:
            self.lines.append(f"flex: {saved}")
        self.lines.append(f"flex: {made}; wrote {where}")

    def _take_over_any(self, item: pytest.Function) -> None:
        self.items[item.nodeid] = item
        path, line, _ = item.location
        place, stated = (path, (line or 0) + 1), {"timeout": marker.options_of(item).get("timeout")}
        test = _native.Test(self.environment, self.name_of(item), self.selection_of(item), place, "", stated)
        driver: Any
        if self.repeated is not None:
            runs = Runs(item, self, test, ("detect", self.repeated.tests[test.name][0]))
            driver = detect.Repeating(runs, self)
        elif self.pairs is not None:
            runs = Runs(item, self, test, ("detect", self.pairs.runs_of(test.name)[0]))
            driver = pairing.Pairing(runs, self)
        elif self.replayed is not None:
            driver = detect.Replayed(Runs(item, self, test, self.replayed), self)
        else:
            driver = detect.Detecting(Runs(item, self, test, ("detect", 0)), self)
        item.setup = driver.set_up  # type: ignore[method-assign]
        item.runtest = driver.run  # type: ignore[method-assign]

    def _add_skipped(self, item: pytest.Item, why: str) -> None:
        line = item.location[1]
        test = _native.TestRecord(self.name_of(item), self.relative(str(item.path)), (line or 0) + 1)
        test.start(0)
        test.end("skip", why)
        self.record.add(test)


class _Skips:
    """Looks for items that pytest itself skips."""

    def __init__(self, suite: Searching) -> None:
        self.suite = suite

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take note of a skip."""
        if report.skipped and report.when == "setup" and report.nodeid in self.suite.items:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            self.suite.skipped[report.nodeid] = reason.removeprefix("Skipped: ")
