"""The source of a test module: where its functions stand, and what is random while it is imported."""

from __future__ import annotations

import ast
import functools
import tokenize
from typing import Any

SEEDING = ("seed", "RandomState", "default_rng", "Random", "manual_seed", "check_random_state", "PRNGKey")
"""Functions that seed a generator or make one."""

KEYWORDS = ("random_state", "random_seed", "seed")


class ModuleSource:
    """What one file says."""

    def __init__(self, tree: ast.Module) -> None:
        self.functions: dict[int, Any] = {}
        self.random: list[tuple[int, str]] = []
        """Random statements at the level of the module or of a class: line and text."""
        self._walk(tree.body)

    def span_of(self, line: int) -> dict[str, int] | None:
        """Return where the function stands that begins in this line, its decorators included."""
        node = self.functions.get(line)
        if node is None:
            return None
        return {
            "line": line,
            "column": node.col_offset,
            "end_line": node.end_lineno,
            "end_column": node.end_col_offset,
        }

    def _walk(self, body: list[ast.stmt]) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                self.functions[first] = node
            elif isinstance(node, ast.ClassDef | ast.If | ast.Try | ast.With | ast.For):
                for part in ("body", "orelse", "finalbody"):
                    self._walk(getattr(node, part, []))
            elif any(isinstance(inner, ast.Call) and _is_random(inner) for inner in ast.walk(node)):
                self.random.append((node.lineno, ast.unparse(node).split("\n")[0][:80]))


@functools.cache
def module_source(file: str) -> ModuleSource | None:
    """Read a file; `None` if that cannot be done."""
    try:
        with tokenize.open(file) as text:
            return ModuleSource(ast.parse(text.read()))
    except (OSError, SyntaxError, ValueError):
        return None


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
