"""The runs of one test that are compared with those of another version of the code."""

from __future__ import annotations

import time

from pytest_flex.learning.placeholder import Learned
from pytest_flex.modes.detect import Observing
from pytest_flex.runs.ending import Skipped
from pytest_flex.runs.runs import Runs
from pytest_flex.session.search import SearchSession


class Pairing(Observing):
    """Makes the runs that were ordered; what assertions see, learned ones too, becomes part of the record."""

    def __init__(self, runs: Runs, session: SearchSession) -> None:
        super().__init__(runs, session)
        runs.heard = self._heard

    def run(self) -> None:
        """Make the runs, within pytest's call of the test."""
        order, record = self.session.pairs, self.sites.record
        assert order is not None
        runs = order.runs_of(self.name)
        skipped: BaseException | None = None
        with self.runs.wrapping_if_stochastic(), self.recording():
            if order.warm:
                self._ended(runs[0])
            for index in runs:
                if order.is_late():
                    break
                started = time.process_time()
                outcome, error = self.make(index)
                record.took(index, time.process_time() - started)
                if outcome == "skip" and index == runs[0] and isinstance(error, Skipped):
                    skipped = error
                    break
        record.fold_lone_cases()
        self.session.record.add(record)
        if skipped is not None:
            raise skipped

    def _heard(self, learned: Learned, least: float, greatest: float, tail: str) -> None:
        site = learned._site
        self.sites.record.learned((site.id, learned._case), (site.file, site.line), site.text, tail, (least, greatest))
