"""An assertion of a test, and its part of the record: a series of values for each number that could be another."""

from __future__ import annotations

import functools
from collections.abc import Callable

from pytest_flex._native import Knob, TestRecord
from pytest_flex.source.file import Source
from pytest_flex.source.site import Site
from pytest_flex.source.statement import Statement, span_of

Saw = Callable[[float, float], None]
"""Takes a value of a series, and the bound that it is held against."""


class Assertion:
    """A statement that asserts something about numbers, in one case of the test."""

    def __init__(
        self,
        record: TestRecord,
        site: Site,
        file: str,
        statement: Statement,
        source: Source,
        form: str,
        case: str | None,
    ) -> None:
        self.site = site
        self.case = case
        self.file = file
        self.statement = statement
        self._record = record
        around = source.around(statement)
        self.index = record.site(site.id, site.file, site.line, span_of(statement.node), site.text, form, around, case)

    def series(
        self,
        role: str,
        bound: float,
        knob: Knob | None = None,
        *,
        is_margin: bool = False,
        is_strict: bool | None = None,
        is_alternative: bool = False,
    ) -> Saw:
        """Add a series, and return what takes its values.

        `is_strict` says whether a value that equals the bound fails, if it is a comparison; failures are about the
        first series of an assertion, and others are alternatives.
        """
        series = self._record.series(
            self.index, role, bound, knob, is_margin=is_margin, is_strict=is_strict, is_alternative=is_alternative
        )
        return functools.partial(self._record.see, series)

    @property
    def is_beyond(self) -> bool:
        """Whether a value of this run is at its limit or beyond."""
        return self._record.is_beyond(self.index)
