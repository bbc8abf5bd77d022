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
from typing import TYPE_CHECKING, NoReturn

from pytest_flex import _native

if TYPE_CHECKING:
    from pytest_flex.runs.runs import Runs


class IsolatedFailure(Exception):
    """A run that failed in its own process."""


def run_isolated(runs: Runs, test: _native.Test, index: int) -> None:
    """Make one run in a process of its own. What it raises is how that failed."""
    sys.stdout.flush()
    sys.stderr.flush()
    receive, send = os.pipe()
    with warnings.catch_warnings():
        # Python warns of threads, which libraries of numbers have; a run that hangs for that would hang without us.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.close(receive)
        _run_and_end(runs, test, index, send)
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
    if code != 0:
        runs.recorder.start()
        raise IsolatedFailure(f"the run ended its process ({_ending(code)})")
    failure = runs.recorder.absorb(record)
    if failure is not None:
        raise IsolatedFailure(failure)


def _run_and_end(runs: Runs, test: _native.Test, index: int, send: int) -> NoReturn:
    """Make the run in the forked process, which must never return to pytest."""
    code = 70
    try:
        from pytest_flex.runs.runs import Skipped

        failure = None
        try:
            runs.again(index)
        except Skipped:
            pass
        except BaseException as error:
            failure = "".join(traceback.format_exception_only(error)).strip().split("\n")[0]
        recording = _native.Recording(test)
        recording.run(index, failure, runs.recorder)
        with os.fdopen(send, "wb") as pipe:
            pipe.write(recording.record(0.0, runs.recorder))
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
