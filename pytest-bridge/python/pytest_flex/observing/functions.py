"""A function that asserts something about numbers, and its wrapper, which is in its place while runs are made.

The wrapper calls the function as it was called, tells the sites of the test what it
was given, and leaves no trace in a traceback.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pytest_flex import running
from pytest_flex.observing.comparing import numbers
from pytest_flex.observing.tolerances import Call, Defaults, Measured

Given = dict[str, Any]
"""The arguments of a call, by the names of parameters, defaults included."""

Measure = Callable[["Asserting", Call], list[Measured]]


def _nothing(function: Asserting, call: Call) -> list[Measured]:
    return []


@dataclass(frozen=True, eq=False)
class Asserting:
    """A function that asserts something about numbers."""

    holder: str
    """The module, or the module and class, that holds it."""
    name: str
    form: str
    parameters: tuple[str, ...]
    """Those that can be given by their place."""
    defaults: dict[str, Any] = field(default_factory=dict)
    measure: Measure = _nothing
    order: str | None = None
    """`less` or `greater` for a function that compares its first two arguments."""
    is_predicate: bool = False
    """Whether it returns a truth that has yet to be asserted."""
    number: Callable[[Any], Any] = numbers

    @property
    def is_method(self) -> bool:
        """Whether it is held by a class."""
        return self.parameters[:1] == ("self",)

    @functools.cached_property
    def places(self) -> dict[str, int]:
        """Where each parameter stands in a call."""
        return {name: place for place, name in enumerate(self.parameters[self.is_method :])}

    @functools.cached_property
    def operands(self) -> tuple[str, ...]:
        """The names of its first two parameters."""
        return self.parameters[self.is_method :][:2]

    def given(self, call: Call) -> Given:
        """Return the arguments of a call."""
        _, args, kwargs, _ = call
        given = self.defaults.copy()
        # There may be fewer arguments than parameters, or more that nobody asks for.
        given.update(zip(self.parameters, args))  # noqa: B905
        given.update(kwargs)
        return given

    def defaults_of(self, measured: list[Measured]) -> Defaults:
        """Return what may be given besides."""
        if self.form == "torch.testing.assert_close":
            # It wants both tolerances or none.
            stated = {argument: repr(bound) for _, _, bound, argument in measured}
            return {
                "rtol": (f"atol={stated['atol']}, rtol", stated["rtol"]),
                "atol": (f"rtol={stated['rtol']}, atol", stated["atol"]),
            }
        return {name: (name, repr(value)) for name, value in self.defaults.items() if _is_number(value)}

    def wrap(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that does what the original does, and tells."""

        @functools.wraps(original)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            # Python 3.10 raises an error again with the traceback that it had.
            __tracebackhide__ = True
            sites = running.sites
            if sites is None or sites.inside:
                try:
                    return original(*args, **kwargs)
                except BaseException as error:
                    _leave(error)
                    raise
            sites.inside = True
            try:
                result = original(*args, **kwargs)
            except BaseException as error:
                sites.inside = False
                if isinstance(error, AssertionError):
                    sites.called(self, sys._getframe(1), (original, args, kwargs, None), error)
                _leave(error)
                raise
            sites.inside = False
            sites.called(self, sys._getframe(1), (original, args, kwargs, result), None)
            return result

        if self.is_method:
            return wrapper
        # pytest shows functions in its explanations, so it must look like the original; it is pickled by its name.
        looks = {
            "__call__": staticmethod(wrapper),
            "__repr__": lambda _: repr(original),
            "__reduce__": lambda _: original.__qualname__,
        }
        return functools.update_wrapper(type("function", (), looks)(), original)


def _leave(error: BaseException) -> None:
    """Take the frame that is being left out of the traceback: it has no part in the error."""
    error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
