"""Runs that are made again under the same seed, in other processes."""

from __future__ import annotations

import os
import tempfile

from pytest_flex._native import RecordBuilder, runs_to_repeat
from pytest_flex.session import restart
from pytest_flex.session.order import Order
from pytest_flex.session.search import SearchSession


def elsewhere(session: SearchSession) -> list[str]:
    """Repeat runs in two other processes, for all tests together; returns warnings."""
    outcomes = session.record.outcomes().items()
    wanted = {name: runs_to_repeat(ended, seconds) for name, (ended, seconds) in outcomes}
    wanted = {name: runs for name, runs in wanted.items() if runs}
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
