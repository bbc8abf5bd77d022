"""A real project in a temporary folder, and real pytest processes in it. All seeds are fixed."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest


class Project:
    """A folder with an ini file, in which pytest is run as a user runs it."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
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

    def pytest(self, *args: str, code: int = 0) -> str:
        """Run pytest, expect an exit code, and return everything that it printed."""
        result = self.pytester.runpytest_subprocess(*args)
        printed = "\n".join(result.outlines + result.errlines)
        assert result.ret == code, printed
        return printed

    def calibrate(self, *args: str, code: int = 0) -> str:
        return self.pytest("--flex=calibrate", "--flex-seed=calibration", *args, code=code)

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


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    for name in list(os.environ):
        if name.startswith(("FLEX_", "PYTEST_")) and name != "FLEX_LONG":
            monkeypatch.delenv(name)
    return Project(pytester)


@pytest.fixture
def observation(project: Project, monkeypatch: pytest.MonkeyPatch) -> Any:
    from observation import Observation

    return Observation(project, monkeypatch)
