"""Does a test do what it did at its last calibration? Some runs of that are made again; no bound is looked at."""

from __future__ import annotations

from pytest_flex import _native
from pytest_flex.modes.enforce import fail
from pytest_flex.runs.ending import HungRun, Skipped, why
from pytest_flex.runs.runs import Runs


def is_unchanged(runs: Runs) -> bool:
    """Replay runs of the last calibration, and return whether they show what they showed."""
    session = runs.session
    asked = session.options.runs or session.environment.runs
    replay = _native.ReplayFirst.of(runs.test, session.environment, session.bounds_file, asked)
    if replay is None:
        return False
    record = replayed(runs, replay, replay.runs)
    return record is not None and replay.is_answered_by(record)


def replayed(runs: Runs, replay: _native.ReplayFirst, order: list[int]) -> bytes | None:
    """Replay these runs of the last calibration, and return what they show; `None` if one cannot be made."""
    recording = _native.Recording(runs.test)
    for run in order:
        try:
            runs.replay(replay.base, run)
            failure = None
        except Skipped:
            return None
        except HungRun as error:
            fail(runs.hung(error, run, replay.base))
        except BaseException as error:
            failure = why(error)
        recording.run(run, failure, runs.recorder)
    return recording.record(0.0, runs.recorder)


class Asking:
    """Asks it of one test, for the gate."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs

    def run(self) -> None:
        """Replay the runs, within pytest's call of the test."""
        with self.runs.wrapping():
            if is_unchanged(self.runs):
                self.runs.session.unchanged.append(self.runs.test.name)
