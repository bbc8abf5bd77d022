"""Runs beside each other: as many as may be under way at once, each on a thread of its own.

They share the fixtures that are set up, except for `flex_rng` and `flex_seed`, and are handed out in the order of their
indices, so that a verdict is that of one run after the other. What was begun and is not needed any more is waited for,
since it uses the fixtures.
"""

from __future__ import annotations

import inspect
import threading
import unittest
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeAlias

import pytest

from pytest_flex import running
from pytest_flex._native import Limits, Recorder, Recording, Test
from pytest_flex.runs.ending import inconclusive
from pytest_flex.runs.recorded import RecordedRun
from pytest_flex.seeds import seeding
from pytest_flex.source.finder import SiteFinder

Made: TypeAlias = tuple[bytes, BaseException | None]
"""The record of a run, and how it failed if it did."""

OURS: dict[str, Callable[[bytes], Any]] = {"flex_rng": seeding.generator, "flex_seed": seeding.number}
"""Fixtures of which every run has its own."""


class NoRunError(Exception):
    """An assertion about runs stands on a thread that belongs to none."""


class OnThreads:
    """Stands for the run under way, of which each thread has its own."""

    def __init__(self) -> None:
        self._local = threading.local()

    def enter(self, run: RecordedRun | None) -> None:
        """Let a run be the one on this thread."""
        self._local.run = run

    def __getattr__(self, name: str) -> Any:
        run = getattr(self._local, "run", None)
        if run is None:
            raise NoRunError(
                "flex does not know which run this thread belongs to: with runs_in_parallel, learned() and claims "
                "stand in the test function, and not on threads that it starts"
            )
        return getattr(run, name)


class RunsBeside:
    """The runs of one test that are made on threads."""

    def __init__(self, item: pytest.Function, test: Test, finder: SiteFinder, new_limits: Callable[[], Limits]) -> None:
        check(item)
        self.item = item
        self.test = test
        self.finder = finder
        self.new_limits = new_limits
        self.words_for: Callable[[Any], str] = lambda learned: "learned()"
        self.ahead: dict[int, Future[Made]] = {}
        self.threads: list[threading.Thread] = []
        self.on_threads = OnThreads()
        self.states: seeding.States | None = None
        self.warned = False

    def make(self, index: int, seed_of: Callable[[int], bytes], under: tuple[str, str]) -> Made:
        """Make a run, and begin those that come after it; returns the record of it, and how it failed if it did."""
        if self.states is None:
            self.states = seeding.States()
        running.run = self.on_threads  # type: ignore[assignment]
        for run in range(index, index + self.test.runs_in_parallel):
            if run not in self.ahead:
                self._begin(run, seed_of(run), under)
        made = self.ahead.pop(index).result()
        self._warn_of_draws()
        return made

    def close(self, wait: bool = True) -> None:
        """Begin no further run, and wait for those that are under way."""
        self.ahead.clear()
        threads, self.threads = self.threads, []
        for thread in threads:
            if wait:
                thread.join()
        if threads:
            running.run = None

    def _begin(self, index: int, seed: bytes, under: tuple[str, str]) -> None:
        future: Future[Made] = Future()
        self.ahead[index] = future
        self.threads = [thread for thread in self.threads if thread.is_alive()]

        def make() -> None:
            try:
                future.set_result(self._made(index, seed, under))
            except BaseException as error:
                future.set_exception(error)

        # Whoever interrupts pytest does not wait for it.
        thread = threading.Thread(target=make, name=f"flex run {index}", daemon=True)
        self.threads.append(thread)
        thread.start()

    def _made(self, index: int, seed: bytes, under: tuple[str, str]) -> Made:
        recorder, limits = Recorder(self.test.light), self.new_limits()
        run = RecordedRun(recorder, self.finder)
        run.seed, run.words_for = seed, self.words_for
        failure: BaseException | None = None
        self.on_threads.enter(run)
        limits.begin(*under, index)
        try:
            recorder.start()
            self.item.obj(**self._arguments(seed))
            run._end()
        except BaseException as error:
            failure = error
            reason = inconclusive(error)
            if reason is not None:
                recorder.inconclusive = reason
        finally:
            limits.end()
            self.on_threads.enter(None)
        recording = Recording(self.test)
        recording.run(index, None, recorder)
        recording.draws(recorder)
        return recording.record(0.0, recorder), failure

    def _arguments(self, seed: bytes) -> dict[str, Any]:
        """Return the fixtures of the test, with those that every run has for itself."""
        names = self.item._fixtureinfo.argnames
        return {name: OURS[name](seed) if name in OURS else self.item.funcargs[name] for name in names}

    def _warn_of_draws(self) -> None:
        if not self.warned and self.states is not None and not self.states.are_current():
            self.warned = True
            words = (
                "runs in parallel share the generators of random, NumPy and torch, which no seed controls then: "
                "draw from flex_rng, or from a generator that is made of flex_seed"
            )
            self.item.warn(pytest.PytestWarning(f"flex: {self.test.name}: {words}"))


def check(item: pytest.Function) -> None:
    """Refuse a test whose runs cannot share fixtures and be called on a thread."""
    what = None
    if inspect.iscoroutinefunction(item.obj) or (item.cls is not None and issubclass(item.cls, unittest.TestCase)):
        what = "only plain functions and methods can be called on threads"
    for name, definitions in item._fixtureinfo.name2fixturedefs.items():
        depends = [ours for ours in OURS if any(ours in definition.argnames for definition in definitions)]
        if depends and name not in OURS:
            what = f"its runs share the fixture {name}, which depends on {depends[0]}; make what that makes in the test"
    if what is not None:
        raise pytest.UsageError(f"{item.nodeid}: runs_in_parallel: {what}")
