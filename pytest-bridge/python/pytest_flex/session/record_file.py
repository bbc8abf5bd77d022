"""The file that a search or a trace writes: where it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_flex.options import Options, given


def path(config: pytest.Config, options: Options) -> Path:
    """Return the file for what was seen: what is asked for, or one in pytest's cache."""
    if options.record is None:
        return _cached(config, "trace.json" if options.traces else "detect.json")
    is_given = given(config, "record") is not None
    beside = config.invocation_params.dir if is_given or config.inipath is None else config.inipath.parent
    return beside / options.record


def known(config: pytest.Config, options: Options) -> tuple[Path, Path]:
    """Return the files of the last trace and of the last search, which need not be there."""
    record = path(config, options)
    has_cache = config.pluginmanager.hasplugin("cacheprovider")
    return _cached(config, "trace.json") if has_cache else record.with_name("trace.json"), record


def _cached(config: pytest.Config, name: str) -> Path:
    assert config.cache is not None, "checked before"
    return Path(config.cache.mkdir("flex")) / name


def check(config: pytest.Config, options: Options) -> None:
    """Ask whether the file could be written, before time is spent on what it is to hold."""
    if options.record is None:
        if not config.pluginmanager.hasplugin("cacheprovider"):
            raise pytest.UsageError("there is no cache for what is seen: give --flex-record=FILE")
        return
    file = path(config, options)
    if not file.parent.is_dir():
        raise pytest.UsageError(f"--flex-record={options.record}: there is no such folder")
    # A device or a pipe would be replaced by a file.
    if file.exists() and not file.is_file():
        raise pytest.UsageError(f"--flex-record={options.record}: this is no file")
