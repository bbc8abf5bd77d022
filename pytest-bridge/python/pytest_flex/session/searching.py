"""A search for flaky tests in one pytest session: all its Python test functions, and the record of what they showed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from pytest_flex import _native
from pytest_flex.modes import detect
from pytest_flex.modes.enforce import fail
from pytest_flex.modes.record import Order
from pytest_flex.runs import repeats, restart, subtests, wide
from pytest_flex.runs.runs import Runs
from pytest_flex.seeds import seed_hooks
from pytest_flex.seeds.module_source import module_source
from pytest_flex.session import record_file
from pytest_flex.session.suite import Suite

UNFIT = {
    "rerunfailures": "pytest-rerunfailures is off: a search reruns tests itself",
    "flaky": "flaky is off: a search reruns tests itself",
    "timeout": "pytest-timeout is off: it would hold all runs of a test against the time of one",
}
"""Plugins that take all runs of a test for one, with what to say about it."""


class Searching(Suite):
    """The tests of this process."""

    def __init__(self, config: pytest.Config) -> None:
        super().__init__(config)
        searches = self.mode in ("record", "detect")
        if self.replayed is not None and searches:
            raise pytest.UsageError("a search has a base seed, not a single run: leave out what begins with `@`")
        self.repeated = None if self.options.repeat is None else Order.read(self.options.repeat)
        if self.repeated is not None:
            self.base, self.replayed = self.repeated.base, None
        self.items: dict[str, pytest.Item] = {}
        self.skipped: dict[str, str] = {}
        """Why pytest skipped an item before it was run."""
        self.lines: list[str] = []
        """What came of the search."""
        self.remarks: list[str] = []
        manager = config.pluginmanager
        self.rerun_marker = next((name for name in ("rerunfailures", "flaky") if manager.hasplugin(name)), None)
        if searches and not hasattr(config, "workerinput"):
            record_file.check(config, self.options)

    def take_over(self, items: list[pytest.Item]) -> None:
        """Let flex run all Python test functions, and nothing else."""
        wanted = [item for item in items if isinstance(item, pytest.Function)]
        if self.repeated is not None:
            wanted = [item for item in wanted if self.name_of(item) in self.repeated.tests]
        others = [item for item in items if not isinstance(item, pytest.Function)]
        if self.replayed is None:
            chosen = set(wanted)
            self.config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
            items[:] = wanted
            if others and self.repeated is None:
                words = f"left out what is no Python test function: {_count(len(others), 'item')}"
                self.remarks.append(f"{words}, such as {others[0].nodeid}")
        subtests.install(self.config)
        for item in wanted:
            self._take_over_any(item)
        self.tests = len(wanted)
        self.wide = wide.WideFixtures(wanted, self.options.fresh)
        self.config.pluginmanager.register(self.wide, "flex-wide-fixtures")
        self.config.pluginmanager.register(_Skips(self), "flex-skips")
        for name, words in UNFIT.items():
            if self.replayed is None and self.config.pluginmanager.hasplugin(name):
                self.config.pluginmanager.unregister(name=name)
                self.remarks.append(words)

    def header(self) -> list[str]:
        """Say what flex will do."""
        what = "search" if self.replayed is None else "replay a run of"
        first = f"{what} {_count(self.tests, 'test')}, seed {self.base}"
        return [f"flex: {words}" for words in [first, *self.remarks]]

    def new_search(self) -> _native.Search:
        """Return a search by the options."""
        options = self.options
        return _native.Search(
            runs=options.runs or self.environment.runs,
            step=options.step,
            max_runs=options.max_runs,
            threshold=options.threshold,
            catch=options.catch,
            tail=options.tail,
            paper=options.geweke == "paper",
            fast=options.fast,
            tight=options.tight,
        )

    def add(self, name: str, part: dict[str, Any]) -> None:
        """Take what a test showed."""
        self.records[name] = json.dumps(part).encode()

    def judge(self, name: str) -> None:
        """Fail a test that has findings, if that is asked for."""
        if self.mode != "detect":
            return
        part = json.loads(self.records[name])
        if self._judged([part])[1]:
            failed = [run for run in part["runs"] if run["outcome"] == "fail"]
            words = f"flex: {len(failed)} of {_count(len(part['runs']), 'run')} of {name} failed; see the report below"
            if failed:
                index, why = failed[0]["index"], failed[0]["why"]
                replay = part["replay"].replace("{seed}", _native.quoted(f"{self.base}@detect:{index}"))
                words += f"\nrun {index}: {why}\nreplay: {replay}"
            fail(words)

    def _judged(self, parts: list[dict[str, Any]]) -> tuple[str, bool]:
        return _native.judged_record(json.dumps(self._record(parts)), self.options.probability)

    def _record(self, parts: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the record of these tests."""
        return {
            "version": 1,
            "harness": "pytest",
            "base": self.base,
            "root": str(self.folder),
            "rerun_marker": self.rerun_marker,
            "tests": parts,
        }

    def relative(self, file: str) -> str:
        """Return a file as the record has it."""
        return Path(os.path.relpath(file, self.folder)).as_posix()

    def replay_of(self, item: pytest.Item) -> str:
        """Return the command that repeats a run of a test, with `{seed}` for its seed."""
        hashes = restart.hash_seed()
        before = "" if hashes in (None, "0") else f"{restart.HASHES}={hashes} "
        return f"{before}pytest {self.selection_of(item)} --flex-seed={{seed}}"

    def notes_of(self, item: pytest.Function, file: str) -> list[str]:
        """Return what the reader should know about a test: what was drawn once for all runs."""
        notes = list(seed_hooks.not_varied)
        source = module_source(file)
        if source is not None and source.random:
            places = [f"{self.relative(file)}:{line} `{text}`" for line, text in source.random]
            more = f", and {len(places) - 3} more" if len(places) > 3 else ""
            what = "what is drawn and seeded while modules are imported is not varied"
            notes.append(f"{what}: {', '.join(places[:3])}{more}")
        fixtures = [fixture for defs in item._fixtureinfo.name2fixturedefs.values() for fixture in defs]
        for fixture in fixtures:
            if fixture in self.wide.drawn:
                scope = "module" if fixture.scope in ("class", "module") else "session"
                notes.append(
                    f"the {fixture.scope} fixture `{fixture.argname}` is drawn once for all runs; "
                    f"--flex-fresh={scope} draws it anew for each"
                )
        return notes

    def finish(self, session: pytest.Session) -> None:
        """Repeat some runs elsewhere and write the record, or hand what was seen to the process that does."""
        seed_hooks.remove()
        for nodeid, why in self.skipped.items():
            item = self.items[nodeid]
            if self.name_of(item) not in self.records:
                self._add_skipped(item, why)
        worker = getattr(self.config, "workeroutput", None)
        if worker is not None:
            worker["flex"] = (self.records, self.words)
        elif self.mode in ("record", "detect"):
            was_interrupted = session.exitstatus in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR)
            if self.records:
                self._finish(session, was_interrupted)

    def summarise(self, terminal: Any) -> None:
        """Show what came of it."""
        if self.lines or self.words:
            terminal.section("flex")
            for line in [*self.lines, *self.words]:
                terminal.write_line(line)

    def _finish(self, session: pytest.Session, was_interrupted: bool) -> None:
        parts = {name: json.loads(part) for name, part in sorted(self.records.items())}
        if not was_interrupted:
            try:
                self.lines += repeats.elsewhere(self, parts)
            except KeyboardInterrupt:
                # What was seen before is worth keeping.
                self.lines.append("warning: interrupted while runs were repeated in other processes")
                session.exitstatus = pytest.ExitCode.INTERRUPTED
        tests = list(parts.values())
        file = record_file.path(self.config, self.options)
        try:
            record_file.replace(file, _native.checked_record(json.dumps(self._record(tests))))
        except (ValueError, OSError) as error:
            self.lines.append(f"error: the record of the search could not be written: {error}")
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
            return
        if self.mode == "detect":
            text, has_findings = self._judged(tests)
            self.lines += text.rstrip().split("\n")
            if has_findings and session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED
        runs = sum(len(part["runs"]) for part in tests)
        where = os.path.relpath(file, self.config.invocation_params.dir)
        self.lines.append(f"flex: {_count(len(tests), 'test')} in {_count(runs, 'run')}; wrote {where}")

    def _take_over_any(self, item: pytest.Function) -> None:
        self.items[item.nodeid] = item
        path, line, _ = item.location
        test = _native.Test(
            self.environment, self.name_of(item), self.selection_of(item), f"{path}:{(line or 0) + 1}", ""
        )
        driver: Any
        if self.repeated is not None:
            runs = Runs(item, self, test, ("detect", self.repeated.tests[test.name][0]))
            driver = detect.Repeating(runs, self)
        elif self.replayed is not None:
            driver = detect.Replayed(Runs(item, self, test, self.replayed), self)
        else:
            driver = detect.Detecting(Runs(item, self, test, ("detect", 0)), self)
        item.setup = driver.set_up  # type: ignore[method-assign]
        item.runtest = driver.run  # type: ignore[method-assign]

    def _add_skipped(self, item: pytest.Item, why: str) -> None:
        line = item.location[1]
        self.add(
            self.name_of(item),
            {
                "name": self.name_of(item),
                "file": self.relative(str(item.path)),
                "line": (line or 0) + 1,
                "replay": None,
                "seconds_per_run": 0.0,
                "runs": [{"index": 0, "outcome": "skip", "why": why}],
                "sites": [],
            },
        )


class _Skips:
    """Looks for items that pytest itself skips."""

    def __init__(self, suite: Searching) -> None:
        self.suite = suite

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take note of a skip."""
        if report.skipped and report.when == "setup" and report.nodeid in self.suite.items:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            self.suite.skipped[report.nodeid] = reason.removeprefix("Skipped: ")


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
