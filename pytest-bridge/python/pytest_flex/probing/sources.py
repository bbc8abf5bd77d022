"""What belongs to whom: files of sources and other files, by the folders that they are in."""

from __future__ import annotations

import logging
import os
import sys
import tempfile
from pathlib import Path

import _pytest
import pluggy
import pytest

from pytest_flex import _native

_FLEX = os.path.dirname(os.path.dirname(__file__)) + os.sep


def describe(config: pytest.Config) -> None:
    """Say where the project is, what is installed, and where temporary files are."""
    project = _both([str(config.rootpath), str(config.invocation_params.dir)])
    packages = [place for place in sys.path if place.endswith(("site-packages", "dist-packages"))]
    installed = _both(
        [*packages, *map(_folder, (os.__file__, os.path.dirname(pytest.__file__))), sys.prefix, sys.base_prefix]
    )
    zones = sys.modules.get("zoneinfo")
    time_zones = list(zones.TZPATH) if zones is not None else ["/usr/share/zoneinfo", "/usr/lib/zoneinfo"]
    temporary = _both([tempfile.gettempdir(), "/tmp", "/var/tmp"])
    base = config.option.basetemp if hasattr(config.option, "basetemp") else None
    # `/` and `/usr` hold much that changes.
    installed = [folder for folder in installed if len(Path(folder).parts) > 2]
    _native.set_folders(project, temporary, _both([str(base)] if base else []), [*installed, *_both(time_zones)])
    _native.set_classify(Sources(project, installed).classify)


def _both(folders: list[str]) -> list[str]:
    """Return folders as they are named, and as they are found on the disk."""
    named = list(dict.fromkeys(map(os.path.abspath, folders)))
    return list(dict.fromkeys([*named, *map(os.path.realpath, named)]))


class Sources:
    """Knows files of Python sources."""

    def __init__(self, project: list[str], installed: list[str]) -> None:
        self.project = [folder.rstrip(os.sep) + os.sep for folder in project]
        self.folders = [
            (_FLEX, "flex"),
            (_folder(_pytest.__file__) + "assertion" + os.sep + "rewrite.py", "import"),
            (_folder(_pytest.__file__), "pytest"),
            (_folder(pytest.__file__), "pytest"),
            (_folder(pluggy.__file__), "pluggy"),
        ]
        standard = _folder(os.__file__)
        self.standard = [
            *((place + os.sep, "package") for place in self._packages(standard)),
            (standard + "importlib" + os.sep + "_bootstrap", "import"),
            (_folder(logging.__file__), "logging"),
            (tempfile.__file__, "tempfile"),
            (standard + "asyncio" + os.sep, "asyncio"),
            (standard, "standard"),
        ]

    def classify(self, file: str) -> tuple[str, str | None]:
        """Return the kind of a source, and for one of the project its file relative to that."""
        if file.startswith("<frozen "):
            return ("import" if file.startswith("<frozen importlib._bootstrap") else "standard"), None
        for place, kind in (*self.folders, *self.standard):
            if file.startswith(place):
                return kind, None
        for folder in self.project:
            if file.startswith(folder) and "site-packages" not in file and "dist-packages" not in file:
                return "project", Path(file[len(folder) :]).as_posix()
        return "package", None

    def _packages(self, standard: str) -> list[str]:
        return [standard + name for name in ("site-packages", "dist-packages")]


def _folder(file: str | None) -> str:
    return os.path.dirname(os.path.abspath(file or "")) + os.sep
