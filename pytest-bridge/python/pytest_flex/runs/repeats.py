"""Runs that are made again under the same seed: the same value again, here, in another process, with other hashes?"""

from __future__ import annotations

import json
import math
import os
import tempfile
from typing import TYPE_CHECKING, Any

from pytest_flex.modes.record import Order
from pytest_flex.runs import restart

if TYPE_CHECKING:
    from pytest_flex.modes.detect import Observing
    from pytest_flex.session.searching import Searching

MOST = 10
"""Runs of a test that are repeated at most."""

QUICK = 0.01
"""Seconds of a run that may be repeated as often as that without anybody noticing."""


def chosen(runs: list[dict[str, Any]], seconds: float) -> list[int]:
    """Return the runs to repeat: first those that failed, and few in relation to all where a run takes its time."""
    ended = [run for run in runs if run["outcome"] != "skip"]
    if not ended:
        return []
    failed = [run["index"] for run in ended if run["outcome"] == "fail"]
    passed = [run["index"] for run in ended if run["outcome"] == "pass"]
    # Run 0 is the last: it has the seeds that the source states, which say less.
    worth = [*failed[:1], *passed[1:2], *failed[1:2], *passed[-1:], *failed[2:4], *passed[2:], ended[0]["index"]]
    most = MOST if seconds < QUICK else max(1, len(ended) // 150)
    if failed and passed:
        # A finding is worth more than its share of the time.
        most = max(most, 3)
    return sorted(list(dict.fromkeys(worth))[: min(most, MOST)])


def made(observing: Observing, indices: list[int]) -> dict[str, Any]:
    """Make runs again, and return what they showed: outcomes and sites."""
    sites = observing.runs.sites
    assert sites is not None
    outcomes = [(index, observing.make(index).outcome) for index in indices]
    return {"outcomes": outcomes, "sites": sites.to_json()}


def placed(found: dict[str, Any], place: str, sites: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return repeated runs as the record has them. A site is known by its id, which holds in every process."""
    known = {site["id"]: (index, site["series"]) for index, site in enumerate(sites)}
    values: dict[int, list[tuple[int, int, Any]]] = {index: [] for index, _ in found["outcomes"]}
    for site in found["sites"]:
        if site["id"] not in known:
            continue
        index, before = known[site["id"]]
        for number, (series, old) in enumerate(zip(site["series"], before, strict=False)):
            for run, value in series["values"]:
                if old["is_margin"] and not series["is_margin"]:
                    # With few runs it was not seen that the bound is another one each time.
                    value = _number(float(value) - float(series["bound"]))
                values[run].append((index, number, value))
    return [
        {"index": index, "place": place, "outcome": outcome, "values": values[index]}
        for index, outcome in found["outcomes"]
    ]


def elsewhere(suite: Searching, parts: dict[str, dict[str, Any]]) -> list[str]:
    """Repeat runs in two other processes, for all tests together; returns warnings."""
    wanted = {name: chosen(part["runs"], part["seconds_per_run"]) for name, part in parts.items()}
    # The other way round: a value that depends on what ran before shows it.
    wanted = {name: runs[::-1] for name, runs in wanted.items() if runs}
    known = restart.hash_seed()
    if not wanted or known is None:
        return []
    warnings: list[str] = []
    other = str((int(known) + 1) % 2**32)
    for place, hashes in (("other-process", known), ("other-hashes", other)):
        with tempfile.TemporaryDirectory(prefix="flex-") as folder:
            order = Order(folder=folder, base=suite.base, phase="detect", tests=wanted)
            last = order.send(suite, "--flex-repeat", {restart.HASHES: hashes})
            missing = 0
            for name in wanted:
                file = order.record_of(name)
                if not os.path.exists(file):
                    missing += 1
                    continue
                found = json.loads(file.read_text(encoding="utf-8"))
                parts[name]["repeats"] += placed(found, place, parts[name]["sites"])
            if missing:
                warnings += [f"warning: another process did not repeat {missing} of {len(wanted)} tests:", *last, ""]
    return warnings


def _number(value: float) -> float | str:
    """Return a number as the record has it."""
    if math.isfinite(value):
        return float(value)
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
