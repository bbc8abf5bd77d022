"""What the tests of a search share: the record of what they showed, the rule of the search, and what to say of them."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from pytest_flex import _native, options
from pytest_flex.seeds import seed_hooks
from pytest_flex.seeds.at_import import random_statements
from pytest_flex.seeds.wide import WideFixtures
from pytest_flex.session import restart
from pytest_flex.session.order import Order
from pytest_flex.session.pairs_order import PairsOrder
from pytest_flex.session.session import FlexSession
from pytest_flex.session.trials import BROKEN_AFTER, Trials
from pytest_flex.source.file import source_of


class SearchSession(FlexSession):
    """A search for flaky tests, as those who run its tests see it."""

    wide: WideFixtures

    def __init__(self, config: pytest.Config) -> None:
        super().__init__(config)
        if self.replayed is not None and self.mode in ("record", "detect"):
            raise pytest.UsageError("a search has a base seed, not a single run: leave out what begins with `@`")
        self.repeated = None if self.options.repeat is None else Order.read(self.options.repeat)
        if self.repeated is not None:
            self.base, self.replayed = self.repeated.base, None
            self.told.append(str(self.repeated.hang))
        self.trials = None if self.options.trials is None else Trials.read(self.options.trials)
        self.pairs = None if self.options.pairs is None else PairsOrder.read(self.options.pairs)
        if self.pairs is not None:
            self.base, self.replayed = self.pairs.base, None
        self.record = self.new_record()
        seed_hooks.name_functions(self.environment.seeds)
        self.hung = False
        """Whether a run hung that was repeated in another process."""

    def pace_of(self, name: str) -> float | None:
        """Return the seconds that runs of a test took in another process, if that is known."""
        return None if self.repeated is None else self.repeated.pace.get(name)

    def done(self) -> int:
        """Return the number of tests whose runs have been made."""
        return len(self.record)

    def new_record(self) -> _native.RecordBuilder:
        """Return a record without tests."""
        manager = self.config.pluginmanager
        rerun_marker = next((name for name in ("rerunfailures", "flaky") if manager.hasplugin(name)), None)
        started = str(self.config.invocation_params.dir)
        return _native.RecordBuilder(self.base, str(self.folder), rerun_marker, started)

    def new_search(self, name: str) -> _native.Search:
        """Return a search of a test by the options, or with as many runs as the gate asks for."""
        if self.trials is not None:
            runs, _ = self.trials.of(name)
            # No convergence ends it: as many trials were asked for.
            return _native.Search(runs=runs, max_runs=runs, catch=1e-300, fast=True, broken_after=BROKEN_AFTER)
        return _native.Search(**{**self.options.of_search(), "runs": self.options.runs or self.environment.runs})

    def expected_pace(self, name: str) -> float:
        """Return the seconds that a run of a test is expected to take before any was made; 0 if nobody knows."""
        return 0.0 if self.trials is None else self.trials.of(name)[1]

    def deadline(self) -> float | None:
        """Return when the runs of this turn of a test must end."""
        if self.trials is not None:
            return self.trials.deadline
        return None if self.turn is None else self.turn.deadline

    @property
    def repeats_all(self) -> bool:
        """Whether runs of all tests are made again, and not only those of fixed ones."""
        return self.trials is None or self.trials.repeats_all

    def replay(self, item: pytest.Item) -> tuple[str | None, list[tuple[str, str | None]], int | None]:
        """Return what a run is made again with: an ini file, options, and a number for the order of hashes."""
        config = self.config.option.inifilename
        if config:
            config = self.relative(os.path.join(self.config.invocation_params.dir, config))
        hashes = restart.hash_seed()
        repeated = list(self._repeated())
        if not isinstance(item, pytest.Function) and self.config.getoption("doctestmodules", False):
            repeated.append(("doctest-modules", None))
        return config or None, repeated, None if hashes in (None, "0") else int(hashes)

    def _repeated(self) -> Iterator[tuple[str, str | None]]:
        for field, name, option in options.table():
            value = options.given(self.config, field) if option.repeats else None
            if value is not None and field == "bounds":
                yield name, self.relative(str(self.bounds_file))
            elif value is not None:
                yield name, None if option.read is None else value

    def notes_of(self, item: pytest.Function, file: str) -> list[str]:
        """Return what the reader should know about a test: what was drawn once for all runs."""
        notes = list(seed_hooks.not_varied)
        source = source_of(file)
        random = [] if source is None else random_statements(source)
        if random:
            places = [f"{self.relative(file)}:{line} `{text}`" for line, text in random]
            more = f", and {len(places) - 3} more" if len(places) > 3 else ""
            what = "what is drawn and seeded while modules are imported is not varied"
            notes.append(f"{what}: {', '.join(places[:3])}{more}")
        fixtures = [fixture for defs in item._fixtureinfo.name2fixturedefs.values() for fixture in defs]
        for fixture in fixtures:
            if fixture in self.wide.drawn:
                scope = "module" if fixture.scope in ("class", "module") else "session"
                notes.append(
                    f"the {fixture.scope} fixture `{fixture.argname}` is drawn once for all runs; "
                    f"--flex-fresh={scope} draws it anew for each"
                )
        return notes
