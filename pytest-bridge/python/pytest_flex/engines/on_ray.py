"""Shards as tasks of a Ray cluster."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Mapping
from typing import Any

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from . import making
from .making import make
from .telling import tell, told

Order = Mapping[str, Any]

#: How often it is asked what became of tasks, in seconds.
PAUSE = 0.2


class Cluster:
    """A Ray cluster, whose head is at an address; without one, the one that ``RAY_ADDRESS`` or this machine names."""

    def __init__(self, address: str | None, session: str) -> None:
        for sent in (making, sys.modules[__name__]):
            ray.cloudpickle.register_pickle_by_value(sent)
        ray.init(
            address=address or os.environ.get("RAY_ADDRESS") or "auto",
            log_to_driver=False,
            logging_level=logging.ERROR,
            include_dashboard=None,
        )
        self.session = session
        self.tasks: dict[Any, Order] = {}
        self.board: Any = ray.remote(num_cpus=0)(Board).remote()
        self.make_there = ray.remote(max_retries=0, num_cpus=1)(_make)
        self.lock = threading.Lock()
        self.is_over = threading.Event()
        self.follower = threading.Thread(target=self._follow, daemon=True)
        self.follower.start()

    def workers(self) -> int:
        """Return how many shards it can make at a time."""
        return int(ray.cluster_resources().get("CPU", 1))

    def make(self, order: Order) -> None:
        """Let a worker make a shard, elsewhere than on these nodes if there are others."""
        avoid = set(order["avoid"])
        others = [node["NodeID"] for node in ray.nodes() if node["Alive"] and node["NodeID"] not in avoid]
        strategy: Any = "DEFAULT"
        if avoid and others:
            chosen = others[hash(order["id"]) % len(others)]
            strategy = NodeAffinitySchedulingStrategy(chosen, soft=True)
        there = self.make_there.options(scheduling_strategy=strategy)
        with self.lock:
            self.tasks[there.remote({**order, "session": self.session}, self.board)] = order

    def withdraw(self, attempt: str) -> None:
        """End an attempt."""
        with self.lock:
            found = [task for task, order in self.tasks.items() if order["id"] == attempt]
            for task in found:
                del self.tasks[task]
        for task in found:
            ray.cancel(task, force=True)

    def close(self) -> None:
        """End what is under way."""
        self.is_over.set()
        self.follower.join()
        for order in list(self.tasks.values()):
            self.withdraw(order["id"])
        ray.shutdown()

    def _follow(self) -> None:
        while not self.is_over.wait(PAUSE):
            for attempt, host in ray.get(self.board.take.remote()):
                tell({"is": "begun", "id": attempt, "host": host})
            with self.lock:
                waiting = list(self.tasks)
            if not waiting:
                continue
            over, _ = ray.wait(waiting, num_returns=len(waiting), timeout=0)
            for task in over:
                with self.lock:
                    order = self.tasks.pop(task, None)
                if order is not None:
                    self._ended(order, task)

    def _ended(self, order: Order, task: Any) -> None:
        try:
            made = ray.get(task)
        except ray.exceptions.RayTaskError as error:
            tell({"is": "ended", "id": order["id"], "code": 70, "words": str(error)})
        except ray.exceptions.RayError as error:
            tell({"is": "died", "id": order["id"], "words": f"{type(error).__name__}: {error}"})
        else:
            told(order, made)


class Board:
    """Where tasks say that they have begun, and on which node."""

    def __init__(self) -> None:
        self.begun: list[tuple[str, str]] = []

    def put(self, attempt: str, host: str) -> None:
        """Say that an attempt has begun."""
        self.begun.append((attempt, host))

    def take(self) -> list[tuple[str, str]]:
        """Return what was said since the last time."""
        begun, self.begun = self.begun, []
        return begun


def _make(order: Order, board: Any) -> dict[str, object]:
    board.put.remote(order["id"], ray.get_runtime_context().get_node_id())
    return make(order)
