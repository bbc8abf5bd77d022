"""The end of a calibration: runs are repeated in a second process, bounds are written, and a summary is made.

"The same seed, the same value?" can only be asked in another process. One is started for all tests together, and
further ones where the answer was no.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field

from pytest_flex import _native
from pytest_flex.modes.calibrate import calibration_of
from pytest_flex.session import restart
from pytest_flex.session.order import Order
from pytest_flex.session.session import FlexSession
from pytest_flex.session.words import count


class HungElsewhere(Exception):
    """A run hung in the second process."""


@dataclass
class Finished:
    """What came of the calibration of all tests."""

    lines: list[str] = field(default_factory=list)
    findings: bool = False
    """Whether somebody must look at something."""


def finish(session: FlexSession) -> Finished:
    """Finish the calibration of everything that was recorded."""
    finished = Finished()
    try:
        outcomes = _outcomes(session, finished)
    except HungElsewhere as error:
        lines = [*str(error).strip().split("\n"), "error: a run hangs in a second process: nothing was learned"]
        return Finished(lines, findings=True)
    except ValueError as error:
        return Finished(f"error: {error}".split("\n"), findings=True)
    where = os.path.relpath(session.bounds_file, session.config.invocation_params.dir)
    if session.unchanged:
        are = f"{count(len(session.unchanged), 'test')} {'is' if len(session.unchanged) == 1 else 'are'} unchanged"
        finished.lines.append(f"{are}: three runs of the last calibration, replayed, show what they showed")
    if session.mode == "check":
        _compare(session, outcomes, finished)
        return finished
    if not outcomes:
        return finished
    try:
        _native.save(outcomes, session.bounds_file, session.kept_folder())
    except OSError as error:
        finished.findings = True
        finished.lines.append(f"error: {error}")
    refused = sum(len(outcome.refused) for outcome in outcomes)
    pending = sum(len(outcome.pending) for outcome in outcomes)
    sites = sum(outcome.sites for outcome in outcomes)
    for outcome in outcomes:
        finished.lines.extend([*str(outcome).rstrip().split("\n"), ""])
    words = f"{count(len(outcomes), 'test')} calibrated: {count(sites - refused, 'site')} learned, {refused} refused"
    if any(outcome.changes_file for outcome in outcomes) and not finished.findings:
        words += f"; wrote {where}"
    finished.lines.append(words)
    fixed = [outcome.saved for outcome in outcomes if outcome.saved]
    if fixed:
        words = f"{len(fixed)} of {count(len(outcomes), 'test')} shown fixed, nothing in them varies"
        finished.lines.append(f"{words}: {count(sum(fixed), 'run')} saved")
    if pending:
        waiting = f"{count(pending, 'new bound')} {'waits' if pending == 1 else 'wait'}"
        finished.lines.append(f"error: {waiting} for a review: flex-harness review --pytest {_native.quoted(where)}")
    if refused:
        finished.lines.append(f"error: {count(refused, 'site')} refused; see above")
    finished.findings |= bool(refused or pending)
    return finished


def _outcomes(session: FlexSession, finished: Finished) -> list[_native.CalibrationOutcome]:
    records = dict(sorted(session.records.items()))
    plan = _plan(session, list(records.values()))
    calibrations = {name: calibration_of(name, record, session, plan) for name, record in records.items()}
    done: dict[str, _native.CalibrationOutcome] = {}
    while True:
        missing: dict[str, list[int]] = {}
        repeated: dict[str, list[int]] = {}
        confirmed: dict[str, list[int]] = {}
        for name, calibration in calibrations.items():
            if name in done:
                continue
            word, what = calibration.step()
            if word == "collect" and session.options.time_budget is not None:
                calibration.out_of_time()
                word, what = calibration.step()
            if isinstance(what, _native.CalibrationOutcome):
                done[name] = what
            else:
                {"collect": missing, "repeat": repeated, "confirm": confirmed}[word][name] = what
        if not missing and not repeated and not confirmed:
            return [done[name] for name in calibrations]
        # The share of a suite's budget is known only now, and may ask for more runs.
        for name, record in _elsewhere(session, missing, finished).items():
            calibrations[name].out_of_time() if record is None else calibrations[name].take(record)
        for name, record in _elsewhere(session, repeated, finished).items():
            calibrations[name].take_repeated(record)
        # Under another seed, too: what follows that unseen would not be the same.
        other = {name: [max(runs) + 1] for name, runs in confirmed.items()}
        for name, record in _elsewhere(session, other, finished, restart.other_hashes()).items():
            calibrations[name].take_repeated(record)


def _plan(session: FlexSession, records: list[bytes]) -> _native.SuitePlan | None:
    """Share out the budget of the suite; `None` if it has none."""
    try:
        return _native.SuitePlan.of(records, session.environment, session.bounds_file)
    except ValueError as error:
        if session.unchanged:
            hint = "hint: --flex-full calibrates unchanged tests too, which shares the budget out anew"
            raise ValueError(f"{error}\n{hint}") from None
        raise


def _elsewhere(
    session: FlexSession, wanted: dict[str, list[int]], finished: Finished, environment: dict[str, str] | None = None
) -> dict[str, bytes | None]:
    """Make runs in a second process; `None` for a test whose runs could not be made there."""
    if not wanted:
        return {}
    with tempfile.TemporaryDirectory(prefix="flex-") as folder:
        phase = "check" if session.mode == "check" else "calibrate"
        order = Order(folder=folder, base=session.base, phase=phase, tests=wanted, pace=session.pace)
        last = order.send(session.config, "--flex-order", environment)
        if order.hang.exists():
            raise HungElsewhere(order.hang.read_text(encoding="utf-8"))
        found = {}
        for name in wanted:
            record = order.record_of(name)
            found[name] = record.read_bytes() if record.exists() else None
        if None in found.values():
            finished.lines += ["warning: the second process did not make all runs that were asked for:", *last, ""]
        return found


def _compare(session: FlexSession, outcomes: list[_native.CalibrationOutcome], finished: Finished) -> None:
    """Say what speaks against the bounds file."""
    compared = sum(outcome.sites for outcome in outcomes)
    for outcome in outcomes:
        found = outcome.contradictions(session.bounds_file, compared)
        finished.lines.extend(f"{outcome.name}: {words}" for words in found)
        finished.findings |= bool(found)
    verdict = "the bounds file is contradicted; see above" if finished.findings else "nothing speaks against the bounds"
    finished.lines.append(f"{count(len(outcomes), 'test')} with {count(compared, 'site')} compared: {verdict}")
