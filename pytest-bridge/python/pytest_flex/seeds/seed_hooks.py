"""Where libraries ask for seeds: replaced below all their public names, so that those stay what they are.

Classes and functions keep their identity, wherever a module took them from: NumPy's legacy generators seed themselves
by a method of their bit generator, everything newer assembles its entropy in one function, and Python functions get
other code in their place (`redirect`). So `isinstance`, pickling and subclassing work as ever.
"""

from __future__ import annotations

import importlib
import operator
import random
import sys
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, TypeAlias

from pytest_flex import _native
from pytest_flex.seeds import literal_seeds
from pytest_flex.seeds.redirect import redirected, replace_code, varied, vary_seed

_Put: TypeAlias = Callable[[], Callable[[], None]]
"""Puts something in place, and returns how to take it away."""

not_varied: list[str] = []
"""What cannot be replaced, in words."""

_installed: dict[str, Callable[[], None]] = {}
"""How to take away what was put in place, by library."""


def install() -> None:
    """Replace what is imported and not replaced yet."""
    for library, put in _LIBRARIES.items():
        if library not in _installed and library.split(":")[0] in sys.modules:
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
    return replace_code(function, _random_seed(object).__code__)


def _functions(module: str, names: Iterable[str], of: str, parameter: str | None = "seed") -> _Put:
    """Return what lets functions of a module be asked for their seeds; people know them as those `of` something.

    Without a parameter, the seed is the first.
    """

    def put() -> Callable[[], None]:
        taken_away = []
        for name in names:
            found: Any = sys.modules[module]
            for part in name.split("."):
                found = getattr(found, part, None)
            take_away = vary_seed(found, f"{of}.{name}", parameter)
            if take_away is None:
                needs = "with a seed" if parameter is None else f"with the parameter `{parameter}`"
                not_varied.append(f"{of}.{name} is no function of Python {needs}: seeds that it gets are not varied")
            else:
                taken_away.append(take_away)

        def take_all_away() -> None:
            for take_away in taken_away:
                take_away()

        return take_all_away

    return put


def _torch() -> Callable[[], None]:
    take_away = _functions("torch", ["manual_seed"], "torch")()
    # Generators are written in C, and ask for as long as the process lives; outside of runs they get what is stated.
    if not _native.give_instead(sys.modules["torch"].Generator().manual_seed, _seed_of_generator):
        not_varied.append("torch.Generator.manual_seed is not what it was: seeds that it gets are not varied")
    return take_away


def _seed_of_generator(generator: Any, seed: Any) -> Any:
    """Return what a generator of torch is seeded with; what torch itself seeds follows from another seed."""
    caller = sys._getframe(1).f_globals.get("__name__", "")
    if literal_seeds.run is None or caller.split(".")[0] == "torch":
        return seed
    call = "torch.Generator.manual_seed"
    # What is drawn from it is seen by nobody else.
    _native.noted("randomness", call, True)
    return varied(seed, call)


def name_functions(functions: list[tuple[str, str | None]]) -> None:
    """Let functions of the project be asked for their seeds: each by its full name, with the parameter if stated."""
    for function, parameter in functions:
        module, _, name = function.rpartition(".")
        _LIBRARIES[f"{module}:{name}"] = _functions(module, [name], module, parameter)


def _random_seed(__class__: type) -> FunctionType:
    def seed(self: Any, a: Any = None, version: int = 2) -> None:
        from pytest_flex.seeds.redirect import redirected

        redirected["random"](self, a, version)
        # Code can only be replaced by code that has the same free variables, here that of `super()`.
        _ = __class__

    return seed  # type: ignore[return-value]


_STATELESS = (
    "stateless_random_uniform",
    "stateless_random_normal",
    "stateless_truncated_normal",
    "stateless_categorical",
    "stateless_random_binomial",
    "stateless_random_gamma",
    "stateless_random_poisson",
    "stateless_shuffle",
)
"""What TensorFlow draws by a seed alone."""

_TF = "tensorflow.python."

# By the module that is there when a library is; what a project names has the function behind it.
_LIBRARIES: dict[str, _Put] = {
    "random": _random,
    "numpy": _numpy,
    "torch": _torch,
    "jax.random": _functions("jax.random", ["key", "PRNGKey"], "jax.random"),
    f"{_TF}framework.random_seed": _functions(f"{_TF}framework.random_seed", ["set_seed"], "tf.random"),
    f"{_TF}ops.stateful_random_ops": _functions(f"{_TF}ops.stateful_random_ops", ["Generator.from_seed"], "tf.random"),
    f"{_TF}ops.stateless_random_ops": _functions(f"{_TF}ops.stateless_random_ops", _STATELESS, "tf.random"),
}
