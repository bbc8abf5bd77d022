"""The end of a session that does not end by itself: who is told of a run that hangs, and what ends the process."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import signal
import threading
from typing import Any

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key

from pytest_flex import _native

PARENT = "FLEX_PARENT"
"""The variable with the process that started this one, and wants it to end with itself."""


def told(config: pytest.Config) -> list[str]:
    """Return the files for words about a run that hangs: standard error, past what captures it.

    faulthandler, which pytest has on, says where the threads are when the process is aborted.
    """
    capture = config.pluginmanager.getplugin("capturemanager")
    try:
        with capture.global_and_fixture_disabled() if capture is not None else contextlib.nullcontext():
            # Opened anew, both write behind what the other wrote.
            error = open("/dev/fd/2", "a", encoding="utf-8")  # noqa: SIM115
    except OSError:
        return ["/dev/fd/2"]
    was_enabled = faulthandler.is_enabled()
    faulthandler.enable(error)
    config.add_cleanup(error.close)
    if not was_enabled:
        config.add_cleanup(faulthandler.disable)
    else:
        config.add_cleanup(lambda: _enable_again(config))
    return [f"/dev/fd/{error.fileno()}"]


def _enable_again(config: pytest.Config) -> None:
    """Let faulthandler write where pytest has it."""
    error = config.stash.get(fault_handler_stderr_fd_key, None)
    if error is None:
        faulthandler.enable()
    else:
        faulthandler.enable(error)


def follow_parent(config: pytest.Config) -> None:
    """End with the process that started this one, if it wants that; workers of xdist with the one that has them."""
    parent = os.environ.pop(PARENT, "")
    if hasattr(config, "workerinput"):
        _native.follow_parent(os.getppid())
    elif parent.isdecimal():
        _native.follow_parent(int(parent))


def let_terminate(config: pytest.Config) -> None:
    """Let SIGTERM do what Ctrl-C does: what is finished is kept."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        return

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    def forget() -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    signal.signal(signal.SIGTERM, interrupt)
    config.add_cleanup(forget)
