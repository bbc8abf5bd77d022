"""What the sources of a project are, in a few letters: runs that are kept are of these, and of no others."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

ENDINGS = (".py", ".pyi", ".pyx", ".so", ".pyd", ".toml", ".yaml", ".yml", ".ini", ".cfg", ".j2", ".jinja", ".md")

LEFT_OUT = ("node_modules", "target")


def state(root: Path) -> str:
    """Return a hash of all source and settings files below a folder: their names, sizes, and when they were written."""
    found = hashlib.sha256(sys.version.encode())
    for file in sorted(_files(str(root))):
        try:
            about = os.stat(file)
        except OSError:
            continue
        found.update(f"{file}\0{about.st_size}\0{about.st_mtime_ns}\0".encode(errors="surrogateescape"))
    return found.hexdigest()[:32]


def _files(root: str) -> Iterator[str]:
    for folder, folders, files in os.walk(root):
        # Neither environments nor what programs leave behind.
        folders[:] = [name for name in folders if not name.startswith((".", "__")) and name not in LEFT_OUT]
        if "pyvenv.cfg" in files:
            folders.clear()
            continue
        yield from (os.path.join(folder, name) for name in files if name.endswith(ENDINGS))
