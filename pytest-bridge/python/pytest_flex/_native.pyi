"""The engine of flex: Rust, without statistics or file formats in Python."""

from os import PathLike
from typing import Literal

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
    hits: int | None
    ceiling: float | None
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
    """A test by its node id, with what its marker says."""

    name: str
    light: bool
    def __init__(
        self,
        environment: Environment,
        name: str,
        selection: str,
        place: str,
        fingerprint: str,
        *,
        confidence: float | None = None,
        runs: int | None = None,
        max_runs: int | None = None,
        effort: float | None = None,
        light: bool | None = None,
        ceiling_warns: bool | None = None,
        attempts: int | None = None,
    ) -> None: ...

class Seeds:
    """The seeds of one test in one phase."""

    def __init__(self, base: str, phase: str, test: str) -> None: ...
    def run(self, i: int) -> bytes:
        """Return the 32 bytes that decide every random choice of run `i`."""

class Recorder:
    """What the runs of one test show, one run at a time."""

    mistakes: list[str]
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
        place: str,
    ) -> int:
        """Return the index of a learned site, which is taken up if it is new."""

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

    def record(self, seconds: float, recorder: Recorder) -> bytes:
        """Return the record so far, after so many seconds of runs."""

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
        paper: bool = False,
        fast: bool = False,
        tight: bool = False,
    ) -> None: ...
    def push(
        self,
        index: int,
        as_written: bool,
        outcome: Literal["pass", "fail", "skip"],
        hits: list[tuple[str, float | None, float | None, float]],
    ) -> None:
        """Take what a run showed: how it ended, and each hit of an assertion with its limits and its value.

        A `ValueError` says what was not taken; the search can go on.
        """

    def out_of_time(self) -> None:
        """No more runs will come."""

    def wanted(self) -> list[int]:
        """Return the runs that are wanted next; none if there are enough."""

def checked_record(text: str) -> str:
    """Check the record of a search, and return it as it is written into a file."""

def judged_record(text: str, probability: float | None = None) -> tuple[str, bool]:
    """Judge the record of a search: the report for people, and whether there is something to find."""

class Environment:
    """What the variables `FLEX_…` say, and `flex.toml`."""

    mode: str
    seed: str | None
    runs: int | None
    variant: str | None
    log: bool
    assertions: list[tuple[str, str, str | None, str, str]]
    def __init__(self, folder: PathLike[str]) -> None: ...

class Enforcement:
    """The enforcement of one test."""

    def __init__(self, test: Test, environment: Environment, seed: str, bounds_file: PathLike[str] | None) -> None: ...
    def see(self, recorder: Recorder) -> int | str | None:
        """Take what the last run showed: a run to be made, why the test fails, or nothing."""

    def see_declared(self, recorder: Recorder) -> int | str | None:
        """Take a run that no learned bound judges."""

    def take_warnings(self) -> list[str]:
        """Return what there is to say without failing the test, once."""

    def another_attempt(self) -> int | None:
        """Take note that a run failed by itself, and return the run to make in its place while attempts are left."""

    def failed_by_itself(self) -> str:
        """Return what to say besides the words of a run that failed by itself."""

    def passed(self, recorder: Recorder) -> str:
        """Return the verdict of a test that passes."""

    def replayed(self, phase: str, run: int, recorder: Recorder) -> str:
        """Return what a single run showed."""

    def bound_of(self, site: str, case: str | None = None) -> str | None:
        """Return the bounds of a site in words, if it has any."""

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
    ) -> None: ...
    def take(self, record: bytes) -> None:
        """Take what another process recorded of runs that were missing."""

    def take_repeated(self, record: bytes | None) -> None:
        """Take what was recorded of the runs that were wanted again."""

    def out_of_time(self) -> None:
        """No more runs will come, except those that are repeated."""

    def step(
        self,
    ) -> tuple[Literal["collect"], list[int]] | tuple[Literal["repeat"], list[int]] | tuple[Literal["done"], Outcome]:
        """Return what is needed."""

class SuitePlan:
    """What the sites of all tests may spend of the budget of their suite."""

    @staticmethod
    def of(records: list[bytes], environment: Environment, bounds_file: PathLike[str]) -> SuitePlan | None:
        """Share the budget of `flex.toml` out; `None` if there is none."""

class Outcome:
    """What came of a calibration; its text is the summary."""

    name: str
    runs: int
    sites: int
    failures: list[tuple[int, str]]
    refused: list[str]
    pending: list[str]
    changes_file: bool
    def contradictions(self, bounds_file: PathLike[str], compared: int) -> list[str]:
        """Return what speaks against the entries that the bounds file has."""

def save(outcomes: list[Outcome], bounds_file: PathLike[str]) -> None:
    """Write what was learned into the bounds file, and what somebody must look at beside it."""

def check_writable(bounds_file: PathLike[str]) -> None:
    """Raise an `OSError` if `save` would not work."""

def fresh_base() -> str:
    """Return a base that nobody had before."""

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
