"""Lets everything that varies report to the `_native.Watch` of the run under way."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from pytest_flex import _native
from pytest_flex.probing import entries, sources

_is_installed = False


def install(config: pytest.Config) -> None:
    """Let all of it report; outside of runs that does nothing."""
    global _is_installed
    sources.describe(config)
    if not _is_installed:
        _is_installed = True
        entries.intercept_all()
        _native.hear_audit_events()
        _native.on_imports(_catch_up)
    _native.catch_up()


def _catch_up() -> bool:
    """Let what was imported since report, too; returns whether there is such."""
    found = _awaited.keys() & sys.modules.keys()
    for module in found:
        _awaited.pop(module)()
    return bool(found)


def _library(name: str) -> Callable[[], None]:
    def learn() -> None:
        # Most projects have none of them.
        from pytest_flex.probing import generators

        getattr(generators, name)()

    return learn


# By the module that is there when a library is; those that it needs are there before it is whole.
_awaited = {
    "numpy": _library("numpy"),
    "jax": _library("jax"),
    "torch": _library("torch"),
    "numba._helperlib": _library("numba"),
    "tensorflow.python.eager.polymorphic_function.polymorphic_function": _library("tensorflow"),
    "keras.src.random.seed_generator": _library("keras"),
    **entries.LATE,
}
"""What is to be done when a module is imported."""
