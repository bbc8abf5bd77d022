"""Isolation: each run in a process of its own, forked from this one, for tests that poison global state, crash or hang.

Wider fixtures are set up before, in this process. The forked one builds the function fixtures anew, makes the run, and
sends what it showed through a pipe. One that ends before it has sent everything crashed, and its end is the failure. It
is the first of a group of processes, which ends with it: what a run starts does not outlive it.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from typing import NoReturn

from pytest_flex import _native
from pytest_flex.runs.ending import HungRun, Inconclusive, IsolatedFailure, Skipped, inconclusive

_END = b"end of flex record"
"""Behind a record that is whole."""


def run_isolated(
    make: Callable[[int], None], index: int, test: _native.Test, recorder: _native.Recorder, limit: float | None
) -> None:
    """Make one run in a process of its own, and take what it recorded. What it raises is how that failed."""
    sys.stdout.flush()
    sys.stderr.flush()
    receive, send = os.pipe()
    parent = os.getpid()
    with warnings.catch_warnings():
        # Python warns of threads, which libraries of numbers have; a run that hangs for that would hang without us.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.close(receive)
        _native.follow_parent(parent)
        _run_and_end(make, index, test, recorder, send)
    os.close(send)
    with contextlib.suppress(OSError):
        # Whoever of the two comes first.
        os.setpgid(child, child)
    try:
        record, code = _received(receive, child, limit)
    finally:
        os.close(receive)
        _end_group(child, signal.SIGKILL)
    if code != 0 or not record.endswith(_END):
        recorder.start()
        raise IsolatedFailure(f"the run ended its process ({_ending(code)})")
    failure = recorder.absorb(record.removesuffix(_END))
    if failure is not None:
        raise IsolatedFailure(failure)
    if recorder.inconclusive is not None:
        raise Inconclusive(recorder.inconclusive)


def _received(receive: int, child: int, limit: float | None) -> tuple[bytes, int]:
    """Read what a process sends until it has ended, and return how it did.

    Its end counts, and not that of the pipe, which others may hold that it forked.
    """
    began = time.monotonic()
    os.set_blocking(receive, False)
    ends = _descriptor_of_end(child)
    waited = [receive] if ends is None else [receive, ends]
    record = b""
    try:
        while True:
            left = None if limit is None else began + limit - time.monotonic()
            if left is not None and left <= 0:
                _end_hanging(child)
                raise HungRun(time.monotonic() - began)
            pause = left if ends is not None else min(0.02, left or 0.02)
            readable, _, _ = select.select(waited, [], [], pause)
            ended, status = os.waitpid(child, os.WNOHANG)
            more = _read(receive) if receive in readable or ended else b""
            if more is None and receive in waited:
                waited.remove(receive)
            record += more or b""
            if ended:
                return record, os.waitstatus_to_exitcode(status)
    except HungRun:
        raise
    except BaseException:
        # Ctrl-C comes to this process alone.
        _end_group(child, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(child, 0)
        raise
    finally:
        if ends is not None:
            os.close(ends)


def _read(receive: int) -> bytes | None:
    """Read what is there; `None` if nothing will come any more."""
    read = b""
    with contextlib.suppress(BlockingIOError):
        while more := os.read(receive, 1 << 16):
            read += more
        return read or None
    return read


def _descriptor_of_end(child: int) -> int | None:
    """Return what can be waited for until a process ends, where there is such a thing."""
    try:
        return os.pidfd_open(child)
    except (AttributeError, OSError):
        return None


def _end_hanging(child: int) -> None:
    """End a process that hangs; before, faulthandler says where."""
    _end_group(child, signal.SIGABRT)
    for _ in range(50):
        ended, _ = os.waitpid(child, os.WNOHANG)
        if ended:
            return
        time.sleep(0.02)
    _end_group(child, signal.SIGKILL)
    os.waitpid(child, 0)


def _end_group(child: int, how: signal.Signals) -> None:
    """End a process and all that it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, how)


def _run_and_end(
    make: Callable[[int], None], index: int, test: _native.Test, recorder: _native.Recorder, send: int
) -> NoReturn:
    """Make the run in the forked process, which must never return to pytest."""
    code = 70
    try:
        failure = None
        try:
            make(index)
        except Skipped:
            pass
        except BaseException as error:
            reason = inconclusive(error)
            if reason is not None:
                recorder.inconclusive = reason
            failure = "".join(traceback.format_exception_only(error)).strip().split("\n")[0]
        recording = _native.Recording(test)
        recording.run(index, failure, recorder)
        recording.draws(recorder)
        with os.fdopen(send, "wb") as pipe:
            pipe.write(recording.record(0.0, recorder) + _END)
        sys.stdout.flush()
        sys.stderr.flush()
        code = 0
    finally:
        os._exit(code)


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {-code}, {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"
