"""A plugin that records the assertions of every test over a few runs, for tests of what is recorded.

`OBSERVE_RUNS` runs are made, the seed of `random` being the run, and `observed.json` tells what they showed. The test
fails as its last run did. Without `OBSERVE_RUNS` the plugin does nothing.
"""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

RUNS = int(os.environ.get("OBSERVE_RUNS", "0"))
FOUND: dict[str, Any] = {}


def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    if RUNS:
        from pytest_flex.observing import hook

        hook.install(early_config)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items if RUNS else ():
        item.runtest = observed(item)  # type: ignore[method-assign]


def observed(item: Any) -> Any:
    from pytest_flex import running
    from pytest_flex._native import RecordBuilder, TestRecord
    from pytest_flex.observing import hook
    from pytest_flex.observing.observed import Sites

    runtest = item.runtest

    def run() -> None:
        record = TestRecord(item.name, "", 1)
        sites = Sites(item.config.rootpath, record)
        runs = []
        with hook.recording(item.config.rootpath):
            for index in range(RUNS):
                random.seed(index)
                error: BaseException | None = None
                sites.start(index)
                running.sites = sites
                try:
                    runtest()
                except BaseException as failure:
                    error = failure
                finally:
                    running.sites = None
                # unittest keeps what went wrong instead of raising it.
                kept = item.__dict__.get("_excinfo")
                raised = kept[0].value if kept else error
                sites.finish("pass" if raised is None else "fail", None, raised)
                runs.append(
                    {
                        "hits": [list(map(str, hit)) for hit in record.hits()],
                        "values": [list(map(str, value)) for value in record.values()],
                    }
                )
                if kept and index < RUNS - 1:
                    kept.clear()
        whole = RecordBuilder("", "")
        whole.add(record)
        test = json.loads(whole.to_bytes())["tests"][0]
        for run, made in zip(runs, test["runs"], strict=True):
            run["failed"] = made.get("failed_site")
        FOUND[item.name] = {"runs": runs, "sites": test["sites"]}
        if error is not None:
            raise error

    return run


def pytest_sessionfinish(session: pytest.Session) -> None:
    if RUNS:
        Path(session.config.rootpath, "observed.json").write_text(json.dumps(FOUND, allow_nan=False), encoding="utf-8")
