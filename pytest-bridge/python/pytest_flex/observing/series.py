"""An assertion of a test, and what it compared: one series of values for each number in it that could be another."""

from __future__ import annotations

import math

from pytest_flex.learning.sites import text_of
from pytest_flex.observing.asserted import Statement
from pytest_flex.observing.source import Json, span


class Site:
    """An assertion."""

    def __init__(self, name: str, place: str, file: str, statement: Statement, form: str, within: Json) -> None:
        self.id = name
        self.within = within
        self.place = place
        self.file = file
        self.statement = statement
        self.form = form
        self.failed: list[int] = []
        self.series: list[Series] = []

    def add(self, role: str, bound: float, knob: Json | None, is_margin: bool = False) -> Series:
        """Add a series."""
        series = Series(role, bound, knob, is_margin)
        self.series.append(series)
        return series

    def to_json(self) -> Json:
        """Return the site as the record has it."""
        node = self.statement.node
        return {
            "id": self.id,
            "file": self.place,
            "line": node.lineno,
            "span": span(node),
            "text": text_of(node),
            "form": self.form,
            "within": self.within,
            "is_hard": True,
            "failed": self.failed,
            "series": [series.to_json() for series in self.series],
        }


class Series:
    """What was compared with one number of an assertion."""

    __slots__ = ("bound", "is_alternative", "is_margin", "is_strict", "knob", "role", "value", "values", "was_bounded")

    def __init__(self, role: str, bound: float, knob: Json | None, is_margin: bool) -> None:
        self.role = role
        self.bound = bound
        self.knob = knob
        self.is_margin = is_margin
        self.is_strict: bool | None = None
        """Whether a value that equals the bound fails, if it is a comparison."""
        self.is_alternative = False
        self.was_bounded = False
        self.value: float | None = None
        self.values: list[tuple[int, float]] = []

    def see(self, value: float, bound: float) -> None:
        """Take a value and the bound that it is held against; of a run, the one nearest to failing counts."""
        if bound != self.bound or self.was_bounded:
            value = self._margin(value, bound)
        held = self.value
        if held is None or value != value or (value < held if self.role == "lower" else value > held):
            self.value = value

    def _margin(self, value: float, bound: float) -> float:
        """Return the distance from a bound that is another than before: what counts from now on."""
        if not self.was_bounded:
            self.was_bounded = self.is_margin = True
            self.values = [(run, seen - self.bound) for run, seen in self.values]
            self.value = None if self.value is None else self.value - self.bound
            self.bound = 0.0
            self.knob = None
        return value - bound

    def name(self, of_site: str) -> str:
        """Return what the search knows the series by: another one, once its limits are others."""
        return f"{of_site} (margin)" if self.was_bounded else of_site

    @property
    def limits(self) -> tuple[float | None, float | None]:
        """The lower and the upper limit of the values."""
        return (self.bound, None) if self.role == "lower" else (None, self.bound)

    @property
    def is_beyond(self) -> bool:
        """Whether the value of this run is at its limit or beyond."""
        lower, upper = self.limits
        value = self.value
        if value is None:
            return False
        return not ((lower is None or value > lower) and (upper is None or value < upper))

    def to_json(self) -> Json:
        """Return the series as the record has it."""
        return {
            "role": self.role,
            "bound": _json(self.bound),
            "is_margin": self.is_margin,
            "is_strict": self.is_strict,
            "knob": self.knob,
            "values": [[run, _json(value)] for run, value in self.values],
        }


def _json(number: float) -> float | str:
    if math.isfinite(number):
        return number
    return "nan" if math.isnan(number) else "inf" if number > 0 else "-inf"
