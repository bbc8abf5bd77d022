"""What the marker of a test says, and the fingerprint of its source."""

from __future__ import annotations

import ast
import hashlib
import inspect
import io
import textwrap
import tokenize
from typing import Any

import pytest

from pytest_flex._native import Test, test_options
from pytest_flex.session.session import FlexSession


def described() -> str:
    """Return what `pytest --markers` says."""
    options = ", ".join(f"{name}={example}" for name, example in test_options())
    return f"stochastic({options}): a test of randomised code, whose bounds flex learns and enforces"


def test_of(item: pytest.Function, session: FlexSession) -> Test:
    """Return the test as the engine knows it."""
    options = options_of(item)
    path, line, _ = item.location
    place, name, selection = (path, (line or 0) + 1), session.name_of(item), session.selection_of(item)
    try:
        return Test(session.environment, name, selection, place, fingerprint(item.function), options)
    except ValueError as error:
        raise pytest.UsageError(f"{item.nodeid}: {error}") from None


def options_of(item: pytest.Item) -> dict[str, Any]:
    """Return what the markers of a test say."""
    options: dict[str, Any] = {}
    # The marker of a function comes before that of its class or module.
    for mark in item.iter_markers("stochastic"):
        if mark.args:
            raise pytest.UsageError(f"{item.nodeid}: stochastic takes options by name, such as confidence=0.9999")
        for key, value in mark.kwargs.items():
            options.setdefault(key, value)
    return options


def fingerprint(function: Any) -> str:
    """Return a hash of a function's tokens, without its comments, its docstring and what flex and pytest read."""
    try:
        source = textwrap.dedent(inspect.getsource(inspect.unwrap(function)))
        node = ast.parse(source).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):
        return hashlib.sha256(function.__qualname__.encode()).hexdigest()[:8]
    skipped = [_lines(decorator) for decorator in getattr(node, "decorator_list", []) if _is_ours(decorator)]
    if ast.get_docstring(node, clean=False) is not None:  # type: ignore[arg-type]
        skipped.append(_lines(node.body[0]))  # type: ignore[attr-defined]
    words = []
    unread = (tokenize.COMMENT, tokenize.NL)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        # How deep a line is indented counts, not by what.
        structure = {tokenize.INDENT: "{", tokenize.DEDENT: "}"}.get(token.type)
        if structure is not None:
            words.append(structure)
        elif token.type not in unread and not any(token.start[0] in lines for lines in skipped):
            words.append(token.string)
    return hashlib.sha256("".join(words).encode()).hexdigest()[:8]


def _lines(node: Any) -> range:
    return range(node.lineno, node.end_lineno + 1)


def _is_ours(decorator: ast.expr) -> bool:
    """Whether a decorator says nothing about what one item does: parameters are in its node id."""
    name = decorator.func if isinstance(decorator, ast.Call) else decorator
    last = name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", None)
    return last in ("stochastic", "parametrize")
