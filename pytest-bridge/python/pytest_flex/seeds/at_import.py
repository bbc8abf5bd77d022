"""What is random while a test module is imported: statements outside of functions that draw or seed."""

from __future__ import annotations

import ast

from pytest_flex.source.file import Source
from pytest_flex.source.statement import Function

SEEDING = ("seed", "RandomState", "default_rng", "Random", "manual_seed", "check_random_state", "PRNGKey")
"""Functions that seed a generator or make one."""

KEYWORDS = ("random_state", "random_seed", "seed")

_HOLDERS = (*Function.__args__, ast.ClassDef, ast.If, ast.Try, ast.With, ast.For)
"""Statements that are looked at one by one instead."""


def random_statements(source: Source) -> list[tuple[int, str]]:
    """Return random statements at the level of the module or of a class: line and text."""
    return [
        (statement.node.lineno, ast.unparse(statement.node).split("\n")[0][:80])
        for statement in source.statements
        if not statement.functions
        and not isinstance(statement.node, _HOLDERS)
        and any(isinstance(inner, ast.Call) and _is_random(inner) for inner in ast.walk(statement.node))
    ]


def _is_random(call: ast.Call) -> bool:
    """Whether a call draws or seeds, by its name."""
    names: list[str] = []
    function: ast.expr = call.func
    while isinstance(function, ast.Attribute):
        names.insert(0, function.attr)
        function = function.value
    if isinstance(function, ast.Name):
        names.insert(0, function.id)
    if not names:
        return False
    return (
        names[-1] in SEEDING
        or "random" in names[:-1]
        or any(keyword.arg in KEYWORDS and isinstance(keyword.value, ast.Constant) for keyword in call.keywords)
    )
