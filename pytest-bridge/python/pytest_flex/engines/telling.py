"""What the driver tells the command line, a line of JSON each, and the files that it puts where they belong."""

from __future__ import annotations

import json
import os
import pathlib
import sys
import threading
from collections.abc import Mapping

_lock = threading.Lock()


def tell(what: Mapping[str, object]) -> None:
    """Write one line. Clusters tell what happened from threads of their own."""
    with _lock:
        sys.stdout.write(json.dumps(dict(what)) + "\n")
        sys.stdout.flush()


def told(order: Mapping[str, object], made: Mapping[str, object]) -> None:
    """Keep the files of an attempt that has ended, and tell of it."""
    code, words = made["code"], made["words"]
    if isinstance(code, int) and code < 0:
        tell({"is": "died", "id": order["id"], "words": f"ended by signal {-code}"})
        return
    try:
        keep(made["files"], pathlib.Path(str(order["to"])))  # type: ignore[arg-type]
    except OSError as error:
        code, words = 70, f"cannot keep what a worker made: {error}"
    tell({"is": "ended", "id": order["id"], "code": code, "words": words})


def keep(files: Mapping[str, bytes], folder: pathlib.Path) -> None:
    """Write files into a folder, each of them whole or not at all."""
    for name, content in files.items():
        # A worker names files, not folders.
        target = folder / pathlib.PurePath(name).name
        hidden = folder / f".{target.name}.{os.getpid()}"
        hidden.write_bytes(content)
        hidden.replace(target)
