"""The engine of flex: Rust, without statistics or file formats in Python."""

from collections.abc import Callable, Sequence
from os import PathLike
from types import CodeType
from typing import Any, Literal

import pytest

Place = tuple[str, int]
"""A file and a line."""
Span = tuple[int, int, int, int]
"""First line and column, last line and the column after it."""

__version__: str

class LearnedBound:
    """The bound of one metric: what was learned for each side."""

    samples: int
    median: float
    strategy: str
    reason: str | None
    lower: Side | None
    upper: Side | None

class Side:
    """Both tiers of one side."""

    guard: float | None
    ceiling: float | None
    shift: float | None
    power: list[float] | None

def bound(
    samples: list[float],
    *,
    confidence: float = 0.9999,
    tail: Literal["upper", "lower", "both"] = "upper",
    domain: tuple[float, float] | None = None,
    light: bool = False,
) -> LearnedBound:
    """Learn how far values can stray, from the values that unchanged code gives, one a run."""

class Learner:
    """Collects runs until a bound is learned for every site."""

    def __init__(
        self,
        sites: dict[str, str],
        *,
        confidence: float = 0.9999,
        min_runs: int = 100,
        max_runs: int = 3000,
        tight: bool = False,
    ) -> None: ...
    def push(self, index: int, values: dict[str, float]) -> None:
        """Take what run `index` showed: a value for every site that it reached."""

    def wanted(self) -> list[int]:
        """Return the runs that are wanted next; none if there are enough."""

    def bounds(self) -> dict[str, LearnedBound]:
        """Return what was learned, by site; makes do with what there is."""

class Test:
    """A test by its node id, with the options of its marker."""

    name: str
    light: bool
    runs_in_parallel: int
    """The runs that are under way at once, on threads."""
    keeps_runs: bool
    """Whether runs are kept until the verdict is there."""
    time_limit: float | None
    """The seconds after which no further run decides a claim."""
    def __init__(
        self,
        environment: Environment,
        name: str,
        selection: str,
        place: Place,
        fingerprint: str,
        options: dict[str, Any] | None = None,
    ) -> None: ...

class Limits:
    """The limits of the runs of one test: one that hangs is told of in these files, and the process is aborted.

    Without any files, the limits are kept by whoever asks for them. The verdict may follow as JSON.
    """

    limit: float | None
    """The seconds that the next run may take."""
    def __init__(self, test: Test, told: list[str], pace: float | None = None, as_json: bool = False) -> None: ...
    def begin(self, base: str, phase: str, run: int) -> None:
        """Take note that a run begins on this thread."""

    def end(self) -> None:
        """Take note that the run has ended."""

def hung(test: Test, base: str, phase: str, run: int, seconds: float, as_json: bool = False) -> str:
    """Return what to say of a run that hung for so long in a process of its own; the verdict may follow as JSON."""

def follow_parent(parent: int) -> None:
    """End this process, and what it started, when the one that started it is gone."""

def test_options() -> list[tuple[str, str]]:
    """Return the options of the marker, each with a value as it is written."""

class Seeds:
    """The seeds of one test in one phase."""

    def __init__(self, base: str, phase: str, test: str) -> None: ...
    def run(self, i: int) -> bytes:
        """Return the 32 bytes that decide every random choice of run `i`."""

class Kept:
    """The runs of one test that are kept on disk until the verdict is there."""

    base: str
    """The base seed of the runs."""
    words: str | None
    """What to say of them."""
    @staticmethod
    def open(folder: PathLike[str], test: Test, sources: str, stated: str | None, fresh: str) -> Kept | None:
        """Open the file of a test: its runs are used if they are of these sources, and of the stated base seed.

        Return `None` if nothing can be kept there.
        """

    def take(self, run: int, recorder: Recorder) -> bool:
        """Take what a run showed, in the place of one that is made, and return whether it was there."""

    def keep(self, run: int, recorder: Recorder) -> None:
        """Keep what the last run showed."""

    def forget(self) -> None:
        """Remove the file: the verdict is there."""

class History:
    """What was collected of earlier runs."""

    def __init__(self, path: str) -> None:
        """Read a file or a folder; a `ValueError` says why that is not possible."""

    @property
    def notes(self) -> list[str]:
        """What was left out, and why."""

class Recorder:
    """What the runs of one test show, one run at a time."""

    mistakes: list[str]
    inconclusive: str | None
    """Why the run tells nothing of the code, if it said so."""
    def __init__(self, light: bool) -> None: ...
    def start(self) -> None:
        """Begin a run."""

    def site(
        self,
        id: str,
        case: str | None,
        tail: str,
        domain: tuple[float, float] | None,
        confidence: float | None,
        place: Place,
        ends: tuple[float, float] | None = None,
    ) -> int:
        """Return the index of a learned site, which is taken up if it is new.

        `ends` are the least and the greatest number that the type of its values can hold.
        """

    def claim(
        self,
        id: str,
        case: str | None,
        family: str,
        compared: tuple[str, float | None] | None,
        options: dict[str, object],
        place: Place,
    ) -> int:
        """Return the index of a site that claims something of all runs, which is taken up if it is new."""

    def draw(self, index: int, first: list[float], second: list[float] = ...) -> None:
        """Take what a claim drew; of two things, or of where values begin and end in their law, both."""

    def see(self, index: int, least: float, greatest: float) -> None:
        """Take a hit."""

    def absorb(self, record: bytes) -> str | None:
        """Take what another process recorded of one run; why it failed by itself, if it did."""

    def add_mistake(self, what: str) -> None:
        """Something is wrong with the test itself."""

class Recording:
    """The record of the runs that one process makes of one test."""

    def __init__(self, test: Test) -> None: ...
    def run(self, index: int, failure: str | None, recorder: Recorder) -> None:
        """Take a run that has ended."""

    def draws(self, recorder: Recorder) -> None:
        """Add what the claims of the last run drew."""

    def record(self, seconds: float, recorder: Recorder, probe: Probe | None = None) -> bytes:
        """Return the record so far, after so many seconds of runs, with what they touched if that was watched."""

class Search:
    """The search for flakiness of one test."""

    def __init__(
        self,
        *,
        runs: int | None = None,
        step: int | None = None,
        max_runs: int | None = None,
        threshold: float | None = None,
        catch: float | None = None,
        tail: float | None = None,
        geweke: str | None = None,
        fast: bool = False,
        tight: bool = False,
        broken_after: int | None = None,
    ) -> None: ...
    def push(self, record: TestRecord, as_written: bool) -> str | None:
        """Take the last run of a record, and whether it had the seeds that the source states.

        Return what to say if only its outcome could be taken. A `ValueError` says that it could not be taken at all.
        """

    def shown_fixed(self) -> None:
        """Take note that a run touched nothing that could differ."""

    def out_of_time(self) -> None:
        """No more runs will come."""

    def wanted(self) -> list[int]:
        """Return the runs that are wanted next; none if there are enough."""

class Knob:
    """A number in the source that could be another one."""

    @staticmethod
    def literal(text: str, span: Span) -> Knob:
        """Return a number that is written in the assertion."""

    @staticmethod
    def constant(text: str, name: str, span: Span, also_in: int | None = None) -> Knob:
        """Return a name that is bound once, to a literal; `also_in` is a line that uses it for something else."""

    @staticmethod
    def left_out(text: str, keyword: str, line: int, column: int) -> Knob:
        """Return an argument that is left out, with its default; it could be given behind a place."""

class TestRecord:
    """What the runs of one test show, one run at a time."""

    def __init__(self, name: str, file: str, line: int) -> None: ...
    def site(
        self,
        id: str,
        file: str,
        line: int,
        span: Span,
        text: str,
        form: str,
        within: tuple[int, str],
        case: str | None = None,
    ) -> int:
        """Add an assertion with the function around it, as first line and text, in a case, and return its index."""

    def series(
        self,
        site: int,
        role: str,
        bound: float,
        knob: Knob | None = None,
        *,
        is_margin: bool = False,
        is_strict: bool | None = None,
        is_alternative: bool = False,
    ) -> int:
        """Add what a site compares with one number, and return its index among the series of all sites."""

    def start(self, run: int) -> None:
        """Begin a run."""

    def enter(self, case: str) -> bool:
        """Come to a case, which is a subtest, and return whether it has sites of its own."""

    def fold_lone_cases(self) -> None:
        """Make one site of an assertion's cases that a single run had, when all runs have been made."""

    def see(self, series: int, value: float, bound: float) -> None:
        """Take a value and the bound that it is held against; of a run, the value nearest to failing counts."""

    def is_beyond(self, site: int) -> bool:
        """Whether a value of the run under way is at its limit or beyond, in a series of this site."""

    def end(
        self,
        outcome: Literal["pass", "fail", "skip"],
        why: str | None = None,
        failed_site: int | None = None,
        others: list[int] = ...,
    ) -> None:
        """End the run: how, why, the site that failed it, if it was one, and others that failed after it."""

    def learned(
        self,
        id: tuple[str, str | None],
        place: tuple[str, int],
        text: str,
        tail: str,
        extremes: tuple[float, float],
    ) -> None:
        """Take a hit of a learned site, with the least and the greatest value, on the sides of its tail."""

    def took(self, run: int, seconds: float) -> None:
        """Take the processor time that a run took."""

    def values(self) -> list[tuple[int, int, float]]:
        """Return what the last run showed, by site and series."""

    def hits(self) -> list[tuple[str, float | None, float | None, float]]:
        """Return what a search takes of the last run: a series, its lower and its upper limit, and the value."""

    def outcomes(self) -> list[tuple[int, str]]:
        """Return how the runs ended, in their order."""

    def describe(
        self,
        *,
        span: Span | None,
        is_stochastic: bool,
        replay: tuple[str | None, list[tuple[str, str | None]], int | None],
        seconds_per_run: float,
        literal_seeds: list[tuple[str, str, int, int]],
        unseeded: list[str],
        probe: Probe | None,
        min_passes: int | None,
        notes: list[str],
    ) -> None:
        """Take what is known of the test when its runs have been made.

        A run is made again with an ini file, options with their values, and a number for the order of hashes.
        """

    def take_repeats(self, again: TestRecord) -> None:
        """Take runs of this test that were made again later in the same process."""

class Executed:
    """What a test executed."""

    def __len__(self) -> int: ...

class CallTracer:
    """Sees which functions are executed between `start` and `stop`."""

    def __init__(
        self, folders: list[str], *, disable: object = None, addresses: tuple[int, int, int] | None = None
    ) -> None: ...
    def start(self, test: CodeType | None = None, returns: bool = True) -> None:
        """Begin with a test: from the first call of its code, or at once, to its return, if that can be told."""

    def stop(self) -> Executed:
        """End with a test, and return what it executed."""

    def begun(self, code: CodeType, offset: int, /) -> object:
        """Be a callback of `sys.monitoring`: a function of Python begins."""

    def ended(self, code: CodeType, offset: int, value: object, /) -> object:
        """Be a callback of `sys.monitoring`: a function of Python ends, by itself or by an exception."""

    def called(self, code: CodeType, offset: int, callable: object, first: object, /) -> object:
        """Be a callback of `sys.monitoring`: something is called, which may be a function that is written in C."""

class Looking:
    """Looks at the tests of a session, one after the other, and adds what it sees to the trace."""

    def __init__(self, trace: TraceBuilder, relative: Callable[[str], str]) -> None: ...
    def begin(self, item: pytest.Item) -> None:
        """Begin with a test, before anything is done for it."""

    def reported(self, report: pytest.TestReport) -> None:
        """Take note of how a phase of a test ended; the last one adds it to the trace."""

    def executed(self, executed: Executed) -> None:
        """Take what the test executed."""

    def end(self) -> None:
        """Leave the test as it was, once nothing is done for it any more."""

class SharedFixtures:
    """Stands in for `FixtureDef.execute`, and lets all tests touch what the fixtures do that they share."""

    def __init__(self, execute: Callable[..., Any], looking: Looking, narrow: object) -> None: ...

class TraceBuilder:
    """The trace of all tests of a session."""

    def __init__(self, root: str, is_full: bool) -> None: ...
    def name_functions(self, tracer: CallTracer) -> None:
        """Say which functions the tests executed that were added, by the numbers that their tracer gave to them."""

    def add_sources(self, files: list[str]) -> None:
        """Take note of the sources of the project as they are, given relative to the root."""

    def write(self, file: PathLike[str]) -> None:
        """Write the trace in the place of a file, in one step, and be empty then."""

    def take_bytes(self) -> bytes:
        """Return everything, for another process, and be empty then."""

    def absorb(self, bytes: bytes) -> None:
        """Take the tests of another process that are not known yet."""

    def __len__(self) -> int: ...

class RecordBuilder:
    """The record of all tests of a search."""

    runs: int
    def __init__(self, base: str, root: str, rerun_marker: str | None = None, started: str | None = None) -> None: ...
    @staticmethod
    def read(file: PathLike[str]) -> RecordBuilder:
        """Read a file that `write` wrote."""

    def write(self, file: PathLike[str]) -> None:
        """Write the record in the place of a file, in one step."""

    def to_bytes(self) -> bytes:
        """Return everything, for another process."""

    def absorb(self, bytes: bytes) -> None:
        """Take the tests of another process that are not known yet."""

    def add(self, test: TestRecord) -> None:
        """Take what a test showed, and leave nothing of it behind."""

    def outcomes(self) -> dict[str, tuple[list[tuple[int, str]], float]]:
        """Return how the runs of every test ended, and how long one takes."""

    def shown_fixed(self) -> list[str]:
        """Return the tests in which nothing can differ, by what their runs touched."""

    def fixed(self, search: Search) -> str | None:
        """Return a line that counts them, and the runs that such a search did not make of them."""

    def differing(self) -> list[str]:
        """Return those of them that showed something else when they were repeated."""

    def take_repeats(self, repeated: RecordBuilder, place: str) -> None:
        """Take runs that were made again at a place: `other-process` or `other-hashes`."""

    def judge(
        self, probability: float | None = None, verbose: bool = False, is_painted: bool = False
    ) -> tuple[str, bool]:
        """Return the report for people, with what is steady if asked for, in colour if they see it.

        And whether something is found.
        """

    def findings_of(self, name: str, probability: float | None = None) -> tuple[list[tuple[int, str, str]], int] | None:
        """Return the runs of one test that failed, with why and the command that repeats each, and how many it has.

        `None` if nothing is to be found.
        """

    def __len__(self) -> int: ...
    def __contains__(self, name: str) -> bool: ...

class Environment:
    """What the variables `FLEX_…` say, and `flex.toml`."""

    mode: str
    seed: str | None
    runs: int | None
    variant: str | None
    log: bool
    log_json: bool
    """Whether programs asked for verdicts."""
    keep: bool
    assertions: list[tuple[str, str, str | None, str, str]]
    seeds: list[tuple[str, str | None]]
    def __init__(self, folder: PathLike[str], timeout: float | None = None) -> None: ...
    def quarantine(self, name: str) -> tuple[bool, str] | None:
        """Return whether failures of a test do not count today, and what to say of one."""

class Enforcement:
    """The enforcement of one test."""

    def __init__(self, test: Test, environment: Environment, seed: str, bounds_file: PathLike[str] | None) -> None: ...
    def see(self, recorder: Recorder) -> int | tuple[str, int] | str | None:
        """Take what the last run showed.

        What comes after it is a run, a run of the calibration with this base seed, why the test fails, or nothing.
        """

    def see_failure(self, recorder: Recorder) -> tuple[bool, int | tuple[str, int] | str | None]:
        """Take note that a run failed by itself.

        Return whether something else comes after it than the test's own failure, and what.
        """

    def see_declared(self, recorder: Recorder) -> int | tuple[str, int] | str | None:
        """Take a run that no learned bound judges."""

    def take_warnings(self) -> list[str]:
        """Return what there is to say without failing the test, once."""

    def is_in_doubt(self) -> bool:
        """Return whether a value is in doubt, which reruns settle."""

    def see_inconclusive(self, why: str) -> int | tuple[str, int] | str | None:
        """Take note that a run tells nothing of the code, and return what comes after it, like `see`."""

    def out_of_time(self) -> int | tuple[str, int] | str | None:
        """Take note that the time for claims is up, and return what comes in place of the wanted run, like `see`."""

    def notes(self) -> list[str]:
        """Return what to say of a test that passes: claims that stay undecided, runs that told nothing."""

    def changed(self) -> str | None:
        """Return what to say of a test that passes and does not do what it did at calibration."""

    def has_strays(self) -> bool:
        """Return whether values went beyond all calibrated ones and were cleared."""

    def log_strays(self, folder: PathLike[str]) -> None:
        """Add those to the log in a folder."""

    def keep(self, folder: PathLike[str] | None, recorder: Recorder, passed: bool) -> str | None:
        """Keep how the test ended, and what its sites saw, in a folder and in the history; return what to say."""

    def line(self, recorder: Recorder, passed: bool) -> str:
        """Return the same as a line of JSON."""

    def annotation(self, folder: PathLike[str]) -> str | None:
        """Return the line by which GitHub shows the verdict beside the source; `None` elsewhere."""

    def failed_by_itself(self) -> str:
        """Return what to say besides the words of a run that failed by itself."""

    def passed(self, recorder: Recorder) -> str:
        """Return the verdict of a test that passes."""

    def replayed(self, phase: str, run: int, recorder: Recorder) -> str:
        """Return what a single run showed."""

    def bound_of(self, site: str, case: str | None = None) -> str | None:
        """Return the bounds of a site in words, if it has any."""

class ReplayFirst:
    """The runs by which to see whether a test does what it did at its last calibration."""

    @staticmethod
    def of(
        test: Test, environment: Environment, bounds_file: PathLike[str], runs: int | None = None
    ) -> ReplayFirst | None:
        """Return the question for a test of a bounds file, if its entries can answer it."""

    @property
    def base(self) -> str: ...
    @property
    def runs(self) -> list[int]: ...
    def may_be_answered_by(self, record: bytes) -> bool:
        """Return whether some of the runs do, so that the others probably do too."""

    def is_answered_by(self, record: bytes) -> bool:
        """Return whether the runs show what they showed, and the test asks for what it asked for."""

class Shard:
    """A shard that is being made."""

    def __init__(
        self,
        number: str,
        folder: PathLike[str],
        *,
        base: str | None,
        phase: str,
        runs: int | None,
        max_runs: int | None,
        plan: PathLike[str] | None,
        blas: str | None,
        again: str,
    ) -> None: ...
    @property
    def base(self) -> str: ...
    def share(self, test: Test, place: tuple[int, int]) -> tuple[list[int], tuple[str, list[int]] | None, bool]:
        """Return what is made of a test, by its place among so many.

        These are samples, runs that are made again, and whether the last are replayed.
        """

    def more(self, test: Test, place: tuple[int, int], record: bytes) -> list[int]:
        """Return further runs that are probably needed of a test that showed this."""

    def repeats(self, test: Test, seconds_per_run: float) -> list[int]:
        """Return the runs that are made again if each takes so long."""

    def write(self, kind: str, record: bytes, order: list[int] | None = None, base: str | None = None) -> None:
        """Write down what runs showed."""

    def deal(self, names: list[str]) -> list[str]:
        """Return those tests that this shard searches; a `ValueError` says what a plan names that is not there."""

    def write_searched(self, record: RecordBuilder) -> None:
        """Write down what the search of each test showed."""

    def end(self, whole: bool) -> str:
        """End the file, and return what is to be said of it."""

class Shards:
    """Shards that are put together."""

    def __init__(self, folders: Sequence[PathLike[str]]) -> None: ...
    @property
    def base(self) -> str: ...
    @property
    def command(self) -> str: ...
    @property
    def phase(self) -> str: ...
    @property
    def has_findings(self) -> bool: ...
    def searched(self, name: str, record: RecordBuilder, is_judged: bool) -> bool:
        """Add what the search of a test showed to a record, and return whether any shard made it."""

    def miss(self, names: list[str]) -> None:
        """Note that nothing is known of these tests."""

    def is_unchanged(
        self, name: str, environment: Environment, bounds_file: PathLike[str], runs: int | None = None
    ) -> bool:
        """Return whether runs of the last calibration were replayed, and show that a test is unchanged."""

    def look(self, name: str) -> bytes | None:
        """Return all sites of a test, as the record of a process without runs."""

    def calibrate(
        self,
        name: str,
        *,
        runs: int | None = None,
        max_runs: int | None = None,
        accept: bool = False,
        check: bool = False,
        full: bool = False,
        variant: str | None = None,
        plan: SuitePlan | None = None,
        same: bool = False,
        history: History | None = None,
    ) -> CalibrationOutcome | None:
        """Calibrate a test; `None` if more runs are needed, which is noted."""

    def warnings(self) -> list[str]:
        """Return what is to be said of kinds of machines, and of runs that were not the same twice."""

    def plan(self, path: PathLike[str]) -> list[str]:
        """Write the plan of a further round, and return what is to be said of it; nothing if no run is missing."""

class Calibration:
    """The calibration of one test, whose runs were made elsewhere."""

    def __init__(
        self,
        record: bytes,
        base: str,
        *,
        runs: int | None = None,
        max_runs: int | None = None,
        tight: bool = False,
        accept: bool = False,
        check: bool = False,
        variant: str | None = None,
        plan: SuitePlan | None = None,
        same: bool = False,
        history: History | None = None,
    ) -> None: ...
    def take(self, record: bytes) -> None:
        """Take what another process recorded of runs that were missing."""

    def take_repeated(self, record: bytes | None) -> None:
        """Take what was recorded of the runs that were wanted again."""

    def out_of_time(self) -> None:
        """No more runs will come, except those that are repeated."""

    def guards(self) -> str | None:
        """Return the guards that the runs so far would teach, and how steady they are, in words."""

    def step(
        self,
    ) -> tuple[Literal["collect", "repeat", "confirm"], list[int]] | tuple[Literal["done"], CalibrationOutcome]:
        """Return what is needed."""

class SuitePlan:
    """What the sites of all tests may spend of the budget of their suite."""

    @staticmethod
    def of(records: list[bytes], environment: Environment, bounds_file: PathLike[str]) -> SuitePlan | None:
        """Share the budget of `flex.toml` out; `None` if there is none."""

class CalibrationOutcome:
    """What came of a calibration; its text is the summary."""

    name: str
    runs: int
    saved: int
    sites: int
    failures: list[tuple[int, str]]
    refused: list[str]
    pending: list[str]
    changes_file: bool
    legend: str | None
    def painted(self) -> str:
        """Return the summary in colour."""

    def contradictions(self, bounds_file: PathLike[str], compared: int) -> list[str]:
        """Return what speaks against the entries that the bounds file has."""

def save(outcomes: list[CalibrationOutcome], bounds_file: PathLike[str], folder: PathLike[str] | None) -> str | None:
    """Write what was learned into the bounds file, and what runs showed into a folder and the history.

    What is returned is to be said.
    """

def report(
    bounds_file: PathLike[str], folder: PathLike[str], environment: Environment, tests: str
) -> tuple[str, list[str]]:
    """Return the page about the tests of a bounds file, and what could not be read for it."""

def check_writable(bounds_file: PathLike[str]) -> None:
    """Raise an `OSError` if `save` would not work."""

def claim_families() -> list[tuple[str, list[str]]]:
    """Return the functions that claim something of all runs, with their options."""

def about(seconds: float) -> str:
    """Return a time that nobody knows exactly, in words."""

def ascii(text: str) -> str:
    """Return a text with signs that flex writes spelt in ASCII."""

def fresh_base() -> str:
    """Return a base that nobody had before."""

def runs_to_repeat(outcomes: list[tuple[int, str]], seconds_per_run: float) -> list[int]:
    """Return the runs of a test to make again under the same seed, from how its runs ended."""

def by_duration(tests: list[str], trace: PathLike[str], record: PathLike[str]) -> list[int]:
    """Return the places of tests with those first that take the least time, by a trace and a record that may not be."""

def needed(
    actual: float | bytes,
    expected: float | bytes,
    rtol: float,
    atol: float,
    adds: bool,
    larger: bool,
    equal_nan: bool,
) -> tuple[float, float] | None: ...
def parse_seed(text: str) -> tuple[str, tuple[str, int] | None]:
    """Read `TEXT` or `TEXT@calibrate:57`: the base, and the one run to replay."""

def quoted(word: str) -> str:
    """Return a word for the shell, quoted where it must be."""

class Probe:
    """What the runs of a test touched that can differ from run to run."""

    def __init__(self) -> None: ...
    def add(self, cause: str, what: str, *, seeded: bool, count: int = 1, place: Place | None = None) -> None:
        """Add what was touched; the same thing done again is counted, and keeps its first place."""

    def absorb(self, other: Probe) -> None:
        """Add what another run touched."""

    def touches(self) -> list[tuple[str, str, bool, int, Place | None]]:
        """Return what was touched: cause, what was done, whether the seed decides it, how often, and where first."""

    @property
    def variability(self) -> Literal["fixed", "controlled", "can vary"]:
        """Return whether runs can differ, by what was touched."""

def intercept(function: Any, cause: str, what: str, rule: str) -> bool:
    """Let a function that is written in C report its calls from now on; returns whether it does."""

def give_instead(method: Any, instead: Callable[[Any, Any], Any]) -> bool:
    """Let a method that is written in C take what is returned for its object and its only argument, for good."""

def intercepted() -> int:
    """Return the number of functions that report their calls."""

def hear_audit_events() -> None:
    """Hear all audit events of Python from now on, for good; outside of runs that does nothing."""

class Watch:
    """What one run touches, while it is the current one."""

    def __init__(self, *, seeded: bool) -> None:
        """Begin a run, before it is seeded; `seeded` says whether the global generators are."""

    def __enter__(self) -> Watch:
        """Open the window: what is done from now on belongs to the run."""

    def __exit__(self, *raised: Any) -> None:
        """Shut the window."""

    def probe(self) -> Probe:
        """Return what the run touched, once it is over."""

    @property
    def at_import(self) -> Probe:
        """Return what modules touched that the run imported; that is no part of what it touched."""

    @property
    def imported(self) -> bool:
        """Return whether they touched something, or could have unseen."""

def current_run() -> int:
    """Return the number of the present run among all that this process has watched; 0 before the first."""

def is_seeded() -> bool:
    """Return whether global generators follow the seed of the present run."""

def catch_up() -> bool:
    """Let what was imported since report, too; return whether there is such."""

def on_imports(tell: Callable[[], bool]) -> None:
    """Set whom to tell that modules were imported; returns whether one may have touched something unseen."""

def on_nothing_seen(ask: Callable[[], None]) -> None:
    """Set whom to ask whether a run that seems to touch nothing did so unseen; who is asked says what was found."""

def set_states(remember: Callable[[], None], compare: Callable[[], None]) -> None:
    """Set who is told before the window of a run is opened, and after it was shut."""

class Windowed:
    """A function during whose calls the window is open."""

    def __init__(self, function: Callable[..., Any]) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

def found(cause: str, what: str, seeded: bool) -> None:
    """Take what was found out after the window was shut."""

def living(kind: type) -> list[Any]:
    """Return objects of a type that something refers to."""

def leave() -> bool:
    """Leave the run for something that is shared by all, and return whether its window was open."""

def come_back(was_open: bool) -> None:
    """Come back to the run, and to its window if that was open."""

def noted(cause: str, what: str, seeded: bool) -> bool:
    """Take what Python code noticed itself, and return whether it belongs to the run."""

def on_entropy(tell: Callable[[], object]) -> None:
    """Set whom to tell that the operating system is asked for randomness."""

def generator_locks(kind: type, known: list[Any]) -> None:
    """Set the locks by which generators of NumPy are known: the type of new ones, and those that are there."""

def global_lock(lock: Any) -> None:
    """Set the lock of NumPy's global generator."""

def set_classify(classify: Callable[[str], tuple[str, str | None]]) -> None:
    """Set whom to ask what kind of source a file is."""

def set_folders(project: list[str], temporary: list[str], base: list[str], installed: list[str]) -> None:
    """Set where the project is, where temporary files are, and what is installed."""
