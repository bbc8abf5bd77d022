"""A real project in a temporary folder, and real pytest processes in it. All seeds are fixed.

Processes are forked from one that has imported pytest, see `warm`. Where a test is about what Python does when it
starts, or about what is imported when, it asks for a fresh one.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from warm import Warm


class Project:
    """A folder with an ini file, in which pytest is run as a user runs it."""

    def __init__(self, pytester: pytest.Pytester, warm: Warm) -> None:
        self.pytester = pytester
        self.warm = warm
        self.path: Path = pytester.path
        self.write("pyproject.toml", '[tool.pytest.ini_options]\nasyncio_default_fixture_loop_scope = "function"\n')

    def write(self, name: str, text: str) -> Path:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def replace(self, name: str, old: str, new: str) -> None:
        text = (self.path / name).read_text(encoding="utf-8")
        assert old in text
        self.write(name, text.replace(old, new))

    def run(self, *args: str, fresh: bool = False) -> pytest.RunResult:
        """Run pytest, in a process that is started for it if need be."""
        if fresh:
            return self.pytester.runpytest_subprocess(*args)
        return self.pytester.run(self.warm.python, "-m", "pytest", *args)

    def pytest(self, *args: str, code: int = 0, fresh: bool = False) -> str:
        """Run pytest, expect an exit code, and return everything that it printed."""
        result = self.run(*args, fresh=fresh)
        printed = "\n".join(result.outlines + result.errlines)
        assert result.ret == code, printed
        return printed

    def calibrate(self, *args: str, code: int = 0, fresh: bool = False) -> str:
        return self.pytest("--flex=calibrate", "--flex-seed=calibration", *args, code=code, fresh=fresh)

    @property
    def bounds(self) -> str:
        return (self.path / "flex-bounds.toml").read_text(encoding="utf-8")

    def sites(self) -> list[str]:
        """Return the sites of the bounds file, with their cases."""
        found = []
        for entry in self.bounds.split("[[bound]]")[1:]:
            fields = dict(re.findall(r"^(site|case) = (.*)$", entry, re.M))
            case = f" [{fields['case'][1:-1]}]" if "case" in fields else ""
            found.append(fields["site"][1:-1].replace('\\"', '"') + case)
        return found


@pytest.fixture(scope="session")
def warm() -> Iterator[Warm]:
    # The path of a socket must be short, which those of pytest need not be.
    with tempfile.TemporaryDirectory(prefix="flex-") as folder:
        warm = Warm(Path(folder))
        yield warm
        warm.close()


@pytest.fixture
def project(pytester: pytest.Pytester, warm: Warm, monkeypatch: pytest.MonkeyPatch) -> Project:
    # Threads of NumPy and scikit-learn would wait for each other, busily.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, "1")
    # Sources change more often here than the clock of their caches ticks.
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    for name in list(os.environ):
        if name.startswith(("FLEX_", "PYTEST_")) and name != "FLEX_LONG":
            monkeypatch.delenv(name)
    return Project(pytester, warm)


@pytest.fixture
def observation(project: Project, monkeypatch: pytest.MonkeyPatch) -> Any:
    from observation import Observation

    return Observation(project, monkeypatch)
