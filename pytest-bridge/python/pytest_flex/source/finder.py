"""Which site a call of `learned()` or of a claim is: found in the source by the frame that makes the call."""

from __future__ import annotations

import os
import sys
from types import CodeType, FrameType

from pytest_flex.source.calls import SiteCalls, calls_at
from pytest_flex.source.file import source_of
from pytest_flex.source.site import Form, Site, identity, relative


class SiteFinder:
    """Finds the sites of one test."""

    def __init__(self, test: CodeType, folder: os.PathLike[str]) -> None:
        self.test = test
        self.folder = folder
        self.known: dict[tuple[CodeType, int, str | None], Site] = {}
        # How many calls each statement has shown, for Pythons that know no columns.
        self.calls: dict[SiteCalls, list[int]] = {}

    def prepare(self) -> None:
        """Read the test's file, so that processes forked from this one need not."""
        source_of(self.test.co_filename)

    def find(self, frame: FrameType, name: str | None, form: Form) -> Site:
        """Return the site of the call under way in this frame."""
        key = (frame.f_code, frame.f_lasti, name)
        site = self.known.get(key)
        if site is None:
            site = self.known[key] = self._find(frame, name, form)
        return site

    def _find(self, frame: FrameType, name: str | None, form: Form) -> Site:
        file, line = relative(frame.f_code.co_filename, self.folder), frame.f_lineno
        source = source_of(frame.f_code.co_filename)
        calls = None if source is None else calls_at(source, line, form)
        if calls is None:
            if name is None:
                raise form.error(f"{file}:{line}: the call cannot be found in the source; give it a `name`")
            return Site(name, name, file, line)
        statement = calls.statement
        if calls.misuse:
            raise form.error(f"{file}:{line}: {statement.text}: {calls.misuse}")
        if name is None:
            qualname = None if statement.qualname == self._qualname() else statement.qualname
            name = identity(qualname, statement.text, calls.before + self._call(frame, calls))
        return Site(name, statement.text, file, line)

    def _call(self, frame: FrameType, calls: SiteCalls) -> int:
        """Return which of the statement's calls this is, from 0 on."""
        if len(calls.places) == 1:
            return 0
        if sys.version_info >= (3, 11):
            line, _, column, _ = list(frame.f_code.co_positions())[frame.f_lasti // 2]
            if line is not None and column is not None and (line, column) in calls.places:
                return calls.places.index((line, column))
        # What they assert always holds, so that the calls of a statement come in their order.
        seen = self.calls.setdefault(calls, [])
        if frame.f_lasti not in seen:
            seen.append(frame.f_lasti)
        return seen.index(frame.f_lasti)

    def _qualname(self) -> str:
        """Return the qualified name of the test."""
        if sys.version_info >= (3, 11):
            return self.test.co_qualname
        source = source_of(self.test.co_filename)
        return self.test.co_name if source is None else source.qualname_of(self.test)
