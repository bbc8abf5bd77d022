"""The options of the command line and of the ini file, checked: each is one field of `Options`, and stands once.

pytest loads this in every project: nothing else of flex may be imported here.
"""

from __future__ import annotations

import functools
import math
import os
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

import pytest

PATH = sys.path.copy()
"""The path of modules before anything of the project is loaded."""

OPTIONS: pytest.StashKey[Options] = pytest.StashKey()

began = 0.0
"""When pytest began, by the monotonic clock: a time budget includes what it takes to collect tests."""


def _text(name: str, value: str) -> str:
    return value


def _one_of(*words: str) -> Callable[[str, str], str]:
    def read(name: str, value: str) -> str:
        if value not in words:
            raise pytest.UsageError(f"--{name}={value} is not one of {', '.join(words)}")
        return value

    return read


def _count(name: str, value: str) -> int:
    if not re.fullmatch(r"0*[1-9]\d{0,8}", value):
        raise pytest.UsageError(f"--{name}={value} is not a whole number of at least 1")
    return int(value)


def _number(name: str, value: str, below: float = math.inf) -> float:
    try:
        found = float(value)
    except ValueError:
        found = math.nan
    if not 0.0 < found < below:
        limit = "" if below == math.inf else f" and below {below:g}"
        raise pytest.UsageError(f"--{name}={value} is not a number above 0{limit}")
    return found


_rate = functools.partial(_number, below=1.0)


def _seconds(name: str, value: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(s|m|h)?", value)
    if match is None or float(match[1]) <= 0:
        raise pytest.UsageError(f"--{name}={value} is not a time such as 90s, 10m or 2h")
    return float(match[1]) * {None: 1, "s": 1, "m": 60, "h": 3600}[match[2]]


def _seed(name: str, value: str) -> str:
    from pytest_flex._native import parse_seed

    try:
        parse_seed(value)
    except ValueError as error:
        raise pytest.UsageError(f"--{name}: {error}") from None
    return value


@dataclass(frozen=True)
class Option:
    """An option of the command line, and an ini setting of the same name."""

    help: str
    read: Callable[[str, str], Any] | None = None
    """Reads a text, given the option's name; `None` for a flag."""
    repeats: bool = False
    """Whether a command that repeats a run must have it, too."""
    searches: bool = False
    """Whether it is a number of the search, by the name that the engine has for it."""
    is_internal: bool = False
    """Whether it is for processes that flex starts, and no ini setting."""


def _option(help: str, read: Callable[[str, str], Any], **more: bool) -> Any:
    return field(default=None, metadata={"option": Option(help, read, **more)})


def _flag(help: str, **more: bool) -> Any:
    return field(default=False, metadata={"option": Option(help, None, **more)})


@dataclass(frozen=True)
class Options:
    """What the command line and the ini file say: `max_runs` is `--flex-max-runs`, and `mode` is `--flex`."""

    mode: str | None = _option(
        "enforce learned bounds (the default), calibrate: learn them, check: compare fresh samples with them, "
        "detect: find flaky assertions in all tests, record: only write down what they compare, trace: write down what "
        "every test touches that can vary, off: run every test once",
        _one_of("enforce", "calibrate", "check", "record", "detect", "trace", "off"),
    )
    runs: int | None = _option("runs to begin with (calibrate 100, detect 30)", _count, searches=True)
    max_runs: int | None = _option("runs at most (calibrate 3000, detect 500)", _count, searches=True)
    time_budget: float | None = _option("time for a calibration, a search or claims: 90s, 10m, 2h", _seconds)
    timeout: float | None = _option(
        "time after which a run hangs, such as 90s or 5m, instead of what the test says", _seconds
    )
    seed: str | None = _option("the base seed, any text; TEXT@calibrate:57 replays one run", _seed)
    bounds: str | None = _option(
        "the bounds file, instead of flex-bounds.toml beside the ini file", _text, repeats=True
    )
    fresh: str | None = _option(
        "build fixtures up to this scope anew for each run: module or session",
        _one_of("module", "session"),
        repeats=True,
    )
    record: str | None = _option("detect, trace: the file for what was seen, instead of one in pytest's cache", _text)
    report: str | None = _option("write a page with what was learned and seen to this file, at the end", _text)
    shard: str | None = _option(
        "calibrate, detect: make a part of the runs and write down what they show, nothing else: 3/16 is the third of "
        "sixteen parts, auto asks the CI server or the cluster; with --flex-out and --flex-seed",
        _text,
    )
    out: str | None = _option("the folder for what a shard shows", _text)
    from_: str | None = _option(
        "calibrate, detect: put together what shards left in this folder, or in several, between them the separator of "
        "PATH",
        _text,
    )
    plan: str | None = _option(
        "the plan of a further round of shards: with --flex-from it is written if more runs are needed (plan.json in "
        "the first folder), with --flex-shard only what it names is made",
        _text,
    )
    step: int | None = _option("detect: runs to add at a time (10)", _count, searches=True)
    threshold: float | None = _option(
        "detect: the largest |z| of Geweke's test that counts as converged (1.0)", _number, searches=True
    )
    geweke: str | None = _option(
        "detect: what z is measured in: standard errors (standard), or plain variances as in the paper (paper)",
        _one_of("standard", "paper"),
        searches=True,
    )
    catch: float | None = _option("detect: the rate of failures that is to be caught (0.02)", _rate, searches=True)
    tail: float | None = _option(
        "detect: also end a test when the fitted tails have its bounds broken more rarely than this; misses rare "
        "second modes",
        _rate,
        searches=True,
    )
    probability: float | None = _option(
        "detect: also report assertions that fail with at least this probability", _rate
    )
    full: bool = _flag(
        "make all runs: calibrate, also of tests that do what they did at their last calibration; detect, also of "
        "tests in which nothing can vary"
    )
    with_history: str | None = _option(
        "calibrate: let ceilings rest on values of earlier test runs too, those in this history, as far as nothing "
        "moved; makes all runs, like --flex-full",
        _text,
    )
    accept: bool = _flag("write what a review should see first, and learn in spite of shared state")
    isolate: bool = _flag("make each run in a process of its own, for tests that poison global state", repeats=True)
    vary_seeds: bool = _flag("let seeds that the source states vary with the run, as detect always does", repeats=True)
    keep_seeds: bool = _flag("detect: leave seeds that the source states as they are", repeats=True)
    fast: bool = _flag("detect: end a test at its first two runs that disagree", searches=True)
    tight: bool = _flag("detect: as many runs as a bound for a single run needs", searches=True)
    smallest_first: bool = _flag("detect: tests that take the least time first, by the last trace or search")
    calls: bool = _flag("trace: also every function that a test executes, of Python and in C, on all threads")
    order: str | None = _option("for flex itself", _text, is_internal=True)
    repeat: str | None = _option("for flex itself", _text, is_internal=True)
    trials: str | None = _option("for flex itself", _text, is_internal=True)
    pairs: str | None = _option("for flex itself", _text, is_internal=True)
    unchanged: str | None = _option("for flex itself", _text, is_internal=True)

    @property
    def learns(self) -> bool:
        """Whether runs are made to learn from, or to compare."""
        return self.mode in ("calibrate", "check", "repeat")

    @property
    def searches(self) -> bool:
        """Whether all tests are searched for flakiness, or runs of such a search are made again."""
        ordered = self.repeat is not None or self.pairs is not None
        return self.mode in ("record", "detect") or ordered or is_of_search(self.seed)

    @property
    def traces(self) -> bool:
        """Whether all tests are run once to see what they touch."""
        return self.mode == "trace" and self.repeat is None

    def of_search(self) -> dict[str, Any]:
        """Return the numbers of a search, by the names that the engine has for them."""
        return {name: getattr(self, name) for name, _, option in table() if option.searches}


def table() -> list[tuple[str, str, Option]]:
    """Return all options, each with its field and its name on the command line."""
    return [
        (each.name, "flex" if each.name == "mode" else f"flex-{_word(each.name)}", each.metadata["option"])
        for each in fields(Options)
    ]


def _word(field: str) -> str:
    """Return a field as the command line has it; what Python needs for itself has a line behind it."""
    return field.rstrip("_").replace("_", "-")


def add(parser: pytest.Parser) -> None:
    """Add the options and ini settings to pytest's own."""
    global began
    began = time.monotonic()
    group = parser.getgroup("flex", "statistical assertions (pytest-flex)")
    for _, name, option in table():
        ini = name.replace("-", "_")
        if option.is_internal:
            group.addoption(f"--{name}", default=None, help=option.help)
        elif option.read is None:
            group.addoption(f"--{name}", action="store_true", default=None, help=option.help)
            parser.addini(ini, f"like --{name}", type="bool", default=False)
        else:
            metavar = "MODE" if name == "flex" else name.rsplit("-", 1)[1].upper()
            group.addoption(f"--{name}", metavar=metavar, default=None, help=option.help)
            parser.addini(ini, f"like --{name}", default=None)


def given(config: pytest.Config, field: str) -> Any:
    """Return what the command line says for a field; `None` if it says nothing."""
    return config.getoption("flex" if field == "mode" else f"flex_{field.rstrip('_')}")


def is_of_search(seed: str | None) -> bool:
    """Whether a seed is that of one run of a search, which is to be replayed."""
    return "@detect:" in (seed or os.environ.get("FLEX_SEED", ""))


def will_search(early: pytest.Config) -> bool:
    """Whether the session will be a search, as far as that is known before anything is loaded."""
    given = early.known_args_namespace
    mode = given.flex or early.getini("flex")
    ordered = bool(given.flex_repeat or given.flex_pairs)
    return mode in ("record", "detect") or ordered or is_of_search(given.flex_seed)


def read(config: pytest.Config) -> Options:
    """Read and check the options; what cannot be understood is a usage error."""
    stated = {field: _read(config, name, option) for field, name, option in table()}
    if stated["order"] or stated["repeat"] or stated["pairs"] or stated["unchanged"]:
        stated["mode"] = "repeat"
    found = Options(**stated)
    if found.runs and found.max_runs and found.runs > found.max_runs:
        raise pytest.UsageError(
            f"--flex-runs={found.runs} to begin with are more than --flex-max-runs={found.max_runs} at most"
        )
    if found.isolate and not hasattr(os, "fork"):
        raise pytest.UsageError("--flex-isolate needs an operating system that can fork a process")
    if (found.learns or found.mode in ("record", "detect")) and config.option.usepdb:
        phase = "calibrate" if found.learns else "detect"
        raise pytest.UsageError(
            f"--pdb cannot be used with --flex={found.mode}: a run that fails is an answer there; replay it with "
            f"pytest NODE_ID --flex-seed=SEED@{phase}:RUN --pdb"
        )
    if found.calls and not found.traces:
        raise pytest.UsageError("--flex-calls is for --flex=trace: nothing else looks at calls")
    if found.smallest_first and not found.searches:
        raise pytest.UsageError("--flex-smallest-first is for --flex=record or detect: others keep the order of tests")
    if found.isolate and found.searches:
        raise pytest.UsageError(
            "--flex-isolate cannot be used with --flex=record or detect: assertions are recorded in this process"
        )
    return found


def _read(config: pytest.Config, name: str, option: Option) -> Any:
    key = name.replace("-", "_")
    value = config.getoption(key)
    if option.read is None:
        return bool(value or config.getini(key))
    if value is None and not option.is_internal:
        value = config.getini(key) or None
    return None if value is None else option.read(name, value)
