"""A process that has imported pytest, and forks a session for each client. Arguments: its socket, the client."""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import os
import runpy
import selectors
import socket
import sys
import tempfile
import traceback
from pathlib import Path

import pytest

SOCKET, CLIENT = sys.argv[1:]

MODULES = ("doctest", "numpy.random", "numpy.testing", "unittest.mock", "xml.etree.ElementTree")
"""What sessions import besides pytest and its plugins."""


def serve() -> None:
    """Fork until standard input ends."""
    for name in MODULES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    rehearse()
    # What is there already is not looked through again by every session.
    gc.collect()
    gc.freeze()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(SOCKET)
    listener.listen(64)
    os.unlink(SOCKET + ".starting")
    with selectors.DefaultSelector() as selector:
        selector.register(listener, selectors.EVENT_READ)
        selector.register(0, selectors.EVENT_READ)
        while all(key.fileobj is listener for key, _ in selector.select()):
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                attend(connection)
            connection.close()
            reap()


def rehearse() -> None:
    """Import what a session of pytest does, in the way that it does, but nothing of flex: a session without tests."""
    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as nowhere:
        ini = Path(folder, "pytest.ini")
        ini.write_text("[pytest]\nasyncio_default_fixture_loop_scope = function\n", encoding="utf-8")
        with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
            code = pytest.main(["-p", "no:flex", "-p", "no:cacheprovider", "-c", str(ini), folder])
    assert code == pytest.ExitCode.NO_TESTS_COLLECTED
    assert not [name for name in sys.modules if name.startswith("pytest_flex")]


def reap() -> None:
    """Take note of those who have waited for sessions, so that the time that they took is counted as ours."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass


def attend(connection: socket.socket) -> None:
    """Wait for a session and tell how it ended."""
    length, streams, _, _ = socket.recv_fds(connection, 8, 3)
    text = b""
    while len(text) < int.from_bytes(length, "big"):
        text += connection.recv(1 << 20)
    child = os.fork()
    if child == 0:
        connection.close()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        session(text.decode("utf-8", "surrogateescape").split("\0"))
    for stream in streams:
        os.close(stream)
    _, status = os.waitpid(child, 0)
    connection.sendall(os.waitstatus_to_exitcode(status).to_bytes(8, "big", signed=True))
    os._exit(0)


def session(words: list[str]) -> None:
    """Be `python -m pytest` with these arguments, in this folder and environment."""
    folder, number, *rest = words
    args = rest[: int(number)]
    os.environ.clear()
    os.environ.update(word.split("=", 1) for word in rest[int(number) :])
    os.chdir(folder)
    path = os.environ.get("PYTHONPATH", "")
    sys.path[:1] = [folder, *(os.path.abspath(place) for place in path.split(os.pathsep) if place)]
    sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
    sys.executable = CLIENT
    sys.argv = ["pytest", *args]
    sys.orig_argv = [CLIENT, "-m", "pytest", *args]
    if "numpy" in sys.modules:
        # Python's own generator is seeded anew in every process that is forked, and this one is not.
        sys.modules["numpy"].random.seed()
    code = 1
    try:
        runpy.run_module("pytest", run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        os._exit(code)


serve()
