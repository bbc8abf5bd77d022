"""The order of hashes: a search must know it, to repeat its runs in other processes.

Python draws the order of sets of texts anew for each process unless `PYTHONHASHSEED` says otherwise, and only when it
starts. So pytest is started again, before it has done anything, with a number that is known.
"""

from __future__ import annotations

import os
import sys

import pytest

HASHES = "PYTHONHASHSEED"


def hash_seed() -> str | None:
    """Return the number that decides the order of hashes, if it is known."""
    stated = os.environ.get(HASHES, "random")
    return None if stated == "random" or sys.flags.ignore_environment else stated


def other_hashes() -> dict[str, str]:
    """Return the environment of a process with another order of hashes."""
    known = hash_seed()
    # Otherwise every process draws its own.
    return {} if known is None else {HASHES: str((int(known) + 1) % 2**32)}


def with_known_hashes() -> None:
    """Go on if the order of hashes is known, else start again with one that is."""
    if hash_seed() is not None:
        return
    if not _is_pytest() or not hasattr(os, "fork"):
        raise pytest.UsageError(f"set {HASHES}, such as {HASHES}=0, so that the order of hashes can be repeated")
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**os.environ, HASHES: "0"})


def _is_pytest() -> bool:
    """Whether this process is pytest and nothing else, so that nothing is done twice."""
    if sys.flags.ignore_environment:
        return False
    main = sys.modules["__main__"]
    name = getattr(getattr(main, "__spec__", None), "name", None)
    return name == "pytest.__main__" or os.path.basename(sys.argv[0]) in ("pytest", "py.test")
