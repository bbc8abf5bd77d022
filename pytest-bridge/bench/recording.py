"""What recording costs an assertion, in nanoseconds: with a listener and without, as a difference within one process.

Prints one JSON object. Each form of assertion is compiled as pytest would compile it, with and without the
transformation, and run in alternation; of several rounds the least disturbed counts.
"""

from __future__ import annotations

import ast
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from _pytest.assertion import rewrite
from pytest_flex import running
from pytest_flex._native import TestRecord
from pytest_flex.observing import hook
from pytest_flex.observing.observed import Sites
from pytest_flex.observing.transform import mark, weave

COUNT = 2000
ROUNDS = 30

HEAD = """
import math
import random
import unittest
import numpy as np
import pytest
a, b = 1.0, 1.0 + 1e-10
few, many = np.linspace(1, 2, 10), np.linspace(1, 2, 10_000)
case = unittest.TestCase()
"""

ASSERTIONS = {
    "assert x < 0.5": "assert x < 0.5",
    "assert 0.1 < x < 0.5": "assert 0.1 < x < 0.5",
    "assert x < y": "assert x < y",
    "assert (array < 3).all(), 10 elements": "assert (few < 3).all()",
    "assert x == approx": "assert a == pytest.approx(b)",
    "assert math.isclose": "assert math.isclose(a, b)",
    "assertLess": "case.assertLess(x, 0.5)",
    "assertAlmostEqual": "case.assertAlmostEqual(a, b)",
    "assert_allclose, scalars": "np.testing.assert_allclose(a, b, rtol=1e-3)",
    "assert_allclose, 10 elements": "np.testing.assert_allclose(few, few, rtol=1e-3)",
    "assert_allclose, 10,000 elements": "np.testing.assert_allclose(many, many, rtol=1e-3)",
}


def main() -> None:
    """Measure everything."""
    found = {}
    with tempfile.TemporaryDirectory() as name:
        for number, (form, statement) in enumerate(ASSERTIONS.items()):
            found[form] = measured(Path(name) / f"test_{number}.py", statement)
    print(json.dumps(found))


def measured(file: Path, statement: str) -> dict[str, float]:
    """Return what an assertion costs bare, transformed with nobody listening, and recorded."""
    file.write_text(
        f"{HEAD}\ndef run(count):\n    x, y = 0.25, 0.75\n    for _ in range(count):\n        {statement}\n"
    )
    count = COUNT // 20 if "many" in statement else COUNT
    bare, transformed = load(file, False), load(file, True)
    record = TestRecord(file.stem, file.name, 1)
    sites = Sites(file.parent, record)
    costs: dict[str, list[float]] = {"bare": [], "unheard": [], "recorded": []}
    for index in range(ROUNDS):
        costs["bare"].append(timed(bare, count))
        costs["unheard"].append(timed(transformed, count))
        with hook.recording(file.parent):
            sites.start(index)
            running.sites = sites
            try:
                costs["recorded"].append(timed(transformed, count))
            finally:
                running.sites = None
            sites.finish("pass", None, None)
            if not record.values():
                raise SystemExit(f"{statement} was not recorded")
    return {name: round(min(values), 1) for name, values in costs.items()}


def load(file: Path, transforms: bool) -> Callable[[int], None]:
    """Return the function of the file, compiled as pytest compiles it."""
    source = file.read_bytes()
    tree = ast.parse(source)
    calls, _ = mark(tree) if transforms else ({}, 0)
    rewrite.rewrite_asserts(tree, source, str(file))
    if transforms:
        weave(tree, calls)
    space: dict[str, Any] = {"__file__": str(file), "__name__": file.stem}
    exec(compile(tree, str(file), "exec"), space)
    function: Callable[[int], None] = space["run"]
    return function


def timed(run: Callable[[int], None], count: int) -> float:
    """Return the nanoseconds of processor time of one assertion."""
    run(10)
    started = time.process_time_ns()
    run(count)
    return (time.process_time_ns() - started) / count


if __name__ == "__main__":
    main()
