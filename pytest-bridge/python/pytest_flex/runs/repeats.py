"""Runs that are made again under the same seed: which ones, here and in other processes."""

from __future__ import annotations

import os
import tempfile

from pytest_flex._native import RecordBuilder
from pytest_flex.session import restart
from pytest_flex.session.order import Order
from pytest_flex.session.search import SearchSession

MOST = 10
"""Runs of a test that are repeated at most."""

QUICK = 0.01
"""Seconds of a run that may be repeated as often as that without anybody noticing."""


def chosen(outcomes: list[tuple[int, str]], seconds: float) -> list[int]:
    """Return the runs to repeat: first those that failed, and few in relation to all where a run takes its time."""
    ended = [index for index, outcome in outcomes if outcome != "skip"]
    if not ended:
        return []
    failed = [index for index, outcome in outcomes if outcome == "fail"]
    passed = [index for index, outcome in outcomes if outcome == "pass"]
    # Run 0 is the last: it has the seeds that the source states, which say less.
    worth = [*failed[:1], *passed[1:2], *failed[1:2], *passed[-1:], *failed[2:4], *passed[2:], ended[0]]
    most = MOST if seconds < QUICK else max(1, len(ended) // 150)
    if failed and passed:
        # A finding is worth more than its share of the time.
        most = max(most, 3)
    return sorted(list(dict.fromkeys(worth))[: min(most, MOST)])


def elsewhere(session: SearchSession) -> list[str]:
    """Repeat runs in two other processes, for all tests together; returns warnings."""
    wanted = {name: chosen(outcomes, seconds) for name, (outcomes, seconds) in session.record.outcomes().items()}
    # The other way round: a value that depends on what ran before shows it.
    wanted = {name: runs[::-1] for name, runs in wanted.items() if runs}
    known = restart.hash_seed()
    if not wanted or known is None:
        return []
    warnings: list[str] = []
    other = str((int(known) + 1) % 2**32)
    for place, hashes in (("other-process", known), ("other-hashes", other)):
        with tempfile.TemporaryDirectory(prefix="flex-") as folder:
            order = Order(folder=folder, base=session.base, phase="detect", tests=wanted)
            last = order.send(session.config, "--flex-repeat", {restart.HASHES: hashes})
            files = [order.record_of(name) for name in wanted]
            made = [file for file in files if os.path.exists(file)]
            for file in made:
                session.record.take_repeats(RecordBuilder.read(file), place)
            missing = len(files) - len(made)
            if missing:
                warnings += [f"warning: another process did not repeat {missing} of {len(wanted)} tests:", *last, ""]
    return warnings
