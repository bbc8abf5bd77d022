"""Functions of a project that `flex.toml` names under `[[assertion]]`: they are recorded like those of libraries."""

from __future__ import annotations

import functools
import inspect
from pathlib import Path
from typing import Any

from pytest_flex import _native
from pytest_flex.observing.comparing import Closeness, collected, extreme
from pytest_flex.observing.functions import Asserting
from pytest_flex.observing.tolerances import Call, Measured


@functools.cache
def declared(root: Path) -> tuple[Asserting, ...]:
    """Return the functions that `flex.toml` names."""
    return tuple(_declared(*stated) for stated in _native.Environment(root).assertions)


def _declared(function: str, actual: str, expected: str | None, kind: str, parameter: str) -> Asserting:
    def measure(function: Asserting, call: Call) -> list[Measured]:
        given = function.given(call)
        bound = float(given[parameter])
        value, other = collected(given[actual]), None if expected is None else collected(given[expected])
        if value is None or (expected is not None and other is None):
            return []
        if kind in ("upper", "lower"):
            return [(kind, extreme(value, kind == "upper"), bound, parameter)]
        if other is None:
            # It is a difference already.
            role = "absolute" if kind == "atol" else "relative"
            return [(role, extreme(abs(value), True), bound, parameter)]
        needed = Closeness(0.0, 0.0, equal_nan=True).needed(value, other)
        if needed is None:
            return []
        absolute, relative = needed
        found = ("absolute", absolute) if kind == "atol" else ("relative", relative)
        return [(*found, bound, parameter)]

    holder, name = function.rsplit(".", 1)
    return _WithSignature(holder, name, function, (), measure=measure)


class _WithSignature(Asserting):
    """A function whose parameters are those that it turns out to have."""

    def wrap(self, original: Any) -> Any:
        """Return a function that does what the original does, and tells."""
        parameters = inspect.signature(original).parameters.values()
        placed = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        names = tuple(parameter.name for parameter in parameters if parameter.kind in placed)
        defaults = {each.name: each.default for each in parameters if each.default is not each.empty}
        known = Asserting(self.holder, self.name, self.form, names, defaults, self.measure)
        return known.wrap(original)
