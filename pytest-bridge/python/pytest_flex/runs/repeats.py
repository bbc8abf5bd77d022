"""Runs that are made again under the same seed, in other processes."""

from __future__ import annotations

import os

from pytest_flex._native import RecordBuilder, runs_to_repeat
from pytest_flex.session import restart
from pytest_flex.session.order import TIME_UP, Order, scratch
from pytest_flex.session.search import SearchSession
from pytest_flex.session.words import count


def elsewhere(session: SearchSession) -> list[str]:
    """Repeat runs in other processes, with the same hashes and with others, for all tests together; return warnings."""
    known = restart.hash_seed()
    if known is None or (session.trials is not None and session.trials.measures is not None):
        return []
    outcomes = session.record.outcomes().items()
    wanted = {name: runs_to_repeat(ended, seconds) for name, (ended, seconds) in outcomes}
    wanted = {name: runs for name, runs in wanted.items() if runs}
    fixed = set(session.record.shown_fixed())
    if not session.repeats_all:
        wanted = {name: runs for name, runs in wanted.items() if name in fixed}
    # Nothing but hashes can change what a fixed test shows.
    same = {name: runs for name, runs in wanted.items() if name not in fixed}
    warnings = _repeat(session, same, "other-process", known, 0.5)
    warnings += _repeat(session, wanted, "other-hashes", restart.other_hashes()[restart.HASHES])
    # If they do, or if something was not seen, the same hashes tell.
    doubted = {name: wanted[name] for name in session.record.differing() if name in wanted}
    return warnings + _repeat(session, doubted, "other-process", known)


def _repeat(
    session: SearchSession, wanted: dict[str, list[int]], place: str, hashes: str, share: float = 1.0
) -> list[str]:
    """Let a process make runs again, within this share of the time that is left, if there is a time budget."""
    if not wanted:
        return []
    pace = {name: seconds for name, (_, seconds) in session.record.outcomes().items()}
    left = session.seconds_left()
    limit = None if left is None else share * left
    asked = len(wanted)
    if limit is not None:
        wanted = _fitting(session, wanted, limit - session.seconds_to_start())
    if not wanted:
        return [_out_of_time(asked, asked, place)]
    with scratch() as folder:
        order = Order(folder=folder, base=session.base, phase="detect", tests=wanted, pace=pace)
        last = order.send(session.config, "--flex-repeat", {restart.HASHES: hashes}, limit)
        files = [order.record_of(name) for name in wanted]
        made = [file for file in files if os.path.exists(file)]
        for file in made:
            session.record.take_repeats(RecordBuilder.read(file), place)
        if order.hang.exists():
            session.hung = True
            return [*order.hang.read_text(encoding="utf-8").strip().split("\n"), ""]
        missing = asked - len(made)
        if missing and (last == TIME_UP or len(wanted) < asked):
            return [_out_of_time(missing, asked, place)]
        if missing:
            return [f"warning: another process did not repeat {missing} of {len(wanted)} tests:", *last, ""]
    return []


def _out_of_time(missing: int, asked: int, place: str) -> str:
    where = "in another process" if place == "other-process" else "under other hashes"
    return f"note: the time was up before runs of {missing} of {count(asked, 'test')} were repeated {where}"


def _fitting(session: SearchSession, wanted: dict[str, list[int]], seconds: float) -> dict[str, list[int]]:
    """Return the tests whose runs can be repeated in this time: those that failed at times, then the quick."""
    known = session.record.outcomes()

    def price(name: str) -> tuple[bool, float]:
        ended, pace = known[name]
        return len({outcome for _, outcome in ended}) < 2, pace * len(wanted[name])

    fitting = {}
    for name in sorted(wanted, key=price):
        seconds -= price(name)[1]
        if seconds < 0:
            break
        fitting[name] = wanted[name]
    return fitting
