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
        self.made = current_run if is_ours else 0


current_run = 0
"""The number of the current run among all that this process has watched; 0 before the first."""

_hooked: set[str] = set()


def begin_run(seeded: bool) -> None:
    """Begin a run; generators that are made from now on belong to it."""
    global current_run
    current_run += 1
    _native.begin_run(current_run, seeded)


def install() -> bool:
    """Look at the libraries that are imported and not looked at yet, and return whether there are any."""
    found = _LIBRARIES.keys() & sys.modules.keys()
    for library in found:
        _hooked.add(library)
        _LIBRARIES.pop(library)()
    return bool(found)


def _numpy() -> None:
    module: Any = importlib.import_module("numpy.random.bit_generator")
    for name in ("Lock", "RLock"):
        if hasattr(module, name):
            setattr(module, name, GeneratorLock)
    known = [found.lock for found in gc.get_objects() if isinstance(found, module.BitGenerator)]
    _native.generator_locks(GeneratorLock, known)


def _jax() -> None:
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


def _torch() -> None:
    # A generator that asks the operating system, past Python.
    _native.intercept(sys.modules["torch"].Generator().seed, "randomness", "torch.Generator.seed()", "always")


def _tensorflow() -> None:
    from pytest_flex.probing import tensor_flow

    if not tensor_flow.watch_tensorflow(lambda: current_run):
        _unwatched.append("TensorFlow, of a version that cannot be watched")


def _keras() -> None:
    from pytest_flex.probing import tensor_flow

    if not tensor_flow.watch_keras():
        _unwatched.append("Keras, of a version that cannot be watched")


_unwatched: list[str] = []
"""Libraries that may draw in every run."""

# By the module that is there when a library is; those that it needs are there before it is whole.
_LIBRARIES = {
    "numpy": _numpy,
    "jax": _jax,
    "torch": _torch,
    "tensorflow.python.eager.polymorphic_function.polymorphic_function": _tensorflow,
    "keras.src.random.seed_generator": _keras,
}
"""What is to be done when a library is imported."""


class GlobalStates:
    """The states of global generators that are known by nothing else."""

    def __init__(self, seeded: bool) -> None:
        self.seeded = seeded
        self.torch: Any = None
        self.numba: Any = None

    def remember(self) -> None:
        """Take note of the states before a window."""
        if "numpy" in _hooked:
            # Somebody may have replaced it.
            _native.global_lock(sys.modules["numpy.random.mtrand"]._rand._bit_generator.lock)
        torch = sys.modules.get("torch")
        self.torch = torch.get_rng_state() if torch is not None else None
        self.numba = _numba_states()

    def compare(self, probe: _native.Probe) -> None:
        """Add what changed in a window."""
        for library in _unwatched:
            probe.add("randomness", library, seeded=False)
        if self.torch is not None and not bool((sys.modules["torch"].get_rng_state() == self.torch).all()):
            probe.add("randomness", "torch", seeded=self.seeded)
        if self.numba is not None and _numba_states() != self.numba:
            probe.add("randomness", "numba", seeded=self.seeded)


def _numba_states() -> Any:
    """Return the states of what numba's compiled code draws from in this thread; `None` without numba."""
    library: Any = sys.modules.get("numba._helperlib")
    if library is None:
        return None
    from pytest_flex.seeds.seeding import numba_generators

    return [library.rnd_get_state(generator) for generator in numba_generators()]
