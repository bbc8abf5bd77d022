"""A loop that knows nothing of flex: every test that is named is called many times, each time under another seed.

What a test states as a seed is not what it gets: `numpy.random.seed`, `RandomState`, `default_rng`, bit generators
and `random.seed` take another one in its place, which depends on the number of the call and on the seed that is stated. It is also seen
whether a call draws from a generator that its module has made before: no seed of a call can control that.
"""

from __future__ import annotations

import json
import os
import pickle
import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

BITS = ("PCG64", "PCG64DXSM", "Philox", "SFC64", "MT19937")

CALLS = int(os.environ["LOOP_CALLS"])

SEED, STATE, RNG, PLAIN = np.random.seed, np.random.RandomState, np.random.default_rng, random.seed

FAILED: Counter[str] = Counter()
MADE: Counter[str] = Counter()
DRAWS: Counter[str] = Counter()
"""Calls that drew from a generator of their module."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    metafunc.parametrize("call_number", range(CALLS), ids=[f"call{call}" for call in range(CALLS)], indirect=True)


@pytest.fixture(autouse=True)
def call_number(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    call = request.param

    def other(stated: object) -> int:
        return (hash(str(stated)) * 31 + call * 7919) % 2**32

    def seed(stated: object = None) -> None:
        SEED(other(stated))

    class State(STATE):
        def __init__(self, stated: object = None) -> None:
            super().__init__(other(stated))

    def rng(stated: object = None) -> np.random.Generator:
        return RNG(other(stated))

    def plain(stated: object = None, version: int = 2) -> None:
        PLAIN(other(stated), version)

    def bits(kind: type) -> type:
        class Bits(kind):
            def __init__(self, stated: object = None) -> None:
                super().__init__(other(stated))

        return Bits

    for name in BITS:
        monkeypatch.setattr(np.random, name, bits(getattr(np.random, name)))
    PLAIN(call)
    SEED(call)
    for module, name, value in (
        (np.random, "seed", seed),
        (np.random, "RandomState", State),
        (np.random, "default_rng", rng),
        (random, "seed", plain),
    ):
        monkeypatch.setattr(module, name, value)
    before = states(request.module)
    yield
    DRAWS[named(request.node.nodeid)] += states(request.module) != before


def states(module: object) -> list[bytes]:
    """Return the states of the generators that a module holds."""
    kinds = (STATE, np.random.Generator, random.Random)
    return [pickle.dumps(value.__getstate__()) for value in vars(module).values() if isinstance(value, kinds)]


def named(nodeid: str) -> str:
    """Return the name of a test without the number of the call."""
    test, _, parameters = nodeid.partition("[")
    left = [word for word in parameters.removesuffix("]").split("-") if not word.startswith("call")]
    return f"{test}[{'-'.join(left)}]" if left else test


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" and not report.skipped:
        MADE[named(report.nodeid)] += 1
        FAILED[named(report.nodeid)] += report.failed


def pytest_sessionfinish() -> None:
    with open(os.environ["LOOP_FILE"], "w", encoding="utf-8") as file:
        json.dump({name: [FAILED[name], made, DRAWS[name]] for name, made in MADE.items()}, file)
