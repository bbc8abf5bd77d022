"""The functions of C by which variation enters a test: clocks, entropy, draws, waiting."""

from __future__ import annotations

import _random
import _thread
import datetime
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

from pytest_flex import _native

WALL_CLOCKS = ("time", "time_ns", "clock_gettime", "clock_gettime_ns")
CLOCKS = (
    *("monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns"),
    *("process_time", "process_time_ns", "thread_time", "thread_time_ns"),
)
CONVERSIONS = ("localtime", "gmtime", "ctime", "asctime")
THREADS = ("start_new_thread", "start_new", "start_joinable_thread")
LOCKING = ("acquire", "acquire_lock", "__enter__")


def intercept_all() -> None:
    """Let all that are there report their calls; those of `LATE` follow when their modules are imported."""
    for holder, names, *how in (
        (time, WALL_CLOCKS, "time", "wall clock", "always"),
        (time, CLOCKS, "time", "clock", "always"),
        (time, CONVERSIONS, "time", "wall clock", "now"),
        (time, ("strftime",), "time", "wall clock", "now-formatted"),
        (datetime.datetime, ("now", "utcnow", "today"), "time", "wall clock", "always"),
        (datetime.date, ("today",), "time", "wall clock", "always"),
        (os, ("times",), "time", "clock", "always"),
        (time, ("sleep",), "async-wait", "sleep", "always"),
        (select, ("select",), "async-wait", "event loop", "always"),
        (signal, ("alarm", "setitimer"), "async-wait", "timer", "always"),
        (_thread, THREADS, "concurrency", "thread start", "thread"),
        (_thread.allocate_lock(), LOCKING, "concurrency", "lock waited for", "lock"),
        (_thread.RLock(), LOCKING, "concurrency", "lock waited for", "lock"),
        (_random.Random(), ("random", "getrandbits"), "randomness", "random.random()", "draw"),
        (_random.Random(), ("seed",), "randomness", "random.seed()", "seed"),
        (os, ("urandom", "getrandom"), "randomness", "os.urandom()", "entropy"),
    ):
        _intercept(holder, names, *how)
    for name in ("epoll", "poll", "kqueue", "devpoll"):
        kind = getattr(select, name, None)
        if kind is not None:
            made = kind()
            _intercept(made, ("poll", "control"), "async-wait", "event loop", "always")
            if hasattr(made, "close"):
                made.close()


def _intercept(holder: Any, names: tuple[str, ...], cause: str, what: str, rule: str) -> None:
    for name in names:
        function = getattr(holder, name, None)
        # Somebody may have put a function of Python in its place.
        if isinstance(function, type(len)):
            _native.intercept(function, cause, what, rule)


def _uuid() -> None:
    _intercept(sys.modules["_uuid"], ("generate_time_safe",), "randomness", "uuid.uuid1()", "entropy")


def _ssl() -> None:
    _intercept(sys.modules["_ssl"], ("RAND_bytes",), "randomness", "ssl.RAND_bytes()", "entropy")


def _queue() -> None:
    # Pools of threads hand work over by it; there is little else that it is for.
    queue = sys.modules["_queue"].SimpleQueue()
    _intercept(queue, ("put", "get"), "concurrency", "queue between threads", "always")


LATE: dict[str, Callable[[], None]] = {"_uuid": _uuid, "_ssl": _ssl, "_queue": _queue}
"""What is to be done when a module is imported."""
