"""TensorFlow and Keras: every draw asks one of a few functions of Python first, which are wrapped where they are.

What a graph draws that is there already asks nobody, so that every call of a graph counts.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from pytest_flex import _native

OPERATIONS = "tensorflow.random"
GENERATORS = "tensorflow.random.Generator"

_EAGER = "tensorflow.python.eager."
_OPS = "tensorflow.python.ops.stateful_random_ops"
_GRAPHS = _EAGER + "polymorphic_function.polymorphic_function"

_seeded_run = -1
"""The run in which TensorFlow was seeded last."""


def watch_tensorflow(current_run: Callable[[], int]) -> bool:
    """Let all that draws report, and return whether it does."""

    def seeding() -> None:
        global _seeded_run
        _seeded_run = current_run()

    def drawing(what: str) -> Callable[[], None]:
        return lambda: _note(what, _seeded_run == current_run())

    def unseeded(what: str) -> Callable[[], None]:
        return lambda: _note(what, False)

    return all(
        [
            _wrap(_EAGER + "context", "set_global_seed", seeding),
            _wrap("tensorflow.python.framework.random_seed", "get_seed", drawing(OPERATIONS)),
            _wrap(_OPS, "non_deterministic_ints", unseeded(GENERATORS)),
            _wrap(_OPS, "Generator.skip", unseeded(GENERATORS)),
            _wrap(_OPS, "Generator._prepare_key_counter", unseeded(GENERATORS)),
            _wrap(_GRAPHS, "Function.__call__", unseeded("a graph of TensorFlow, which may draw")),
        ]
    )


def watch_keras() -> bool:
    """Let the generators of Keras report, and return whether they do."""
    return _wrap("keras.src.random.seed_generator", "SeedGenerator.next", lambda: _note("keras.random", False))


def _note(what: str, seeded: bool) -> None:
    _native.noted("randomness", what, seeded)


def _wrap(module: str, path: str, before: Callable[[], None]) -> bool:
    """Let a function or method do something before it does what it does, and return whether it is there."""
    holder: Any = sys.modules.get(module)
    *classes, name = path.split(".")
    for part in classes:
        holder = getattr(holder, part, None)
    function = getattr(holder, name, None)
    if not callable(function):
        return False

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        before()
        return function(*args, **kwargs)

    setattr(holder, name, wrapped)
    return True
