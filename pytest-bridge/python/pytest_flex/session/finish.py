"""The end of a calibration: runs are repeated in a second process, bounds are written, and a summary is made.

"The same seed, the same value?" can only be asked in another process. One is started for all tests together, and
further ones where the answer was no.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_flex import _native
from pytest_flex.modes.record import Order

if TYPE_CHECKING:
    from pytest_flex.session.suite import Suite


@dataclass
class Finished:
    """What came of the calibration of all tests."""

    lines: list[str] = field(default_factory=list)
    findings: bool = False
    """Whether somebody must look at something."""


def finish(suite: Suite) -> Finished:
    """Finish the calibration of everything that was recorded."""
    finished = Finished()
    assert suite.bounds_file is not None
    try:
        outcomes = _outcomes(suite, finished)
    except ValueError as error:
        return Finished([f"error: {error}"], findings=True)
    where = os.path.relpath(suite.bounds_file, suite.config.invocation_params.dir)
    if suite.mode == "check":
        _compare(suite, outcomes, finished)
        return finished
    try:
        _native.save(outcomes, suite.bounds_file)
    except OSError as error:
        finished.findings = True
        finished.lines.append(f"error: {error}")
    refused = sum(len(outcome.refused) for outcome in outcomes)
    pending = sum(len(outcome.pending) for outcome in outcomes)
    sites = sum(outcome.sites for outcome in outcomes)
    for outcome in outcomes:
        finished.lines.extend([*str(outcome).rstrip().split("\n"), ""])
    words = f"{_count(len(outcomes), 'test')} calibrated: {_count(sites - refused, 'site')} learned, {refused} refused"
    if any(outcome.changes_file for outcome in outcomes) and not finished.findings:
        words += f"; wrote {where}"
    finished.lines.append(words)
    if pending:
        waiting = f"{_count(pending, 'new bound')} {'waits' if pending == 1 else 'wait'}"
        finished.lines.append(f"error: {waiting} for a review: flex-harness review --pytest {_native.quoted(where)}")
    if refused:
        finished.lines.append(f"error: {_count(refused, 'site')} refused; see above")
    finished.findings |= bool(refused or pending)
    return finished


def _outcomes(suite: Suite, finished: Finished) -> list[_native.Outcome]:
    assert suite.bounds_file is not None
    records = dict(sorted(suite.records.items()))
    plan = _native.SuitePlan.of(list(records.values()), suite.environment, suite.bounds_file)
    calibrations = {name: suite.calibration_of(record, plan) for name, record in records.items()}
    done: dict[str, _native.Outcome] = {}
    while True:
        missing: dict[str, list[int]] = {}
        repeated: dict[str, list[int]] = {}
        for name, calibration in calibrations.items():
            if name in done:
                continue
            word, what = calibration.step()
            if word == "collect" and suite.options.time_budget is not None:
                calibration.out_of_time()
                word, what = calibration.step()
            if isinstance(what, _native.Outcome):
                done[name] = what
            else:
                (missing if word == "collect" else repeated)[name] = what
        if not missing and not repeated:
            return [done[name] for name in calibrations]
        # The share of a suite's budget is known only now, and may ask for more runs.
        for name, record in _elsewhere(suite, missing, finished).items():
            calibrations[name].out_of_time() if record is None else calibrations[name].take(record)
        for name, record in _elsewhere(suite, repeated, finished).items():
            calibrations[name].take_repeated(record)


def _elsewhere(suite: Suite, wanted: dict[str, list[int]], finished: Finished) -> dict[str, bytes | None]:
    """Make runs in a second process; `None` for a test whose runs could not be made there."""
    if not wanted:
        return {}
    with tempfile.TemporaryDirectory(prefix="flex-") as folder:
        phase = "check" if suite.mode == "check" else "calibrate"
        order = Order(folder=folder, base=suite.base, phase=phase, tests=wanted)
        last = order.send(suite, "--flex-order")
        found = {}
        for name in wanted:
            record = order.record_of(name)
            found[name] = record.read_bytes() if record.exists() else None
        if None in found.values():
            finished.lines += ["warning: the second process did not make all runs that were asked for:", *last, ""]
        return found


def _compare(suite: Suite, outcomes: list[_native.Outcome], finished: Finished) -> None:
    """Say what speaks against the bounds file."""
    assert suite.bounds_file is not None
    compared = sum(outcome.sites for outcome in outcomes)
    for outcome in outcomes:
        found = outcome.contradictions(suite.bounds_file, compared)
        finished.lines.extend(f"{outcome.name}: {words}" for words in found)
        finished.findings |= bool(found)
    verdict = "the bounds file is contradicted; see above" if finished.findings else "nothing speaks against the bounds"
    finished.lines.append(f"{_count(len(outcomes), 'test')} with {_count(compared, 'site')} compared: {verdict}")


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
