"""The end of a calibration: runs are repeated in a second process, bounds are written, and a summary is made.

"The same seed, the same value?" can only be asked in another process. One is started for all tests together, and
further ones where the answer was no.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from pytest_flex import _native
from pytest_flex.modes.calibrate import calibration_of
from pytest_flex.session import restart
from pytest_flex.session import shards as shard_options
from pytest_flex.session.order import Order, scratch
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
    wants_more: bool = False
    """Whether what shards showed is not enough."""


def finish(session: FlexSession, is_painted: bool = False) -> Finished:
    """Finish the calibration of everything that was recorded."""
    finished = Finished()
    try:
        outcomes = _outcomes(session, finished) if session.merging is None else _merged(session, finished)
    except HungElsewhere as error:
        lines = [*str(error).strip().split("\n"), "error: a run hangs in a second process: nothing was learned"]
        return Finished(lines, findings=True)
    except ValueError as error:
        return Finished(f"error: {error}".split("\n"), findings=True)
    if outcomes is None:
        return finished
    where = os.path.relpath(session.bounds_file, session.config.invocation_params.dir)
    if session.unchanged:
        are = f"{count(len(session.unchanged), 'test')} {'is' if len(session.unchanged) == 1 else 'are'} unchanged"
        finished.lines.append(f"{are}: three runs of the last calibration show the same")
    if session.mode == "check":
        _compare(session, outcomes, finished)
        return finished
    if not outcomes:
        return finished
    try:
        words = _native.save(outcomes, session.bounds_file, session.kept_folder())
        if words is not None:
            finished.lines.append(words.strip())
    except OSError as error:
        finished.findings = True
        finished.lines.append(f"error: {error}")
    refused = sum(len(outcome.refused) for outcome in outcomes)
    pending = sum(len(outcome.pending) for outcome in outcomes)
    sites = sum(outcome.sites for outcome in outcomes)
    for outcome in outcomes:
        summary = outcome.painted() if is_painted else str(outcome)
        finished.lines.extend([*summary.rstrip().split("\n"), ""])
    finished.lines.extend(dict.fromkeys(outcome.legend for outcome in outcomes if outcome.legend is not None))
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


@shard_options.writing()
def finish_shard(session: FlexSession) -> Finished:
    """Let another process make the runs of a shard that are made again, and end its file."""
    finished = Finished()
    shard = session.sharing
    assert shard is not None
    try:
        for kind, environment in (("repeat", None), ("confirm", restart.other_hashes())):
            orders = session.again[kind]
            for name, record in _elsewhere(session, orders, finished, environment).items():
                if record is not None:
                    shard.write(kind, record, order=orders[name])
    except HungElsewhere as error:
        finished.lines += [*str(error).strip().split("\n"), "error: a run hangs in a second process"]
        finished.findings = True
    if session.unchanged:
        finished.lines.append(f"{count(len(session.unchanged), 'test')} probably unchanged")
    words = shard.end(not session.is_short)
    finished.lines.append(f"{words}; there was no time for the rest" if session.is_short else words)
    return finished


def _merged(session: FlexSession, finished: Finished) -> list[_native.CalibrationOutcome] | None:
    """Return what came of all tests of which shards made the runs; `None` if they made too few."""
    shards = session.merging
    assert shards is not None
    asked = session.options.runs or session.environment.runs
    outcomes: list[_native.CalibrationOutcome | None] = []
    names = []
    for name in sorted(session.records):
        if shards.is_unchanged(name, session.environment, session.bounds_file, asked):
            if not session.makes_all_runs:
                session.unchanged.append(name)
                continue
            session.same.add(name)
        names.append(name)
    looks = [look for look in map(shards.look, names) if look is not None]
    plan = _plan(session, looks)
    for name in names:
        outcomes.append(
            shards.calibrate(
                name,
                runs=asked,
                max_runs=session.options.max_runs,
                accept=session.options.accept,
                check=session.mode == "check",
                full=session.makes_all_runs,
                variant=session.environment.variant,
                plan=plan,
                same=name in session.same,
                history=session.history if session.mode == "calibrate" else None,
            )
        )
    finished.lines += shards.warnings()
    missing = shards.plan(shard_options.plan_file(session))
    finished.lines += missing
    finished.wants_more = bool(missing)
    finished.findings |= shards.has_findings
    if missing:
        finished.lines.append(shard_options.hint(session))
        return None
    return [outcome for outcome in outcomes if outcome is not None]


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
        try:
            # The share of a suite's budget is known only now, and may ask for more runs.
            for name, record in _elsewhere(session, missing, finished).items():
                calibrations[name].out_of_time() if record is None else calibrations[name].take(record)
            for name, record in _elsewhere(session, repeated, finished).items():
                calibrations[name].take_repeated(record)
            # Under another seed, too: what follows that unseen would not be the same.
            other = {name: [max(runs) + 1] for name, runs in confirmed.items()}
            for name, record in _elsewhere(session, other, finished, restart.other_hashes()).items():
                calibrations[name].take_repeated(record)
        except KeyboardInterrupt:
            left = count(len(calibrations) - len(done), "test")
            finished.lines.append(f"error: interrupted before runs of {left} were repeated, which learned nothing")
            finished.findings = True
            return list(done.values())


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
    with scratch() as folder:
        phase = "check" if session.mode == "check" else "calibrate"
        order = Order(folder=folder, base=session.base, phase=phase, tests=wanted, pace=session.pace)
        last = order.send(session.config, "--flex-order", environment, session.seconds_left())
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
