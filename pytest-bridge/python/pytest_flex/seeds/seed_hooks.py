"""Where libraries ask for seeds: replaced below all their public names, so that those stay what they are.

Classes and functions keep their identity, wherever a module took them from: NumPy's legacy generators seed themselves
by a method of their bit generator, everything newer assembles its entropy in one function, and Python functions get
other code in their place. So `isinstance`, pickling and subclassing work as ever.
"""

from __future__ import annotations

import importlib
import inspect
import operator
import random
import sys
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from pytest_flex.seeds import literal_seeds

not_varied: list[str] = []
"""What cannot be replaced, in words."""

_installed: dict[str, Callable[[], None]] = {}
"""How to take away what was put in place, by library."""


def install() -> None:
    """Replace what is imported and not replaced yet."""
    for library, put in _LIBRARIES.items():
        if library not in _installed and library in sys.modules:
            _installed[library] = put()


def remove() -> None:
    """Put everything back."""
    while _installed:
        _, take_away = _installed.popitem()
        take_away()


def _numpy() -> Callable[[], None]:
    np: Any = importlib.import_module("numpy")
    bit_generator: Any = importlib.import_module("numpy.random.bit_generator")
    mtrand: Any = importlib.import_module("numpy.random.mtrand")
    coerce, randbits = bit_generator._coerce_to_uint32_array, bit_generator.randbits
    plain = mtrand._MT19937

    def entropy(given: Any) -> Any:
        if literal_seeds.run is None or isinstance(given, _Drawn):
            return coerce(given)
        if isinstance(given, np.ndarray):
            given = given.tolist()
        # A tuple is mostly the key of a child that was spawned, not a seed; its elements come here one by one.
        quiet = isinstance(given, tuple)
        if quiet or isinstance(given, list):
            return coerce([_Quiet(n) if quiet and isinstance(n, int) else n for n in given])
        if isinstance(given, int | np.integer) and given >= 0:
            given = literal_seeds.varied(int(given), "numpy.random.default_rng", isinstance(given, _Quiet))
        return coerce(given)

    def bits(count: int) -> int:
        return randbits(count) if literal_seeds.run is None else _Drawn(literal_seeds.unseeded(count))

    class AnyMT19937(type):
        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, plain)

    class MT19937(plain, metaclass=AnyMT19937):  # type: ignore[misc, valid-type]
        """NumPy's own in all but where its seed comes from; it is pickled as NumPy's."""

        call = "numpy.random.RandomState"

        def _legacy_seeding(self, seed: Any) -> None:
            # This says what is wrong with a seed.
            super()._legacy_seeding(seed)
            if seed is None or literal_seeds.run is None:
                return
            literal = _literal(np, seed)
            number: Any
            if isinstance(literal, list):
                number = [literal_seeds.varied(one, self.call) for one in literal]
            else:
                number = literal_seeds.varied(literal, self.call)
            if number != literal:
                super()._legacy_seeding(number)

        def __reduce__(self) -> Any:
            make, (kind, *rest), *state = super().__reduce__()
            return (make, (plain if isinstance(kind, type) else kind, *rest), *state)

    MT19937.__module__, MT19937.__qualname__ = plain.__module__, plain.__qualname__
    usual: Any = np.random.get_bit_generator() if hasattr(np.random, "get_bit_generator") else None
    ours = MT19937()
    is_legacy = isinstance(usual, plain)
    if is_legacy:
        ours.call = "numpy.random.seed"
        ours.state = usual.state
        np.random.set_bit_generator(ours)
    elif usual is None:
        not_varied.append(f"NumPy {np.__version__} is older than 1.24: numpy.random.seed is not varied")
    bit_generator._coerce_to_uint32_array = entropy
    bit_generator.randbits = bits
    mtrand._MT19937 = MT19937

    def take_away() -> None:
        bit_generator._coerce_to_uint32_array = coerce
        bit_generator.randbits = randbits
        mtrand._MT19937 = plain
        if is_legacy and np.random.get_bit_generator() is ours:
            usual.state = ours.state
            np.random.set_bit_generator(usual)

    return take_away


class _Drawn(int):
    """Entropy that follows the run already, for a generator without a seed."""

    def __reduce__(self) -> Any:
        return int, (int(self),)


class _Quiet(int):
    """A number that is no seed of its own, and not worth mentioning."""


def _literal(np: Any, seed: Any) -> int | list[int]:
    """Return a legacy seed as NumPy reads it: one number, or several."""
    if hasattr(seed, "squeeze"):
        seed = np.squeeze(seed)
    try:
        return operator.index(seed)
    except TypeError:
        return [int(one) for one in np.asarray(seed).ravel()]


def _random() -> Callable[[], None]:
    """Replace the code of `Random.seed`: `random.seed` is bound to that very function."""
    function = random.Random.seed
    original = FunctionType(
        function.__code__, function.__globals__, "seed", function.__defaults__, function.__closure__
    )

    def seed(generator: random.Random, a: Any, version: int) -> None:
        if literal_seeds.run is not None:
            if a is None:
                a = literal_seeds.unseeded(256)
            elif isinstance(a, int | float | str | bytes | bytearray):
                is_global = generator is random._inst
                call = "random.seed" if is_global else "random.Random"
                a = literal_seeds.varied(a, call)
        original(generator, a, version)

    redirected["random"] = seed
    return _replace_code(function, _random_seed(object).__code__)


def _torch() -> Callable[[], None]:
    function = inspect.unwrap(sys.modules["torch"].manual_seed)
    original = FunctionType(function.__code__, function.__globals__, "manual_seed", function.__defaults__)

    def manual_seed(seed: Any) -> Any:
        return original(literal_seeds.varied(int(seed), "torch.manual_seed"))

    redirected["torch"] = manual_seed
    return _replace_code(function, _torch_seed.__code__)


redirected: dict[str, Callable[..., Any]] = {}
"""What is called instead of functions that have other code."""


def _random_seed(__class__: type) -> FunctionType:
    def seed(self: Any, a: Any = None, version: int = 2) -> None:
        from pytest_flex.seeds.seed_hooks import redirected

        redirected["random"](self, a, version)
        # Code can only be replaced by code that has the same free variables, here that of `super()`.
        _ = __class__

    return seed  # type: ignore[return-value]


def _torch_seed(seed: Any) -> Any:
    from pytest_flex.seeds.seed_hooks import redirected

    return redirected["torch"](seed)


def _replace_code(function: Any, code: CodeType) -> Callable[[], None]:
    before = function.__code__
    function.__code__ = code

    def take_away() -> None:
        function.__code__ = before

    return take_away


_LIBRARIES: dict[str, Callable[[], Callable[[], None]]] = {
    "random": _random,
    "numpy": _numpy,
    "torch": _torch,
}
