"""An order: runs that another process is to make, and where it writes down what they showed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path

import pytest

from pytest_flex.session import hanging, restart

TIME_UP = ["the time was up"]
"""What is said last of a process that was ended for that."""


def scratch() -> tempfile.TemporaryDirectory[str]:
    """Return a folder for an order.

    A process that is ended late may still write into it while it is removed: what it leaves stays, and is no error.
    """
    return tempfile.TemporaryDirectory(prefix="flex-", ignore_cleanup_errors=True)


@dataclass(frozen=True)
class Order:
    """What the process is asked to do."""

    folder: str
    base: str
    phase: str
    tests: dict[str, list[int]]
    """The runs of each test, in their order."""
    pace: dict[str, float] = field(default_factory=dict)
    """The seconds that runs of a test took so far."""

    @property
    def hang(self) -> Path:
        """The file for words about a run that hangs."""
        return Path(self.folder) / "hang"

    @classmethod
    def read(cls, file: str) -> Order:
        """Read an order from its file."""
        return cls(**json.loads(Path(file).read_text(encoding="utf-8")))

    def write(self) -> Path:
        """Write the order into a file in its folder."""
        file = Path(self.folder) / "order.json"
        file.write_text(json.dumps(asdict(self)), encoding="utf-8")
        return file

    def record_of(self, test: str) -> Path:
        """Return the file for what the runs of a test showed."""
        return Path(self.folder) / f"{list(self.tests).index(test)}.record"

    def send(
        self, config: pytest.Config, option: str, environment: dict[str, str] | None = None, limit: float | None = None
    ) -> list[str]:
        """Let another process carry the order out, for so many seconds at most, and return the last that it said."""
        manager = config.pluginmanager
        command = [*restart.command(), *config.invocation_params.args]
        # In one word, since pytest takes any other for a path of tests.
        command += [f"{option}={self.write()}", "-q"]
        if manager.hasplugin("cacheprovider"):
            command += [f"--override-ini=cache_dir={self.folder}/cache"]
        if manager.hasplugin("xdist"):
            command += ["-n0"]
        if manager.hasplugin("_cov"):
            command += ["--no-cov"]
        if config.getoption("xmlpath", None):
            command += [f"--junit-xml={self.folder}/junit.xml"]
        with subprocess.Popen(
            command,
            cwd=config.invocation_params.dir,
            env={**os.environ, **(environment or {}), hanging.PARENT: str(os.getpid())},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            # A group of its own, to be ended with all that it started.
            start_new_session=True,
        ) as process:
            try:
                said, _ = process.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                _end(process)
                return TIME_UP
            except BaseException:
                _end(process)
                raise
        return said.strip().split("\n")[-12:]


def _end(process: subprocess.Popen[str]) -> None:
    """End a process with all that it started."""
    with contextlib.suppress(OSError, AttributeError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
