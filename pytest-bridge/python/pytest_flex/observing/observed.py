"""What the assertions of one test compared, run by run: `Sites`, whom transformed code and wrapped functions tell.

Nothing that is told may change a run: whatever cannot be recorded is left out, without a word.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any, Literal

from pytest_flex._native import TestRecord
from pytest_flex.observing import listening
from pytest_flex.observing.asserted import asserted_in
from pytest_flex.observing.assertion import Assertion
from pytest_flex.observing.called import Called
from pytest_flex.observing.comparisons import Observer, observer_of
from pytest_flex.observing.functions import Asserting
from pytest_flex.observing.returned import AssertedCall, Returned
from pytest_flex.observing.tolerances import Arguments, Call
from pytest_flex.source.call import call_at, called_name
from pytest_flex.source.file import Source
from pytest_flex.source.site import Site, identity, relative
from pytest_flex.source.statement import Statement, name_of

Outcome = Literal["pass", "fail", "skip"]

Comparisons = dict[int, Observer | None]
"""What looks at each comparison, by its number."""

Calls = dict[tuple[int, int, Asserting], Called | None]
"""What looks at each call, by where it is made."""


class Sites:
    """The assertions of one test, over all its runs."""

    def __init__(self, root: Path, record: TestRecord) -> None:
        self.root = root
        self.record = record
        self.assertions: list[Assertion] = []
        self.inside = False
        """Whether a recorded function is under way: what it asserts itself is its own."""
        self._by_statement: dict[tuple[str | None, Statement], Assertion] = {}
        self._case: str | None = None
        """The subtest that is under way, if it has sites of its own."""
        self._of_case: dict[str | None, tuple[Comparisons, Calls]] = {}
        self._comparisons: Comparisons
        self._calls: Calls
        self._be_in(None)
        self._codes: list[CodeType] = []
        """Kept, so that no other code gets the identity of one of these."""
        self._raised: tuple[BaseException, Assertion] | None = None
        self._left: list[tuple[BaseException, str | None]] = []
        """The errors that subtests of the run raised, each with its case."""

    def start(self, run: int) -> None:
        """Begin a run."""
        self.record.start(run)
        self._raised = None
        self._left.clear()
        self._be_in(None)
        self.inside = False

    def finish(self, outcome: Outcome, why: str | None, error: BaseException | None) -> None:
        """End the run with how it ended, and with the error that failed it, if one did."""
        failed = [] if error is None else [self._failed_in(error)]
        # Other subtests go on after one has failed.
        failed += [self._failed_in(other) for other, _ in self._left if failed and other is not error]
        first, *others = [None if each is None else each.index for each in failed] or [None]
        self.record.end(outcome, why, first, [each for each in others if each is not None])
        self._raised = None
        self._left.clear()

    def _failed_in(self, error: BaseException) -> Assertion | None:
        """Return the assertion that an error comes from, in the subtest that raised it."""
        self._be_in(next((case for left, case in self._left if left is error), None))
        return self._failed_by(error)

    def enter(self, case: str) -> str | None:
        """Come to a subtest, and return the case before it."""
        before = self._case
        self._be_in(case if self.record.enter(case) else None)
        return before

    def leave(self, before: str | None, error: BaseException | None) -> None:
        """Leave a subtest with what it raised, and go back to the case before it."""
        # The innermost comes first.
        if error is not None and all(left is not error for left, _ in self._left):
            self._left.append((error, self._case))
        self._be_in(before)

    def _be_in(self, case: str | None) -> None:
        self._case = case
        self._comparisons, self._calls = self._of_case.setdefault(case, ({}, {}))

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
                self._raised = (error, observer.assertion_of())
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

    def _assertion(self, statement: Statement, source: Source, file: str, form: str) -> Assertion:
        found = self._by_statement.get((self._case, statement))
        if found is None:
            place, line = relative(file, self.root), statement.node.lineno
            name = _identity(statement, source)
            if any(other.site.id == name and other.statement is not statement for other in self.assertions):
                name = f"{name} ({place}:{line})"
            site = Site(name, statement.text, place, line)
            found = Assertion(self.record, site, file, statement, source, form, self._case)
            self._by_statement[self._case, statement] = found
            self.assertions.append(found)
        return found

    def _observer(self, number: int) -> Observer | None:
        first = number - number % listening.MOST
        file = next((file for file, start in listening.files.items() if start == first), None)
        asserted = None if file is None else asserted_in(file)
        if file is None or asserted is None or number - first >= len(asserted.reporting):
            return None
        condition, source = asserted.reporting[number - first], asserted.source
        if condition.is_returned:
            return Returned(condition, self._asserting)
        return observer_of(condition, asserted, lambda form: self._assertion(condition.statement, source, file, form))

    def _called(self, function: Asserting, frame: FrameType, is_direct: bool) -> Called | None:
        file = frame.f_code.co_filename
        asserted = asserted_in(file)
        if asserted is None:
            return None
        source = asserted.source
        found = call_at(source, frame.f_code, frame.f_lasti, frame.f_lineno, function.name)
        if found is None:
            return None
        call, statement = found
        if statement.expects_failure or (function.is_predicate and not asserted.is_predicate(call)):
            return None
        arguments = Arguments(call, function.places if is_direct else None)
        return Called(
            function, statement, asserted, arguments, lambda: self._assertion(statement, source, file, function.form)
        )

    def _asserting(self, frame: FrameType, name: str) -> AssertedCall | None:
        """Return what is asserted of the call of a function of this name that is under way in a frame."""
        self._codes.append(frame.f_code)
        file = frame.f_code.co_filename
        asserted = asserted_in(file) if self._is_ours(file) else None
        if asserted is None:
            return None
        found = call_at(asserted.source, frame.f_code, frame.f_lasti, frame.f_lineno, name)
        call = None if found is None else found[0]
        condition = None if call is None else asserted.calls.get(call)
        # Whatever else is called there may call the function in its turn.
        if call is None or condition is None or called_name(asserted.source, call) != name:
            return None
        statement, form, source = condition.statement, condition.form, asserted.source
        return asserted, condition, lambda: self._assertion(statement, source, file, form)

    def _is_ours(self, file: str) -> bool:
        """Whether a file is one of the project's."""
        if file in listening.files:
            return True
        root = str(self.root)
        return file.startswith(root + os.sep) and "site-packages" not in file[len(root) :]

    def _failed_by(self, error: BaseException) -> Assertion | None:
        """Return the assertion that an error comes from."""
        if self._raised is not None and self._raised[0] is error:
            return self._raised[1]
        if not isinstance(error, AssertionError):
            return None
        entry, is_last = _last_entry(error.__traceback__, lambda file: self._is_ours(file))
        if entry is None:
            return None
        file = entry.tb_frame.f_code.co_filename
        ours = [each for each in self.assertions if each.case == self._case]
        there = [each for each in ours if each.file == file and entry.tb_lineno in each.statement.lines]
        # unittest raises in a function of its own, `assert` where it stands.
        there = [each for each in there if isinstance(each.statement.node, ast.Assert) == is_last]
        # Of several in one line, it is one whose values say so.
        beyond = [each for each in there if each.is_beyond]
        there = beyond or there
        return there[-1] if there else self._condition(file, entry.tb_lineno, is_last)

    def _condition(self, file: str, line: int, is_assert: bool) -> Assertion | None:
        """Return the assertion in a line, of which nothing is known but that it failed."""
        asserted = asserted_in(file)
        statements = [] if asserted is None else [each for each in asserted.source.statements if line in each.lines]
        kinds = ast.Assert if is_assert else ast.Expr
        statements = [each for each in statements if isinstance(each.node, kinds) and (is_assert or _asserts(each))]
        if asserted is None or len(statements) != 1:
            return None
        return self._assertion(statements[0], asserted.source, file, "condition")


def _identity(statement: Statement, source: Source) -> str:
    """Return what a statement is known by: its text, its function if that is no test, its number among equals."""
    name = statement.functions[-1].name if statement.functions else ""
    qualname = None if name.startswith("test") else statement.qualname
    return identity(qualname, statement.text, source.numbers.get(statement, 0))


def _asserts(statement: Statement) -> bool:
    """Whether a statement calls a function that asserts something, as its name says."""
    value = getattr(statement.node, "value", None)
    name = name_of(value.func) if isinstance(value, ast.Call) else None
    return name is not None and name.lower().startswith("assert")


def _last_entry(traceback: TracebackType | None, is_ours: Callable[[str], bool]) -> tuple[TracebackType | None, bool]:
    """Return the last entry of a traceback that is in the project, and whether it is the last of all."""
    found = None
    while traceback is not None:
        if is_ours(traceback.tb_frame.f_code.co_filename):
            found = traceback
        traceback = traceback.tb_next
    return found, found is not None and found.tb_next is None
