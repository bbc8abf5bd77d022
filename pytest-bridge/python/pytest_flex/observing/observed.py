"""What the assertions of one test compared, run by run: `Sites`, whom transformed code and wrapped functions tell.

Nothing that is told may change a run: whatever cannot be recorded is left out, without a word.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import TYPE_CHECKING, Any

from pytest_flex.learning.sites import relative, text_of
from pytest_flex.observing import listening
from pytest_flex.observing.asserted import Statement
from pytest_flex.observing.observers import Arguments, Call, Called, Observer, observer_of
from pytest_flex.observing.series import Site
from pytest_flex.observing.source import Json, Source, source_of

if TYPE_CHECKING:
    from pytest_flex.observing.functions import Asserting

Hit = tuple[str, float | None, float | None, float]
"""A series, the lower and the upper limit that hold for it, and the value."""


class Sites:
    """The assertions of one test, over all its runs."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.inside = False
        """Whether a recorded function is under way: what it asserts itself is its own."""
        self._sites: list[Site] = []
        self._by_statement: dict[Statement, Site] = {}
        self._comparisons: dict[int, Observer | None] = {}
        self._calls: dict[tuple[int, int, Asserting], Called | None] = {}
        self._codes: list[CodeType] = []
        """Kept, so that no other code gets the identity of one of these."""
        self._run = 0
        self._raised: tuple[BaseException, Site] | None = None

    def start(self, run: int) -> None:
        """Begin a run."""
        self._run = run
        self._raised = None
        self.inside = False
        for site in self._sites:
            for series in site.series:
                series.value = None

    def finish(self, error: BaseException | None) -> tuple[int | None, list[Hit]]:
        """End the run: return the site that failed it, if it was one, and what the search should know."""
        failed = None if error is None else self._failed_by(error)
        if failed is not None:
            failed.failed.append(self._run)
        hits: list[Hit] = []
        for site in self._sites:
            for index, series in enumerate(site.series):
                if series.value is not None:
                    series.values.append((self._run, series.value))
                    if not series.is_alternative:
                        name = f"{site.id} [{index}]" if index else site.id
                        hits.append((series.name(name), *series.limits, series.value))
        self._raised = None
        return None if failed is None else self._sites.index(failed), hits

    def values(self) -> list[tuple[int, int, float]]:
        """Return what the run just finished showed, by site and series."""
        return [
            (number, index, series.value)
            for number, site in enumerate(self._sites)
            for index, series in enumerate(site.series)
            if series.value is not None
        ]

    def to_json(self) -> list[Json]:
        """Return all sites, as the record has them."""
        return [site.to_json() for site in self._sites]

    def compared(self, number: int, left: Any, right: Any) -> None:
        """Take the operands of a comparison."""
        if self.inside:
            return
        try:
            observer = self._comparisons[number]
        except KeyError:
            observer = self._comparisons[number] = self._observer(number)
        if observer is not None:
            try:
                observer.see(left, right)
            except Exception:
                # Not a number after all.
                return

    def called(self, function: Asserting, frame: FrameType | None, call: Call, error: AssertionError | None) -> None:
        """Take a call of a function that asserts something, and what it raised."""
        try:
            observer = self._calls[id(frame.f_code), frame.f_lasti, function]  # type: ignore[union-attr]
        except KeyError:
            observer = self._caller(function, frame)
        if observer is not None:
            if error is not None:
                self._raised = (error, observer.site_of())
            try:
                observer.see(call)
            except Exception:
                return

    def _caller(self, function: Asserting, frame: FrameType | None) -> Called | None:
        """Return what looks at a call: in this frame, or in the nearest below it that is in the project."""
        is_direct = True
        while frame is not None:
            key = (id(frame.f_code), frame.f_lasti, function)
            if key in self._calls:
                return self._calls[key]
            if self._is_ours(frame.f_code.co_filename):
                self._codes.append(frame.f_code)
                observer = self._calls[key] = self._called(function, frame, is_direct)
                return observer
            # A predicate is asserted where it is called, or not at all.
            frame = None if function.is_predicate else frame.f_back
            is_direct = False
        return None

    def site(self, statement: Statement, source: Source, file: str, form: str) -> Site:
        """Return the site of a statement."""
        site = self._by_statement.get(statement)
        if site is None:
            place = relative(file, self.root)
            name = _identity(statement, source)
            if any(other.id == name for other in self._sites):
                name = f"{name} ({place}:{statement.node.lineno})"
            site = self._by_statement[statement] = Site(name, place, file, statement, form, source.around(statement))
            self._sites.append(site)
        return site

    def _observer(self, number: int) -> Observer | None:
        first = number - number % listening.MOST
        file = next((file for file, start in listening.files.items() if start == first), None)
        source = None if file is None else source_of(file)
        if file is None or source is None or number - first >= len(source.comparisons):
            return None
        condition = source.comparisons[number - first]
        return observer_of(condition, source, lambda form: self.site(condition.statement, source, file, form))

    def _called(self, function: Asserting, frame: FrameType, is_direct: bool) -> Called | None:
        file = frame.f_code.co_filename
        source = source_of(file)
        if source is None:
            return None
        found = source.call_at(frame.f_code, frame.f_lasti, frame.f_lineno, function.name)
        if found is None:
            return None
        call, statement = found
        if statement.expects_failure or (function.is_predicate and call not in source.predicates):
            return None
        arguments = Arguments(call, function.places if is_direct else None)
        site_of = lambda: self.site(statement, source, file, function.form)  # noqa: E731
        return Called(function, statement, source, arguments, site_of)

    def _is_ours(self, file: str) -> bool:
        """Whether a file is one of the project's."""
        if file in listening.files:
            return True
        root = str(self.root)
        return file.startswith(root + os.sep) and "site-packages" not in file[len(root) :]

    def _failed_by(self, error: BaseException) -> Site | None:
        """Return the site that an error comes from."""
        if self._raised is not None and self._raised[0] is error:
            return self._raised[1]
        if not isinstance(error, AssertionError):
            return None
        entry, is_last = _last_entry(error.__traceback__, lambda file: self._is_ours(file))
        if entry is None:
            return None
        file = entry.tb_frame.f_code.co_filename
        there = [site for site in self._sites if site.file == file and entry.tb_lineno in site.statement.lines]
        # unittest raises in a function of its own, `assert` where it stands.
        there = [site for site in there if isinstance(site.statement.node, ast.Assert) == is_last]
        # Of several in one line, it is one whose values say so.
        beyond = [site for site in there if any(series.is_beyond for series in site.series)]
        there = beyond or there
        return there[-1] if there else None


def _identity(statement: Statement, source: Source) -> str:
    """Return what a statement is known by: its text, its function if that is no test, its number among equals."""
    name = statement.functions[-1].name if statement.functions else ""
    prefix = "" if name.startswith("test") else f"{statement.qualname}: "
    nth = source.numbers.get(statement, 0)
    return f"{prefix}{text_of(statement.node)}{f'#{nth + 1}' if nth else ''}"


def _last_entry(traceback: TracebackType | None, is_ours: Callable[[str], bool]) -> tuple[TracebackType | None, bool]:
    """Return the last entry of a traceback that is in the project, and whether it is the last of all."""
    found = None
    while traceback is not None:
        if is_ours(traceback.tb_frame.f_code.co_filename):
            found = traceback
        traceback = traceback.tb_next
    return found, found is not None and found.tb_next is None
