"""Shards as tasks of a Dask cluster (``dask.distributed``)."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

import cloudpickle
import distributed

from . import making
from .making import make
from .telling import tell, told

Order = Mapping[str, Any]


class Cluster:
    """A Dask cluster, whose scheduler is at an address, or in the file that ``DASK_SCHEDULER_FILE`` names."""

    def __init__(self, address: str | None, session: str) -> None:
        for sent in (making, sys.modules[__name__]):
            cloudpickle.register_pickle_by_value(sent)
        file = os.environ.get("DASK_SCHEDULER_FILE")
        if address is None and file is not None:
            self.client = distributed.Client(scheduler_file=file)
        else:
            self.client = distributed.Client(address or os.environ.get("DASK_SCHEDULER_ADDRESS"))
        self.session = session
        self.futures: dict[str, distributed.Future] = {}
        self.hosts: dict[str, str] = {}
        self.topic = f"flex-{session}"
        self.client.subscribe_topic(self.topic, self._begun)

    def workers(self) -> int:
        """Return how many shards it can make at a time."""
        return sum(self.client.nthreads().values())

    def make(self, order: Order) -> None:
        """Let a worker make a shard, elsewhere than on these if there are others."""
        avoid = set(order["avoid"])
        others = [worker for worker in self.client.nthreads() if worker not in avoid]
        future = self.client.submit(
            # A task whose parts have names is sent by these, whatever is registered.
            lambda order, topic: _make(order, topic),
            {**order, "session": self.session},
            self.topic,
            key=f"flex-{self.session}-{order['id']}",
            pure=False,
            retries=0,
            # Strictly: a worker where everything fails is always idle, and would take back what was moved away from it.
            workers=others if avoid and others else None,
        )
        self.futures[order["id"]] = future
        future.add_done_callback(lambda future: self._ended(order, future))

    def withdraw(self, attempt: str) -> None:
        """Cancel an attempt, and end its process where it runs."""
        future = self.futures.pop(attempt, None)
        if future is not None:
            future.cancel()
        host = self.hosts.pop(attempt, None)
        if host is not None and host in self.client.nthreads():
            self.client.run(making.end, self.session, attempt, workers=[host], on_error="ignore")

    def close(self) -> None:
        """End what is under way."""
        for attempt in list(self.futures):
            self.withdraw(attempt)
        self.client.close()

    def _begun(self, event: tuple[float, Any]) -> None:
        _, what = event
        self.hosts[what["id"]] = what["host"]
        tell({"is": "begun", "id": what["id"], "host": what["host"]})

    def _ended(self, order: Order, future: distributed.Future) -> None:
        if self.futures.pop(order["id"], None) is None:
            return
        if future.status == "finished":
            told(order, future.result())
        elif future.status == "error" and not isinstance(future.exception(), distributed.KilledWorker):
            words = f"{type(future.exception()).__name__}: {future.exception()}"
            tell({"is": "ended", "id": order["id"], "code": 70, "words": words})
        else:
            tell({"is": "died", "id": order["id"], "words": "the worker of Dask that made it is lost"})


def _make(order: Order, topic: str) -> dict[str, object]:
    worker = distributed.get_worker()
    worker.log_event(topic, {"id": order["id"], "host": worker.address})
    return make(order)
