"""An agent solves nine tasks of ten and more, over a network that fails at times: a claim about the rate of all runs.

Runs are expensive in real life: several are under way at once, an interrupted test goes on where it was, and a broken
connection tells nothing of the agent.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from agent import Server, solves
from pytest_flex import Inconclusive, no_worse, rate, stochastic


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    # The runs share it, on all threads.
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def tried(server: Server, seed: int, times: int) -> bool:
    try:
        return solves(server, seed, times)
    except OSError as error:
        raise Inconclusive(f"no answer: {type(error).__name__}") from None


@stochastic(runs_in_parallel=8, keep_runs=True, time_limit=120)
def test_the_agent_solves_its_tasks(server, flex_seed):
    assert rate(tried(server, flex_seed, times=3)) > 0.9


@stochastic(runs_in_parallel=8, keep_runs=True, time_limit=120)
def test_asking_again_helps(server, flex_seed):
    careful, hasty = tried(server, flex_seed, times=3), tried(server, flex_seed, times=1)
    assert no_worse(careful, hasty, margin=0.05, better="higher")
