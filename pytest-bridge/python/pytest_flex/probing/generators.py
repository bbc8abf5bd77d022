"""Generators of libraries that draw without a function of C that could report: NumPy, torch, JAX, TensorFlow and more.

Every draw from a generator of NumPy takes the lock of that generator, so it is known by its lock. The global generators
of torch and numba are known by their state, and JAX by the keys that are made. `tensor_flow` has the rest.
"""

from __future__ import annotations

import gc
import importlib
import inspect
import sys
import threading
from types import FunctionType
from typing import Any

from pytest_flex import _native

_Reentrant: Any = type(threading.RLock())


class GeneratorLock(_Reentrant):
    """The lock of a generator of NumPy that says in which run it was made."""

    __slots__ = ("made",)

    def __init__(self) -> None:
        # Without a seed it asks the operating system for one, which is noted besides.
        is_ours = _native.noted("randomness", "numpy.random: a generator made", True)
        self.made = _native.current_run() if is_ours else 0


_hooked: set[str] = set()


def _follow_states(library: str) -> None:
    _hooked.add(library)
    _native.set_states(_remember, _compare)


def numpy() -> None:
    """Know generators of NumPy by their locks."""
    module: Any = importlib.import_module("numpy.random.bit_generator")
    for name in ("Lock", "RLock"):
        if hasattr(module, name):
            setattr(module, name, GeneratorLock)
    known = [found.lock for found in gc.get_objects() if isinstance(found, module.BitGenerator)]
    _native.generator_locks(GeneratorLock, known)
    _follow_states("numpy")


def jax() -> None:
    """Take note of keys of JAX that are made."""
    for name, code in (("PRNGKey", _prng_key.__code__), ("key", _key.__code__)):
        function = inspect.unwrap(getattr(sys.modules["jax"].random, name))
        if not function.__code__.co_freevars:
            _keys[name] = FunctionType(function.__code__, function.__globals__, name, function.__defaults__)
            _keys[name].__kwdefaults__ = function.__kwdefaults__
            function.__code__ = code


_keys: dict[str, FunctionType] = {}
"""What makes keys of JAX, by name."""


def made_key(name: str, *args: Any, **kwargs: Any) -> Any:
    """Make a key of JAX, and take note of it: what is drawn by a key follows from that alone."""
    _native.noted("randomness", f"jax.random.{name}()", True)
    return _keys[name](*args, **kwargs)


def _prng_key(*args: Any, **kwargs: Any) -> Any:
    from pytest_flex.probing.generators import made_key

    return made_key("PRNGKey", *args, **kwargs)


def _key(*args: Any, **kwargs: Any) -> Any:
    from pytest_flex.probing.generators import made_key

    return made_key("key", *args, **kwargs)


def torch() -> None:
    """Know the global generator of torch by its state, and others by being found."""
    # A generator that asks the operating system, past Python.
    _native.intercept(sys.modules["torch"].Generator().seed, "randomness", "torch.Generator.seed()", "always")
    _learn_generators()
    _native.on_nothing_seen(_find_unseen)
    _follow_states("torch")


def tensorflow() -> None:
    """Watch what draws in TensorFlow."""
    from pytest_flex.probing import tensor_flow

    if not tensor_flow.watch_tensorflow(_native.current_run):
        _unwatched.append("TensorFlow, of a version that cannot be watched")
        _follow_states("tensorflow")


def numba() -> None:
    """Know what numba's compiled code draws from by its states."""
    _follow_states("numba")


def keras() -> None:
    """Watch the generators of Keras."""
    from pytest_flex.probing import tensor_flow

    if not tensor_flow.watch_keras():
        _unwatched.append("Keras, of a version that cannot be watched")
        _follow_states("keras")


_unwatched: list[str] = []
"""Libraries that may draw in every run."""


class _States:
    """The states of generators of torch and numba before a window."""

    def __init__(self) -> None:
        self.everywhere: Any = None
        """That of the global one; `None` before torch was imported."""
        self.others: list[tuple[Any, Any]] = []
        """Generators of torch that were made before the run, and their states."""
        self.numba: Any = None


_before = _States()


def _remember() -> None:
    """Take note of the states of generators that are known by nothing else, before a window."""
    if "numpy" in _hooked:
        # Somebody may have replaced it.
        _native.global_lock(sys.modules["numpy.random.mtrand"]._rand._bit_generator.lock)
    if "torch" in _hooked:
        _before.everywhere = sys.modules["torch"].get_rng_state()
        _before.others = [(generator, generator.get_state()) for generator in _made_before.values()]
    if "numba" in _hooked:
        _before.numba = _numba_states()


def _compare() -> None:
    """Say what changed in a window."""
    for library in _unwatched:
        _native.found("randomness", library, False)
    if _before.everywhere is not None:
        if not bool((sys.modules["torch"].get_rng_state() == _before.everywhere).all()):
            _native.found("randomness", "torch", _native.is_seeded())
        if not all(bool((generator.get_state() == state).all()) for generator, state in _before.others):
            _native.found("randomness", FROM_BEFORE, False)
    if _before.numba is not None and _numba_states() != _before.numba:
        _native.found("randomness", "numba", _native.is_seeded())


def _numba_states() -> Any:
    """Return the states of what numba's compiled code draws from in this thread."""
    from pytest_flex.seeds.seeding import numba_generators

    library: Any = sys.modules["numba._helperlib"]
    return [library.rnd_get_state(generator) for generator in numba_generators()]


FROM_BEFORE = "torch.Generator: a generator from before the run"

_made_before: dict[int, Any] = {}
"""Generators of torch that are known, by their addresses; torch's global one is not among them."""


def _find_unseen() -> None:
    """Say whether a run that seems to touch nothing leaves a generator of torch behind that was not known before.

    Nobody knows what was drawn from it: it may have been there before, where nothing that was looked at led to it.
    """
    if _learn_generators():
        _native.found("randomness", FROM_BEFORE, False)


def _learn_generators() -> bool:
    """Look for generators of torch, which takes some hundredths of a second; returns whether there are new ones."""
    torch = sys.modules["torch"]
    known = len(_made_before)
    found = (found for found in _native.living(torch.Generator) if found is not torch.default_generator)
    _made_before.update((id(generator), generator) for generator in found)
    return len(_made_before) > known
