"""What a worker does: it runs the command of a shard, and returns its files.

It is sent to the workers as it is, with what the cluster calls, so that they need nothing of pytest-flex for tests in
Rust. This module imports the standard library alone.
"""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping

#: So much of what a command says last is told.
MOST_BYTES = 4096

#: The exit code of flex where its output cannot be written.
CANNOT_WRITE = 70


def make(order: Mapping[str, object]) -> dict[str, object]:
    """Run the command of an order; its exit code, its last words, and its files by name."""
    session, attempt = str(order["session"]), str(order["id"])
    try:
        with tempfile.TemporaryDirectory(prefix="flex-", ignore_cleanup_errors=True) as folder:
            out = pathlib.Path(folder, "out")
            out.mkdir()
            code, words = run(order, out, mark(session, attempt))
            files = {file.name: file.read_bytes() for file in out.iterdir() if file.is_file()} if code == 0 else {}
    except OSError as error:
        code, words, files = CANNOT_WRITE, f"cannot make a shard in {tempfile.gettempdir()}: {error}", {}
    return {"code": code, "words": words, "files": files}


def run(order: Mapping[str, object], out: pathlib.Path, marked: pathlib.Path) -> tuple[int, str]:
    """Run the command to its end, with everything that it starts in a group of its own."""
    words = list(order["words"])  # type: ignore[call-overload]
    words[int(order["out"])] = str(out)  # type: ignore[call-overload]
    if words[0] == "python":
        words[0] = sys.executable
    # A test that watches over its parent ends with it; so does flex itself where the kernel can tell.
    variables = {**os.environ, **order["variables"], "FLEX_PARENT": str(os.getpid())}  # type: ignore[dict-item]
    # Tests of pytest run in the environment of the worker.
    own = str(pathlib.Path(sys.executable).parent)
    variables["PATH"] = os.pathsep.join(filter(None, [own, variables.get("PATH")]))
    process = subprocess.Popen(
        words,
        cwd=str(order["folder"]),
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    said = b""
    try:
        marked.write_text(str(process.pid))
        # In memory: the disk may be what is full.
        while some := process.stderr.read1():  # type: ignore[union-attr]
            said = (said + some)[-MOST_BYTES:]
        code = process.wait()
    finally:
        marked.unlink(missing_ok=True)
        end_group(process.pid)
    return code, said.decode(errors="replace")


def mark(session: str, attempt: str) -> pathlib.Path:
    """Where the process of an attempt is noted, on the machine that makes it."""
    return pathlib.Path(tempfile.gettempdir(), f"flex-{session}-{attempt}.pid")


def end(session: str, attempt: str) -> None:
    """End an attempt on this machine, if it is under way here."""
    try:
        end_group(int(mark(session, attempt).read_text()))
    except (OSError, ValueError):
        # It has ended in between, or is elsewhere.
        return


def end_group(group: int) -> None:
    """End what is left of a group of processes."""
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
