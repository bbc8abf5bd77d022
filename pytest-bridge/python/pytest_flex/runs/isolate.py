"""Isolation: each run in a process of its own, forked from this one, for tests that poison global state or crash.

Wider fixtures are set up before, in this process. The forked one builds the function fixtures anew, makes the run, and
sends what it showed through a pipe. One that ends before it has sent everything crashed, and its end is the failure.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import NoReturn

from pytest_flex import _native
from pytest_flex.runs.ending import IsolatedFailure, Skipped


def run_isolated(make: Callable[[int], None], index: int, test: _native.Test, recorder: _native.Recorder) -> None:
    """Make one run in a process of its own, and take what it recorded. What it raises is how that failed."""
    sys.stdout.flush()
    sys.stderr.flush()
    receive, send = os.pipe()
    with warnings.catch_warnings():
        # Python warns of threads, which libraries of numbers have; a run that hangs for that would hang without us.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.close(receive)
        _run_and_end(make, index, test, recorder, send)
    os.close(send)
    try:
        with os.fdopen(receive, "rb") as pipe:
            record = pipe.read()
    except BaseException:
        # Ctrl-C goes to both.
        os.waitpid(child, 0)
        raise
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    # One that calls `os._exit(0)` ends well, and tells nothing.
    if code != 0 or not record:
        recorder.start()
        raise IsolatedFailure(f"the run ended its process ({_ending(code)})")
    failure = recorder.absorb(record)
    if failure is not None:
        raise IsolatedFailure(failure)


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
            failure = "".join(traceback.format_exception_only(error)).strip().split("\n")[0]
        recording = _native.Recording(test)
        recording.run(index, failure, recorder)
        with os.fdopen(send, "wb") as pipe:
            pipe.write(recording.record(0.0, recorder))
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
