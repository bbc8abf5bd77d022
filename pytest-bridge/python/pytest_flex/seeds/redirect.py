"""Functions of Python that get other code: whoever holds them calls what stands in their place."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from pytest_flex import _native
from pytest_flex.seeds import literal_seeds

_PASSED_ON = ["args", "kwargs"]
"""The parameters of a function that probes replaced, which hands on what it gets; its first is the seed."""

redirected: dict[str, Callable[..., Any]] = {}
"""What is called instead of a function, by its name."""


def vary_seed(function: Any, call: str, parameter: str | None) -> Callable[[], None] | None:
    """Let numbers that a function is given as a seed follow the run, and return how to put it back.

    `call` names it for people; without a parameter, the seed is the first. Returns `None` if it has no such parameter,
    or no code that can be changed.
    """
    function = inspect.unwrap(getattr(function, "__func__", function))
    if not isinstance(function, FunctionType) or function.__code__.co_freevars:
        return None
    names = list(inspect.signature(function).parameters)
    if parameter is None or names == _PASSED_ON:
        place, name = 0, parameter or next(iter(names), None)
    else:
        place, name = names.index(parameter) if parameter in names else -1, parameter
    if name is None or place < 0:
        return None
    original = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__)
    original.__kwdefaults__ = function.__kwdefaults__

    def seeded(*args: Any, **kwargs: Any) -> Any:
        # What is drawn from it is seen by nobody else.
        _native.noted("randomness", call, True)
        if name in kwargs:
            kwargs[name] = varied(kwargs[name], call)
        elif place < len(args):
            args = (*args[:place], varied(args[place], call), *args[place + 1 :])
        return original(*args, **kwargs)

    redirected[call] = seeded
    return replace_code(function, _code_for(call))


def replace_code(function: Any, code: CodeType) -> Callable[[], None]:
    """Give a function other code, and return how to take it away."""
    before = function.__code__
    function.__code__ = code

    def take_away() -> None:
        function.__code__ = before

    return take_away


def varied(seed: Any, call: str) -> Any:
    """Return what a seed stands for: a number, or several."""
    if isinstance(seed, list | tuple):
        return type(seed)(varied(one, call) for one in seed)
    if isinstance(seed, bool) or getattr(seed, "shape", ()) != ():
        return seed
    try:
        number = operator.index(seed)
    except TypeError:
        # A key, a generator, or what is being traced: that follows from another seed.
        return seed
    other = literal_seeds.varied(number, call)
    return seed if other == number else other


def _code_for(call: str) -> CodeType:
    code = _elsewhere.__code__
    consts = tuple(call if const == "?" else const for const in code.co_consts)
    return code.replace(co_consts=consts)


def _elsewhere(*args: Any, **kwargs: Any) -> Any:
    from pytest_flex.seeds.redirect import redirected

    return redirected["?"](*args, **kwargs)
