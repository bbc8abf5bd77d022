"""An order: runs that another process is to make, and where it writes down what they showed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Order:
    """What the process is asked to do."""

    folder: str
    base: str
    phase: str
    tests: dict[str, list[int]]
    """The runs of each test, in their order."""

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

    def send(self, config: pytest.Config, option: str, environment: dict[str, str] | None = None) -> list[str]:
        """Let another process carry the order out, and return the last that it said."""
        command = [sys.executable, "-m", "pytest", *config.invocation_params.args]
        # In one word, since pytest takes any other for a path of tests.
        command += [f"{option}={self.write()}", f"--override-ini=cache_dir={self.folder}/cache", "-q"]
        manager = config.pluginmanager
        if manager.hasplugin("xdist"):
            command += ["-n0"]
        if manager.hasplugin("_cov"):
            command += ["--no-cov"]
        if config.option.xmlpath:
            command += [f"--junit-xml={self.folder}/junit.xml"]
        done = subprocess.run(
            command,
            cwd=config.invocation_params.dir,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        return done.stdout.strip().split("\n")[-12:]
