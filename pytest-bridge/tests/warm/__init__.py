"""Sessions of pytest in processes that are forked from one that has imported pytest and NumPy already.

Importing takes several times as long as most of the sessions that our tests ask for. `Warm` starts the servers and
makes a folder with programs `python` and `pytest`, which hand sessions to them and everything else to the real
interpreter. What is forked has modules in common with its server and nothing else: arguments, environment, folder,
standard streams, exit code and signals are those of a process of its own. Python decides the order of hashes when it
starts, so there is a server for each of the orders that our tests ask for.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent

HASHES = ("random", "0", "1")
"""The values of `PYTHONHASHSEED` that have a server; with any other a process is started."""


class Warm:
    """The servers of a session of our tests, and the program that asks them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python = folder / "python"
        client = (HERE / "client.py").read_text(encoding="utf-8")
        for program in (self.python, folder / "pytest"):
            program.write_text(f"#!{sys.executable} -IS\n{client}", encoding="utf-8")
            program.chmod(0o755)
        self.servers = [self._server(hashes) for hashes in HASHES]

    def _server(self, hashes: str) -> subprocess.Popen[bytes]:
        env = {name: value for name, value in os.environ.items() if not name.startswith(("FLEX_", "PYTEST_", "PYTHON"))}
        command = [sys.executable, str(HERE / "server.py"), str(self.folder / hashes), str(self.python)]
        # A client that comes too early waits as long as this is there.
        (self.folder / f"{hashes}.starting").touch()
        # A server ends when its standard input does.
        return subprocess.Popen(command, stdin=subprocess.PIPE, env={**env, "PYTHONHASHSEED": hashes})

    def close(self) -> None:
        """End the servers."""
        for server in self.servers:
            assert server.stdin is not None
            server.stdin.close()
            server.wait()
