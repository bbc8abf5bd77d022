"""Another interpreter than that of the tests, with the same plugin: its extension has the stable ABI."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


def of_other_kind() -> str | None:
    """Return an interpreter that tells of calls in the other way: by `sys.monitoring`, or by a profile function."""
    is_new = sys.version_info >= (3, 12)
    wanted = range(10, 12) if is_new else range(12, 20)
    for program in _programs(wanted):
        question = "import sys; print(sys.implementation.name, sys.version_info[1])"
        done = subprocess.run([program, "-c", question], capture_output=True, encoding="utf-8", check=False)
        name, _, minor = done.stdout.strip().partition(" ")
        if done.returncode == 0 and name == "cpython" and int(minor) in wanted:
            return program
    return None


def _programs(minors: range) -> Iterator[str]:
    named = (shutil.which(f"python3.{minor}") for minor in minors)
    yield from (program for program in named if program is not None)
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    for minor in minors:
        yield from map(str, sorted(versions.glob(f"3.{minor}.*/bin/python")))


def environment() -> dict[str, str]:
    """Return variables with which another interpreter finds pytest and the plugin, which are pure but for one."""
    places = dict.fromkeys(str(Path(module.__file__).parent.parent) for module in _modules())
    return {**os.environ, "PYTHONPATH": os.pathsep.join(places), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def _modules() -> list:
    import iniconfig
    import packaging
    import pluggy
    import pytest_flex

    return [pytest, pluggy, iniconfig, packaging, pytest_flex]
