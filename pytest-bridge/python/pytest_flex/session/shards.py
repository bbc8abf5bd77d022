"""What the options say of shards: which one this session makes, or where those are that it puts together."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_flex import _native

if TYPE_CHECKING:
    from pytest_flex.session.session import FlexSession


MADE_BY = {
    "calibrate": ("calibrate", "calibrate"),
    "check": ("calibrate", "check"),
    "record": ("detect", "detect"),
    "detect": ("detect", "detect"),
}
"""The modes whose runs can be made in shards: the command that makes these, and the phase of their seeds."""


def asked(session: FlexSession) -> _native.Shard | None:
    """Return the shard that this session is to make, if it is to make one."""
    found = session.options
    if found.shard is None:
        return None
    _check("--flex-shard", session)
    if found.out is None:
        raise pytest.UsageError("--flex-shard needs --flex-out=DIR, the folder for what it shows")
    given = getattr(session.config, "workerinput", {}).get("flex_base")
    stated = found.seed or session.environment.seed
    try:
        base = given or (None if stated is None else _native.parse_seed(stated)[0])
        return _native.Shard(
            found.shard,
            _here(session, found.out),
            base=base,
            phase=MADE_BY[session.mode][1],
            runs=found.runs or session.environment.runs,
            max_runs=found.max_runs,
            plan=None if found.plan is None else _here(session, found.plan),
            blas=_blas(),
            again=_again(session),
        )
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None


@contextlib.contextmanager
def writing() -> Iterator[None]:
    """End the session with a word if a shard cannot be written, which whoever started this process reads last."""
    try:
        yield
    except OSError as error:
        pytest.exit(f"error: {error}", returncode=pytest.ExitCode.INTERNAL_ERROR)


def made(session: FlexSession) -> _native.Shards | None:
    """Return the shards that this session is to put together, if it is to do that."""
    found = session.options
    if found.from_ is None:
        return None
    _check("--flex-from", session)
    folders = [_here(session, folder) for folder in found.from_.split(os.pathsep) if folder]
    try:
        shards = _native.Shards(folders)
    except ValueError as error:
        raise pytest.UsageError(f"--flex-from: {error}") from None
    command, phase = MADE_BY[session.mode]
    if shards.command != command:
        raise pytest.UsageError(f"--flex-from: the shards were made by {shards.command}, and this is {command}")
    if shards.phase != phase:
        raise pytest.UsageError(f"--flex-from: the shards were made for --flex={shards.phase}")
    stated = found.seed or session.environment.seed
    if stated is not None and _native.parse_seed(stated)[0] != shards.base:
        raise pytest.UsageError(f"the shards have the base seed `{shards.base}`, and `{stated}` is stated")
    return shards


def plan_file(session: FlexSession) -> Path:
    """Return where the plan of a further round goes."""
    found = session.options
    assert found.from_ is not None
    return _here(session, found.plan or f"{found.from_.split(os.pathsep)[0]}/plan.json")


def _check(option: str, session: FlexSession) -> None:
    """Refuse what has no shards."""
    if session.mode not in MADE_BY:
        modes = ", ".join(MADE_BY)
        raise pytest.UsageError(f"{option} is for --flex={modes}, not for --flex={session.mode}")
    if session.mode in ("record", "detect") and session.options.time_budget is not None:
        raise pytest.UsageError(f"{option}: shards of a search make all of its runs; leave out --flex-time-budget")


def hint(session: FlexSession) -> str:
    """Say how the runs of a further round are made."""
    options = "--flex-shard=K/N --flex-out=DIR --flex-plan=FILE"
    return f"hint: pytest --flex={session.mode} {options}, and --flex-from again"


def _here(session: FlexSession, path: str) -> Path:
    return session.config.invocation_params.dir / path


def _again(session: FlexSession) -> str:
    """Return the command that makes a shard, with places for its number and the seed."""
    words = ["pytest"]
    has_seed = False
    arguments = iter(session.config.invocation_params.args)
    for argument in arguments:
        word = str(argument)
        if word.startswith("--flex-shard"):
            words.append("--flex-shard={shard}")
            if "=" not in word:
                next(arguments, None)
        else:
            has_seed |= word.startswith("--flex-seed")
            words.append(_native.quoted(word).replace("{", "").replace("}", ""))
    if not has_seed:
        words.append("--flex-seed={seed}")
    return " ".join(words)


def _blas() -> str | None:
    """Return the library of linear algebra that NumPy has, if the tests have loaded it."""
    numpy = sys.modules.get("numpy")
    try:
        found = numpy.show_config(mode="dicts")["Build Dependencies"]["blas"]  # type: ignore[union-attr]
        return f"{found['name']} {found['version']}"
    except (AttributeError, KeyError, TypeError):
        return None
