"""A run under way, as the assertions of its test see it: where they are, and where what they saw goes."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FrameType
from typing import Any

from pytest_flex._native import Recorder
from pytest_flex.claiming.claim import Claim, ClaimError
from pytest_flex.learning.measure import ends_of_type
from pytest_flex.learning.placeholder import Learned, LearnedError
from pytest_flex.source.file import source_of
from pytest_flex.source.finder import SiteFinder
from pytest_flex.source.site import Form, Site
from pytest_flex.source.statement import Statement, name_of


class RecordedRun:
    """What `learned()` and claims report to."""

    def __init__(self, recorder: Recorder, finder: SiteFinder) -> None:
        self.recorder = recorder
        self.seed = b""
        self.words_for: Callable[[Learned], str] = lambda learned: "learned()"
        self.heard: Callable[[Learned, float, float, str], None] | None = None
        """Whoever else is told what learned sites see."""
        self.subtest_errors: list[BaseException] = []
        """What subtests of the run raised."""
        self._open: list[Claim] = []
        """Claims of the run that are not compared yet."""
        self._finder = finder
        self._last: Site | None = None
        """The site that the run came to last."""
        self._indices: dict[tuple[Site, str | None, str], int] = {}

    def site(self, frame: FrameType, name: str | None, form: Form) -> Site:
        """Return the site of the call of this form in this frame."""
        __tracebackhide__ = True
        try:
            self._last = self._finder.find(frame, name, form)
            return self._last
        except form.error as error:
            self.recorder.add_mistake(str(error))
            raise

    def hit(self, learned: Learned, least: float, greatest: float, tail: str, value: Any = None) -> None:
        """Record a sample of a site: the least and the greatest of what was compared."""
        key = (learned._site, learned._case, tail)
        index = self._indices.get(key)
        if index is None:
            site = learned._site
            try:
                options = (learned._domain, learned._confidence)
                place = (site.file, site.line)
                index = self.recorder.site(site.id, learned._case, tail, *options, place, ends_of_type(value))
            except ValueError as error:
                self.recorder.add_mistake(f"{site}: {error}")
                raise LearnedError(f"{site}: {error}") from None
            self._indices[key] = index
        self.recorder.see(index, least, greatest)
        if self.heard is not None:
            self.heard(learned, least, greatest, tail)

    def _explain(self, error: ArithmeticError) -> None:
        """Raise what says more, if a decimal was compared with a learned bound, which for `decimal` is NaN."""
        site, entry = self._last, error.__traceback__
        while entry is not None and entry.tb_next is not None:
            entry = entry.tb_next
        if type(error).__module__ != "decimal" or site is None or entry is None:
            return
        source = source_of(entry.tb_frame.f_code.co_filename)
        here = [each for each in source.statements if entry.tb_lineno in each.lines] if source is not None else []
        of_site = next((each for each in here if site.line in each.lines), None)
        if of_site is None:
            return
        if _is_learned_an_argument(of_site):
            words = "learned() is what is compared, and nothing is made of it: write float(x) < learned()"
            raise LearnedError(f"{site}: {words}") from None
        raise LearnedError(f"{site}: write float(…) around the decimal") from None

    def begin(self, claim: Claim) -> None:
        """Take note of a claim that is to be compared before the run ends."""
        self._open.append(claim)

    def claim(self, claim: Claim, compared: tuple[str, float | None] | None) -> None:
        """Record what a claim drew, and what it is compared with."""
        __tracebackhide__ = True
        site = claim._site
        try:
            index = self.recorder.claim(
                site.id, claim._case, claim._family, compared, claim._options, (site.file, site.line)
            )
            self.recorder.draw(index, *claim._drawn)
        except ValueError as error:
            raise ClaimError(f"{site}: {error}") from None

    def _end(self) -> None:
        """See to it that every claim of the run says something, and raise what a subtest raised."""
        for claim in self._open:
            claim._end(self)
        if self.subtest_errors:
            raise self.subtest_errors[0]


def _is_learned_an_argument(statement: Statement) -> bool:
    """Whether a call takes `learned()`, as in `Decimal(learned())`."""
    calls = [node for node in ast.walk(statement.node) if isinstance(node, ast.Call)]
    given = [argument for call in calls for argument in call.args if isinstance(argument, ast.Call)]
    return any(name_of(argument.func) == "learned" for argument in given)
