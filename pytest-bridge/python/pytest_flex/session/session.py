"""What everything in one pytest session shares: options, environment, bounds file, seed, and words to show."""

from __future__ import annotations

import abc
import functools
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from pytest_flex import _native, options
from pytest_flex.options import OPTIONS, Options
from pytest_flex.session import hanging

if TYPE_CHECKING:
    from pytest_flex.session.order import Order
    from pytest_flex.session.turns import TakesTurns, Turn, Turns

BOUNDS_FILE = "flex-bounds.toml"


class FlexSession(abc.ABC):
    """The tests of this process that flex runs."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.options: Options = config.stash[OPTIONS]
        self.rootpath = config.rootpath
        self.bounds_file = _bounds_file(config, self.options)
        self.folder = self.bounds_file.parent
        try:
            self.environment = _native.Environment(self.folder, self.options.timeout)
        except ValueError as error:
            raise pytest.UsageError(str(error)) from None
        self.mode = self.options.mode or self.environment.mode
        self.order = None if self.options.order is None else _order(self.options.order)
        if self.mode == "record" and self.options.mode is None:
            raise pytest.UsageError("FLEX_MODE=record is for `cargo flex`; use --flex=calibrate")
        self.pace: dict[str, float] = {}
        """The seconds that runs of tests took, by name."""
        self.told = hanging.told(config)
        if self.order is not None:
            self.told.append(str(self.order.hang))
        hanging.follow_parent(config)
        if self.mode in ("calibrate", "check", "record", "detect"):
            hanging.let_terminate(config)
        self.base, self.replayed = self._seed()
        if self.replayed is not None and self.mode in ("calibrate", "check"):
            raise pytest.UsageError("a calibration has a base seed, not a single run: leave out what begins with `@`")
        self.tests = 0
        self.turns: Turns | None = None
        """With a time budget over tests that learn or search."""
        self.without_time: list[str] = []
        """Tests of which no run was made."""
        self.began = time.monotonic()
        self._ends: float | None = None
        self.decided = 0
        """Tests that have a verdict."""
        self.records: dict[str, bytes] = {}
        """What calibrations recorded, by the name of the test."""
        self.unchanged: list[str] = []
        """Tests that do what they did at their last calibration."""
        self.same: set[str] = set()
        """Those of them that are calibrated nevertheless."""
        self.words: list[str] = []
        """Verdicts to show."""
        self.sharing: _native.Shard | None = None
        """The shard that this session makes."""
        self.merging: _native.Shards | None = None
        """The shards that it puts together."""
        self.again: dict[str, dict[str, list[int]]] = {"repeat": {}, "confirm": {}}
        """Runs of a shard that are to be made again in another process, by what for and by test."""
        self.is_short = False
        """Whether there was no time for all runs of a shard."""
        self.said_changed = False
        """Whether it was said that a test changed since its calibration, which is enough once."""
        if self.mode in ("calibrate", "check"):
            self._check_bounds_file()

    @abc.abstractmethod
    def take_over(self, items: list[pytest.Item]) -> None:
        """Let flex run tests."""

    @abc.abstractmethod
    def header(self) -> str | list[str]:
        """Say what flex will do."""

    @abc.abstractmethod
    def finish(self, session: pytest.Session) -> None:
        """Do what is left when all tests have been run."""

    @abc.abstractmethod
    def take_over_from(self, worker: tuple[Any, ...]) -> None:
        """Take what a worker of xdist recorded."""

    @abc.abstractmethod
    def summarise(self, terminal: Any) -> None:
        """Show what came of it."""

    def done(self) -> int:
        """Return the number of tests whose runs have been made."""
        return len(self.records) + len(self.unchanged) + self.decided

    def pace_of(self, name: str) -> float | None:
        """Return the seconds that runs of a test took in another process, if that is known."""
        return None if self.order is None else self.order.pace.get(name)

    @property
    def stated_base(self) -> str | None:
        """The base seed, if somebody stated it."""
        return self.base if (self.options.seed or self.environment.seed) is not None else None

    @functools.cached_property
    def sources(self) -> str:
        """What the sources of the project are."""
        from pytest_flex.runs import sources

        return sources.state(self.rootpath)

    @property
    def makes_all_runs(self) -> bool:
        """Whether a calibration runs also tests that do what they did."""
        return self.options.full or self.options.with_history is not None

    @functools.cached_property
    def history(self) -> _native.History | None:
        """What is known of earlier runs, if a calibration is to use it."""
        if self.options.with_history is None:
            return None
        try:
            history = _native.History(self.options.with_history)
        except ValueError as error:
            raise pytest.UsageError(f"--flex-with-history: {error}") from None
        self.words.extend(history.notes)
        return history

    def name_of(self, item: pytest.Item) -> str:
        """Return the node id relative to the bounds file, so that it is the same from every folder."""
        return _node_id(item, self.folder)

    def relative(self, file: str) -> str:
        """Return a file as records have it."""
        return _relative(file, str(self.folder))

    def selection_of(self, item: pytest.Item) -> str:
        """Return the arguments of pytest that run exactly this test, from the folder where pytest was started."""
        start = self.config.invocation_params.dir
        words = [_native.quoted(_node_id(item, start))]
        if self.config.option.inifilename:
            words.append(f"-c {_native.quoted(self.config.option.inifilename)}")
        for field, name, option in options.table():
            value = options.given(self.config, field) if option.repeats else None
            if value is not None:
                words.append(f"--{name}" if option.read is None else f"--{name}={_native.quoted(value)}")
        return " ".join(words)

    def kept_folder(self) -> Path | None:
        """Return the folder for what runs showed; `None` if nothing is to be kept, or there is no cache."""
        cache = getattr(self.config, "cache", None)
        if cache is None or not self.environment.keep:
            return None
        try:
            return Path(cache.mkdir("flex"))
        except OSError:
            return None

    def share_time(self, drivers: dict[pytest.Item, TakesTurns]) -> None:
        """Let tests take turns, if there is a time budget."""
        if self.options.time_budget is not None:
            from pytest_flex.session.turns import Turns

            self.turns = Turns(self, self.options.time_budget)
            self.turns.begin(drivers)
            self.config.pluginmanager.register(self.turns, "flex-turns")

    @property
    def turn(self) -> Turn | None:
        """The conditions under which a test makes runs now; `None` if it makes all."""
        return None if self.turns is None else self.turns.current

    def seconds_left(self) -> float | None:
        """Return the seconds that are left of the time budget, if tests share one."""
        return None if self.turns is None else max(0.0, self.turns.left())

    def seconds_to_start(self) -> float:
        """Return the seconds that another process takes until it makes runs, where tests share the time."""
        return 0.0 if self.turns is None else self.turns.starting

    def skip_for_time(self, name: str) -> NoReturn:
        """Skip a test of which no run was made."""
        self.without_time.append(name)
        pytest.skip("no time was left for it")

    def missed(self) -> list[str]:
        """Say which tests had no time."""
        if not self.without_time:
            return []
        several = len(self.without_time) > 1
        words = f"{len(self.without_time)} tests" if several else "1 test"
        return [f"note: no time was left for {words}, such as {min(self.without_time)}: give --flex-time-budget more"]

    def deadline_of_next(self) -> float | None:
        """Return when the next claim must be decided: what is left of the time is shared evenly by those that come."""
        if self.options.time_budget is None:
            return None
        now = time.monotonic()
        if self._ends is None:
            self._ends = now + self.options.time_budget
        left = max(1, self.tests - self.done())
        return now + max(0.0, self._ends - now) / left

    def _seed(self) -> tuple[str, tuple[str, int] | None]:
        stated = self.options.seed or self.environment.seed
        if self.order is not None:
            return self.order.base, None
        if stated is not None:
            return _native.parse_seed(stated)
        # All processes of one session have the same.
        given = getattr(self.config, "workerinput", {}).get("flex_base")
        return given or _native.fresh_base(), None

    def _check_bounds_file(self) -> None:
        if not hasattr(self.config, "workerinput"):
            try:
                _native.check_writable(self.bounds_file)
            except OSError as error:
                raise pytest.UsageError(str(error)) from None
            # One that is not there is to be said before minutes of runs.
            _ = self.history


def _order(file: str) -> Order:
    # Most sessions have none.
    from pytest_flex.session.order import Order

    return Order.read(file)


def _bounds_file(config: pytest.Config, found: Options) -> Path:
    """Return where the bounds are: beside the ini file, or in the nearest folder above that has some, or else here."""
    beside = config.inipath.parent if config.inipath else config.rootpath
    given = options.given(config, "bounds")
    if given is not None:
        return config.invocation_params.dir / given
    stated = found.bounds or os.environ.get("FLEX_BOUNDS")
    if stated:
        return beside / stated
    if config.inipath:
        return beside / BOUNDS_FILE
    for folder in [config.rootpath, *config.rootpath.parents]:
        if (folder / BOUNDS_FILE).exists():
            return folder / BOUNDS_FILE
    here = config.invocation_params.dir
    return (here if config.rootpath.is_relative_to(here) else config.rootpath) / BOUNDS_FILE


def _node_id(item: pytest.Item, folder: Path) -> str:
    _, separator, inside = item.nodeid.partition("::")
    return f"{_relative(str(item.path), str(folder))}{separator}{inside}"


@functools.cache
def _relative(file: str, folder: str) -> str:
    return Path(os.path.relpath(file, folder)).as_posix()
