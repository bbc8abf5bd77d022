"""Seeding: everything random that a test may draw from follows the seed of its run.

`random`, NumPy's global generator, torch, TensorFlow and the generators of numba's compiled code are seeded where they
are imported, and so is whatever other packages registered for pytest-randomly, which get 32 bits.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

_registered: list[Callable[[int], object]] | None = None


def seed_all(seed: bytes) -> None:
    """Seed everything."""
    random.seed(seed)
    modules = sys.modules
    if "numpy" in modules:
        modules["numpy"].random.seed(int.from_bytes(seed[:4], "little"))
    if "torch" in modules:
        modules["torch"].manual_seed(int.from_bytes(seed[4:12], "little"))
    if "tensorflow" in modules:
        modules["tensorflow"].random.set_seed(int.from_bytes(seed[12:16], "little"))
    if "numba" in modules:
        _seed_numba(int.from_bytes(seed[24:28], "little"))
    seed_registered(seed)


def _seed_numba(number: int) -> None:
    """Seed what `random` and `numpy.random` are in code that numba compiles: generators of its own, by thread."""
    library: Any = sys.modules.get("numba._helperlib")
    for generator in numba_generators():
        library.rnd_seed(generator, number)


def numba_generators() -> list[Any]:
    """Return the generators of this thread for code that numba compiled, where numba has them as it does today."""
    library: Any = sys.modules.get("numba._helperlib")
    names = ("rnd_get_np_state_ptr", "rnd_get_py_state_ptr")
    if not all(hasattr(library, name) for name in (*names, "rnd_seed", "rnd_get_state", "rnd_set_state")):
        return []
    return [getattr(library, name)() for name in names]


def seed_registered(seed: bytes) -> None:
    """Seed what other packages registered for pytest-randomly."""
    for reseed in registered():
        reseed(int.from_bytes(seed[16:20], "little"))


def registered() -> list[Callable[[int], object]]:
    """Return what other packages registered for pytest-randomly."""
    global _registered
    if _registered is None:
        from importlib.metadata import entry_points

        _registered = [entry.load() for entry in entry_points(group="pytest_randomly.random_seeder")]
    return _registered


def imported() -> list[str]:
    """Return what is imported of the libraries with a generator of their own."""
    return [name for name in ("numpy", "torch", "tensorflow") if name in sys.modules]


class States:
    """The states of the generators, to go on from where something else came in between."""

    def __init__(self) -> None:
        modules = sys.modules
        self.random = random.getstate()
        self.numpy: Any = modules["numpy"].random.get_state() if "numpy" in modules else None
        self.torch: Any = modules["torch"].get_rng_state() if "torch" in modules else None
        numba: Any = modules.get("numba._helperlib")
        self.numba = [(generator, numba.rnd_get_state(generator)) for generator in numba_generators()]

    def are_current(self) -> bool:
        """Whether nothing was drawn since."""
        if self.random != random.getstate():
            return False
        if self.numpy is not None:
            key, *rest = sys.modules["numpy"].random.get_state()[1:]
            if rest != list(self.numpy[2:]) or (key != self.numpy[1]).any():
                return False
        numba: Any = sys.modules.get("numba._helperlib")
        if any(numba.rnd_get_state(generator) != state for generator, state in self.numba):
            return False
        return self.torch is None or bool((sys.modules["torch"].get_rng_state() == self.torch).all())

    def restore(self) -> None:
        """Put the generators back to these states."""
        random.setstate(self.random)
        if self.numpy is not None:
            sys.modules["numpy"].random.set_state(self.numpy)
        if self.torch is not None:
            sys.modules["torch"].set_rng_state(self.torch)
        for generator, state in self.numba:
            sys.modules["numba._helperlib"].rnd_set_state(generator, state)


def generator(seed: bytes) -> Any:
    """Return a generator of its own: NumPy's if it is there, else Python's."""
    try:
        import numpy as np
    except ImportError:
        return random.Random(b"flex_rng" + seed)
    return np.random.default_rng(int.from_bytes(seed, "little"))


def number(seed: bytes) -> int:
    """Return a seed for libraries that want one: 32 bits, which all of them take."""
    return int.from_bytes(seed[20:24], "little")


def key(seed: bytes) -> Any:
    """Return a key of JAX."""
    import jax

    return jax.random.key(number(seed))
