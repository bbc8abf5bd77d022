"""Seeding: everything random that a test may draw from follows the seed of its run.

`random`, NumPy's global generator, torch and TensorFlow are seeded where they are imported, and so is whatever other
packages registered for pytest-randomly, which get 32 bits.
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
    seed_registered(seed)


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

    def are_current(self) -> bool:
        """Whether nothing was drawn since."""
        if self.random != random.getstate():
            return False
        if self.numpy is not None:
            key, *rest = sys.modules["numpy"].random.get_state()[1:]
            if rest != list(self.numpy[2:]) or (key != self.numpy[1]).any():
                return False
        return self.torch is None or bool((sys.modules["torch"].get_rng_state() == self.torch).all())

    def restore(self) -> None:
        """Put the generators back to these states."""
        random.setstate(self.random)
        if self.numpy is not None:
            sys.modules["numpy"].random.set_state(self.numpy)
        if self.torch is not None:
            sys.modules["torch"].set_rng_state(self.torch)


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
