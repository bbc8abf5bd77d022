"""What pytest processes recorded of the assertions of a test file, read in a short form."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from conftest import Project

HERE = Path(__file__).parent


class Observation:
    """Runs pytest with the plugin `observing`."""

    def __init__(self, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
        self.project = project
        self.monkeypatch = monkeypatch
        places = [str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join(places))

    def run(self, *args: str, runs: int = 1, code: int = 0) -> dict[str, Any]:
        """Run all tests and return what was recorded, by test."""
        self.monkeypatch.setenv("OBSERVE_RUNS", str(runs))
        self.printed = self.project.pytest("-p", "observing", *args, code=code)
        found: dict[str, Any] = json.loads((self.project.path / "observed.json").read_text(encoding="utf-8"))
        self.monkeypatch.delenv("OBSERVE_RUNS")
        return found

    def of(self, body: str, *args: str, runs: int = 1, code: int = 0, head: str = "") -> list[dict[str, Any]]:
        """Return the sites of one test with this body."""
        lines = "\n".join(f"    {line}" for line in body.strip("\n").split("\n"))
        self.project.write("test_it.py", f"import random\nimport pytest\n{head}\n\ndef test_it():\n{lines}\n")
        sites: list[dict[str, Any]] = self.run("test_it.py", *args, runs=runs, code=code)["test_it"]["sites"]
        self.check_knobs(sites)
        return sites

    def check_knobs(self, sites: list[dict[str, Any]]) -> None:
        """See that every number is where it is said to be, and could be another one there."""
        for site in sites:
            file = self.project.path / site["file"]
            for series in site["series"]:
                if series["knob"] is not None:
                    compile(patched(file.read_bytes(), series["knob"], "12345"), str(file), "exec")


def patched(source: bytes, knob: dict[str, Any], number: str) -> bytes:
    """Return a source with another number."""
    lines = source.split(b"\n")
    if knob["given"] == "default":
        line, column = knob["line"] - 1, knob["column"]
        end, words = column, f", {knob['keyword']}={number}"
    else:
        span = knob["span"]
        line, column, end, words = span["line"] - 1, span["column"], span["end_column"], number
        assert span["end_line"] == span["line"]
        assert lines[line][column:end].decode() == knob["text"]
    lines[line] = lines[line][:column] + words.encode() + lines[line][end:]
    return b"\n".join(lines)


def short(sites: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Return each series as role, bound, how the bound is given, and the value of the last run."""
    return [
        (
            series["role"] + (" margin" if series["is_margin"] else ""),
            series["bound"],
            None if series["knob"] is None else series["knob"]["given"],
            series["values"][-1][1] if series["values"] else None,
        )
        for site in sites
        for series in site["series"]
    ]
