"""The options of the command line and of the ini file, checked."""

from __future__ import annotations

import math
import os
import re
from typing import NamedTuple

import pytest

OPTIONS: pytest.StashKey[Options] = pytest.StashKey()

MODES = ("enforce", "calibrate", "check", "record", "detect", "off")
SCOPES = ("module", "session")

_HELP = {
    "flex": "enforce learned bounds (the default), calibrate: learn them, check: compare fresh samples with them, "
    "detect: find flaky assertions in all tests, record: only write down what they compare, off: run every test once",
    "flex-runs": "runs to begin with (calibrate 100, detect 30)",
    "flex-max-runs": "runs at most (calibrate 3000, detect 500)",
    "flex-time-budget": "time for a whole calibration or search, such as 90s, 10m or 2h",
    "flex-seed": "the base seed, any text; TEXT@calibrate:57 replays one run",
    "flex-bounds": "the bounds file, instead of flex-bounds.toml beside the ini file",
    "flex-fresh": "build fixtures up to this scope anew for each run: module or session",
    "flex-record": "detect: the file for what was seen, instead of one in pytest's cache",
    "flex-step": "detect: runs to add at a time (10)",
    "flex-threshold": "detect: the largest |z| of Geweke's test that counts as converged (1.0)",
    "flex-geweke": "detect: what z is measured in: standard errors (standard), or plain variances as in the paper (paper)",
    "flex-catch": "detect: the rate of failures that is to be caught (0.02)",
    "flex-tail": "detect: also end a test when the fitted tails have its bounds broken more rarely than this; misses rare "
    "second modes",
    "flex-probability": "detect: also report assertions that fail with at least this probability",
}
_FLAGS = {
    "flex-accept": "write what a review should see first, and learn in spite of shared state",
    "flex-isolate": "make each run in a process of its own, for tests that poison global state",
    "flex-vary-seeds": "let seeds that the source states vary with the run, as detect always does",
    "flex-fast": "detect: end a test at its first two runs that disagree",
    "flex-tight": "detect: as many runs as a bound for a single run needs",
}


class Options(NamedTuple):
    """What the command line and the ini file say."""

    mode: str | None = None
    runs: int | None = None
    max_runs: int | None = None
    time_budget: float | None = None
    seed: str | None = None
    bounds: str | None = None
    fresh: str | None = None
    accept: bool = False
    isolate: bool = False
    order: str | None = None
    repeat: str | None = None
    record: str | None = None
    step: int | None = None
    threshold: float | None = None
    geweke: str | None = None
    catch: float | None = None
    tail: float | None = None
    probability: float | None = None
    vary_seeds: bool = False
    fast: bool = False
    tight: bool = False

    @property
    def learns(self) -> bool:
        """Whether runs are made to learn from, or to compare."""
        return self.mode in ("calibrate", "check", "repeat")

    @property
    def searches(self) -> bool:
        """Whether all tests are searched for flakiness, or runs of such a search are made again."""
        return self.mode in ("record", "detect") or self.repeat is not None or is_of_search(self.seed)


def add(parser: pytest.Parser) -> None:
    """Add the options and ini settings to pytest's own."""
    group = parser.getgroup("flex", "statistical assertions (pytest-flex)")
    for name, words in _HELP.items():
        metavar = "MODE" if name == "flex" else name.rsplit("-", 1)[1].upper()
        group.addoption(f"--{name}", metavar=metavar, default=None, help=words)
        parser.addini(name.replace("-", "_"), f"like --{name}", default=None)
    for name, words in _FLAGS.items():
        group.addoption(f"--{name}", action="store_true", default=None, help=words)
        parser.addini(name.replace("-", "_"), f"like --{name}", type="bool", default=False)
    # What a process is asked to do that repeats runs for another.
    group.addoption("--flex-order", default=None, help="for flex itself")
    group.addoption("--flex-repeat", default=None, help="for flex itself")


def is_of_search(seed: str | None) -> bool:
    """Whether a seed is that of one run of a search, which is to be replayed."""
    return "@detect:" in (seed or os.environ.get("FLEX_SEED", ""))


def will_search(early: pytest.Config) -> bool:
    """Whether the session will be a search, as far as that is known before anything is loaded."""
    given = early.known_args_namespace
    mode = given.flex or early.getini("flex")
    return mode in ("record", "detect") or bool(given.flex_repeat) or is_of_search(given.flex_seed)


def read(config: pytest.Config) -> Options:
    """Read and check the options; what cannot be understood is a usage error."""

    def text(name: str) -> str | None:
        stated = config.getoption(name.replace("-", "_"))
        return stated if stated is not None else config.getini(name.replace("-", "_")) or None

    def flag(name: str) -> bool:
        return bool(config.getoption(name.replace("-", "_")) or config.getini(name.replace("-", "_")))

    def one_of(name: str, words: tuple[str, ...]) -> str | None:
        value = text(name)
        if value is not None and value not in words:
            raise pytest.UsageError(f"--{name}={value} is not one of {', '.join(words)}")
        return value

    def count(name: str) -> int | None:
        value = text(name)
        if value is None:
            return None
        if not re.fullmatch(r"0*[1-9]\d{0,8}", value):
            raise pytest.UsageError(f"--{name}={value} is not a whole number of at least 1")
        return int(value)

    def number(name: str, below: float) -> float | None:
        value = text(name)
        if value is None:
            return None
        try:
            found = float(value)
        except ValueError:
            found = math.nan
        if not 0.0 < found < below:
            limit = "" if below == math.inf else f" and below {below:g}"
            raise pytest.UsageError(f"--{name}={value} is not a number above 0{limit}")
        return found

    order, repeat = config.getoption("flex_order"), config.getoption("flex_repeat")
    found = Options(
        mode="repeat" if order or repeat else one_of("flex", MODES),
        runs=count("flex-runs"),
        max_runs=count("flex-max-runs"),
        time_budget=_seconds(text("flex-time-budget")),
        seed=text("flex-seed"),
        bounds=text("flex-bounds"),
        fresh=one_of("flex-fresh", SCOPES),
        accept=flag("flex-accept"),
        isolate=flag("flex-isolate"),
        order=order,
        repeat=repeat,
        record=text("flex-record"),
        step=count("flex-step"),
        threshold=number("flex-threshold", math.inf),
        geweke=one_of("flex-geweke", ("standard", "paper")),
        catch=number("flex-catch", 1.0),
        tail=number("flex-tail", 1.0),
        probability=number("flex-probability", 1.0),
        vary_seeds=flag("flex-vary-seeds"),
        fast=flag("flex-fast"),
        tight=flag("flex-tight"),
    )
    if found.seed is not None:
        _check_seed(found.seed)
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
    if found.isolate and found.searches:
        raise pytest.UsageError(
            "--flex-isolate cannot be used with --flex=record or detect: assertions are recorded in this process"
        )
    return found


def _seconds(text: str | None) -> float | None:
    if text is None:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(s|m|h)?", text)
    if match is None or float(match[1]) <= 0:
        raise pytest.UsageError(f"--flex-time-budget={text} is not a time such as 90s, 10m or 2h")
    return float(match[1]) * {None: 1, "s": 1, "m": 60, "h": 3600}[match[2]]


def _check_seed(seed: str) -> None:
    from pytest_flex._native import parse_seed

    try:
        parse_seed(seed)
    except ValueError as error:
        raise pytest.UsageError(f"--flex-seed: {error}") from None
