"""A shard: this session makes a part of the runs of each test and writes down what they show. Nothing is decided."""

from __future__ import annotations

import time

from pytest_flex import _native, options
from pytest_flex.modes.collecting import Collecting
from pytest_flex.modes.unchanged import replayed
from pytest_flex.runs.runs import Runs
from pytest_flex.session.progress import Progress


class Sharing(Collecting):
    """The part of one test's runs that this shard makes."""

    lost = "of this test the shard holds nothing"

    def __init__(self, runs: Runs, shard: _native.Shard, place: tuple[int, int]) -> None:
        super().__init__(runs, runs.session.options.full)
        self.shard = shard
        self.place = place
        self.wanted, self.again, self.replays = shard.share(self.test, place)
        if self.wanted:
            # pytest sets fixtures up for it.
            runs.first_index = self.wanted[0]

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to make in this process."""
        return not self.wanted and not self.replays

    def run(self) -> None:
        """Make the runs, within pytest's call of the test."""
        session = self.runs.session
        with self.runs.wrapping(), Progress(session, self.test.name) as progress:
            if self._is_unchanged() and not session.options.full:
                session.unchanged.append(self.test.name)
                return
            self._make_all(self.wanted, progress)
            if self.made and not self.is_fixed and not session.is_short:
                self._make_all(self.shard.more(self.test, self.place, self._record()), progress)
        if self.made:
            self.shard.write("runs", self._record())
            session.pace[self.test.name] = self.seconds / self.made
        if self.again is not None and not session.is_short:
            kind, order = self.again
            if kind == "repeat" and self.is_fixed:
                # Under another seed, too: what follows that unseen would not be the same.
                kind, order = "confirm", [1]
            elif kind == "repeat" and self.made:
                slow = self.shard.repeats(self.test, self.seconds / self.made)
                order = slow if set(slow) < set(order) else order
            session.again[kind][self.test.name] = order

    def _is_unchanged(self) -> bool:
        """Replay runs of the last calibration: all that decide it, or one that makes it probable."""
        runs = self.runs
        session = runs.session
        asked = session.options.runs or session.environment.runs
        replay = _native.ReplayFirst.of(self.test, session.environment, session.bounds_file, asked)
        if replay is None or (not self.replays and (session.options.full or session.options.plan is not None)):
            return False
        record = replayed(runs, replay, replay.runs if self.replays else replay.runs[:1])
        if record is None:
            return False
        if self.replays:
            self.shard.write("replay", record, base=replay.base)
            return replay.is_answered_by(record)
        return replay.may_be_answered_by(record)

    def _make_all(self, wanted: list[int], progress: Progress) -> None:
        for done, index in enumerate(wanted):
            if self._is_late():
                self.runs.session.is_short = True
                return
            progress.show(done, len(wanted))
            self._make(index)
            if self.is_fixed:
                return

    def _is_late(self) -> bool:
        budget = self.runs.session.options.time_budget
        takes = self.seconds / max(1, self.made)
        return budget is not None and time.monotonic() + takes >= options.began + budget


class Merging:
    """A test whose runs were made by shards: nothing is run here."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs

    def set_up(self) -> None:
        """Build no fixtures."""

    def run(self) -> None:
        """Say that the test is here."""
        self.runs.session.records[self.runs.test.name] = b""
