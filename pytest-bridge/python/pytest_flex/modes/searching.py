"""A search for flaky tests in one pytest session: its functions and doctests, and the record of what they showed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from pytest_flex import _native
from pytest_flex.modes import detect, pairing
from pytest_flex.probing import watching
from pytest_flex.runs import doctests, repeats, subtests
from pytest_flex.runs.runs import Runs
from pytest_flex.seeds import literal_seeds, seed_hooks
from pytest_flex.seeds.wide import WideFixtures
from pytest_flex.session import marker, record_file, shards
from pytest_flex.session.search import SearchSession
from pytest_flex.session.words import MORE_RUNS, count, is_painted, say

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
        self.names: list[str] = []
        """All tests, whose shards are put together."""
        if self.mode != "repeat" and (self.options.shard is not None or self.options.from_ is not None):
            self.sharing, self.merging = shards.asked(self), shards.made(self)
            made = self.sharing or self.merging
            assert made is not None
            self.base = made.base
            self.record = self.new_record()
        if self.mode in ("record", "detect") and not hasattr(config, "workerinput"):
            record_file.check(config, self.options)

    def take_over(self, items: list[pytest.Item]) -> None:
        """Let flex run all Python test functions and doctests, and nothing else."""
        functions = [item for item in items if isinstance(item, pytest.Function)]
        wanted = functions if self.pairs is not None else [*filter(None, map(_searchable, items))]
        if self.repeated is not None:
            wanted = [item for item in wanted if self.name_of(item) in self.repeated.tests]
        if self.pairs is not None:
            wanted = [item for item in wanted if self.pairs.has(self.name_of(item))]
        if self.sharing is not None:
            wanted = self._dealt(self.sharing, wanted)
        others = [item for item in items if not isinstance(item, pytest.Function) and not doctests.is_doctest(item)]
        if self.replayed is None:
            chosen: set[pytest.Item] = set(wanted)
            self.config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
            if self.options.smallest_first and self.repeated is None:
                trace, record = record_file.known(self.config, self.options)
                places = _native.by_duration([self.name_of(item) for item in wanted], trace, record)
                wanted = [wanted[place] for place in places]
            items[:] = wanted
            if others and self.repeated is None and self.pairs is None:
                words = f"left out what is neither a test function nor a doctest: {count(len(others), 'item')}"
                self.remarks.append(f"{words}, such as {others[0].nodeid}")
        subtests.install(self.config)
        watching.install(self.config)
        _native.on_entropy(literal_seeds.asked_for_entropy)
        drivers: dict[pytest.Item, Any] = {item: self._take_over_any(item) for item in wanted}
        self.tests, self.names = len(wanted), [self.name_of(item) for item in wanted]
        if self.mode in ("record", "detect") and self.trials is None:
            self.share_time(drivers)
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
        if self.turns is not None:
            self.turns.keep()
        for nodeid, why in self.skipped.items():
            item = self.items[nodeid]
            if self.name_of(item) not in self.record:
                self._add_skipped(item, why)
        worker = getattr(self.config, "workeroutput", None)
        if worker is not None:
            worker["flex"] = (self.record.to_bytes(), self.words, self.names)
        elif self.pairs is not None:
            self.record.write(Path(self.pairs.record))
        elif self.merging is not None:
            self._finish_merging(session, self.merging)
        elif self.mode in ("record", "detect") and (len(self.record) or self.sharing is not None):
            was_interrupted = session.exitstatus in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR)
            self._finish(session, was_interrupted)

    def take_over_from(self, worker: tuple[bytes, list[str], list[str]]) -> None:
        """Take what a worker of xdist recorded; runs are known by their index, so nothing depends on who made them."""
        record, words, names = worker
        self.record.absorb(record)
        self.words.extend(words)
        self.names = names

    def summarise(self, terminal: Any) -> None:
        """Show what came of it."""
        if self.lines or self.words:
            terminal.section("flex")
            for line in [*self.lines, *self.words]:
                say(terminal, line)

    def _finish(self, session: pytest.Session, was_interrupted: bool) -> None:
        if not was_interrupted:
            try:
                self.lines += repeats.elsewhere(self)
            except KeyboardInterrupt:
                # What was seen before is worth keeping.
                self.lines.append("warning: interrupted while runs were repeated in other processes")
                was_interrupted = True
                session.exitstatus = pytest.ExitCode.INTERRUPTED
        if self.sharing is None:
            self._conclude(session)
            return
        self._finish_shard(self.sharing, was_interrupted)
        if session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            # Others have all of them.
            session.exitstatus = pytest.ExitCode.OK

    @shards.writing()
    def _finish_shard(self, shard: _native.Shard, was_interrupted: bool) -> None:
        """Write down what each test showed; where runs were not repeated elsewhere, a test is not searched yet."""
        if was_interrupted:
            self.lines.append("warning: interrupted before runs were repeated in other processes: nothing is kept")
        else:
            shard.write_searched(self.record)
        self.lines.append(shard.end(not was_interrupted and not self.hung))

    def _finish_merging(self, session: pytest.Session, merging: _native.Shards) -> None:
        """Conclude from what shards showed, or say what they did not."""
        try:
            # What workers of xdist read, they do not tell each other.
            for name in () if self.items else self.names:
                merging.searched(name, self.record, self.mode == "detect")
        except (OSError, ValueError) as error:
            self.lines.append(f"error: {error}")
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
            return
        merging.miss([name for name in self.names if name not in self.record])
        self.lines += merging.warnings()
        missing = merging.plan(shards.plan_file(self))
        if missing:
            self.lines += [*missing, shards.hint(self)]
            session.exitstatus = MORE_RUNS
            return
        self._conclude(session)
        if merging.has_findings and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _conclude(self, session: pytest.Session) -> None:
        """Write the record, and say what is found in it."""
        file = record_file.path(self.config, self.options)
        try:
            self.record.write(file)
        except OSError as error:
            self.lines.append(f"error: the record of the search could not be written: {error}")
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
            return
        saved = self.record.fixed(self.new_search(""))
        if self.mode == "detect":
            terminal = self.config.pluginmanager.getplugin("terminalreporter")
            sees_colour = terminal is not None and is_painted(terminal)
            verbose = self.config.option.verbose > 0
            text, has_findings = self.record.judge(self.options.probability, verbose, sees_colour)
            self.lines += text.rstrip().split("\n")
            if has_findings and session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if self.hung and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        where = os.path.relpath(file, self.config.invocation_params.dir)
        made = f"{count(len(self.record), 'test')} in {count(self.record.runs, 'run')}"
        if saved is not None:
            self.lines.append(f"flex: {saved}")
        self.lines += self.missed()
        self.lines.append(f"flex: {made}; wrote {where}")

    def _dealt(self, shard: _native.Shard, items: list[Any]) -> list[Any]:
        """Return the tests that this shard searches."""
        try:
            dealt = set(shard.deal([self.name_of(item) for item in items]))
        except ValueError as error:
            raise pytest.UsageError(f"--flex-plan: {error}") from None
        return [item for item in items if self.name_of(item) in dealt]

    def _take_over_any(self, item: pytest.Function) -> Any:
        """Let flex run a test, and return what does."""
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
        elif self.merging is not None:
            driver = detect.Merging(Runs(item, self, test, ("detect", 0)), self)
        elif self.replayed is not None:
            driver = detect.Replayed(Runs(item, self, test, self.replayed), self)
        else:
            driver = detect.Detecting(Runs(item, self, test, ("detect", 0)), self)
        item.setup = driver.set_up  # type: ignore[method-assign]
        item.runtest = driver.run  # type: ignore[method-assign]
        return driver

    def _add_skipped(self, item: pytest.Item, why: str) -> None:
        line = item.location[1]
        test = _native.TestRecord(self.name_of(item), self.relative(str(item.path)), (line or 0) + 1)
        test.start(0)
        test.end("skip", why)
        self.record.add(test)


def _searchable(item: pytest.Item) -> pytest.Function | None:
    """Return an item as runs are made of it; `None` for what is neither a test function nor a doctest."""
    if isinstance(item, pytest.Function):
        return item
    return doctests.as_function(item) if doctests.is_doctest(item) else None


class _Skips:
    """Looks for items that pytest itself skips."""

    def __init__(self, suite: Searching) -> None:
        self.suite = suite

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take note of a skip."""
        if report.skipped and report.when == "setup" and report.nodeid in self.suite.items:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            self.suite.skipped[report.nodeid] = reason.removeprefix("Skipped: ")
