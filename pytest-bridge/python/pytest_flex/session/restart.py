"""The order of hashes: a search must know it, to repeat its runs in other processes.

Python draws the order of sets of texts anew for each process unless `PYTHONHASHSEED` says otherwise, and only when it
starts. So pytest is started again, before it has done anything, with a number that is known.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pytest_flex import options

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


def command() -> list[str]:
    """Return the command that starts pytest as this process was started: `sys.path` depends on it."""
    before = _before_arguments()
    if before is not None:
        return [sys.executable, *before]
    # Another program called pytest. Whatever it is, its modules are found in the same places.
    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    return [sys.executable, *flags, "-c", _START.format(path=options.PATH)]


_START = "import sys; sys.path[:] = {path!r}; import pytest; raise SystemExit(pytest.console_main())"


def _before_arguments() -> list[str] | None:
    """Return what stood between python and the arguments of pytest, if this process is pytest."""
    words = sys.orig_argv[1:]
    name = getattr(getattr(sys.modules["__main__"], "__spec__", None), "name", None)
    if name == "pytest.__main__":
        for index, word in enumerate(words):
            if word.startswith("-") and word.endswith("m") and words[index + 1 : index + 2] == ["pytest"]:
                return words[: index + 2]
            if word.startswith("-") and word.endswith("mpytest"):
                return words[: index + 1]
    elif _is_pytest():
        for index, word in enumerate(words):
            if word == sys.argv[0]:
                return words[: index + 1]
    return None


def _is_pytest() -> bool:
    """Whether this process is pytest and nothing else, so that nothing is done twice."""
    if sys.flags.ignore_environment:
        return False
    main = sys.modules["__main__"]
    name = getattr(getattr(main, "__spec__", None), "name", None)
    return name == "pytest.__main__" or os.path.basename(sys.argv[0]) in ("pytest", "py.test")
