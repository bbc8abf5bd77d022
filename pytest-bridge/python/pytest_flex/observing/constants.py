"""Names that stand for a number: bound once, to a literal, in the function that uses them or in the module."""

from __future__ import annotations

import ast
import functools

from pytest_flex.source.statement import Function


def literal_of(name: str, functions: tuple[Function, ...], tree: ast.Module) -> ast.expr | None:
    """Return the literal that a name is bound to, if that is its only binding, here or in the module."""
    if functions:
        bindings = _bindings(functions[-1]).get(name)
        if bindings is not None:
            return _only_literal(bindings)
        if any(name in _bindings(function) for function in functions):
            return None
    if name in _declared(tree):
        return None
    return _only_literal(_bindings(tree).get(name, []))


def other_use(
    use: ast.Name, functions: tuple[Function, ...], tree: ast.Module, sorts: dict[ast.Name, str]
) -> int | None:
    """Return a line in which the name of a constant is not a bound or tolerance of the same sort, if there is one."""
    scope = functions[-1] if functions and use.id in _bindings(functions[-1]) else tree
    messages = (node.msg for node in ast.walk(scope) if isinstance(node, ast.Assert) and node.msg is not None)
    told = {node for message in messages for node in ast.walk(message)}
    names = (node for node in ast.walk(scope) if isinstance(node, ast.Name) and node.id == use.id)
    uses = (node for node in names if isinstance(node.ctx, ast.Load) and node not in told)
    return next((node.lineno for node in uses if sorts.get(node) != sorts.get(use)), None)


def number_of(node: ast.expr) -> float | None:
    """Return the number that a literal states, with its sign."""
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        sign = -1 if isinstance(node.op, ast.USub) else 1
        node = node.operand
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return sign * float(node.value)  # type: ignore[arg-type]
    return None


def _only_literal(bindings: list[ast.expr | None]) -> ast.expr | None:
    value = bindings[0] if len(bindings) == 1 else None
    return value if value is not None and number_of(value) is not None else None


@functools.cache
def _declared(tree: ast.Module) -> set[str]:
    """Return the names that functions bind elsewhere than in themselves."""
    declared = (node for node in ast.walk(tree) if isinstance(node, ast.Global | ast.Nonlocal))
    return {name for node in declared for name in node.names}


@functools.cache
def _bindings(scope: Function | ast.Module) -> dict[str, list[ast.expr | None]]:
    """Return what the names of a scope are bound to, all bindings of each; `None` for what is no plain assignment."""
    found: dict[str, list[ast.expr | None]] = {}

    def bind(name: str | None, value: ast.expr | None) -> None:
        if name is not None:
            found.setdefault(name, []).append(value)

    def walk(node: ast.AST) -> None:
        if isinstance(node, Function | ast.ClassDef):
            bind(node.name, None)
            inner = (child for child in ast.walk(node) if isinstance(child, ast.Nonlocal))
            for name in {name for declaration in inner for name in declaration.names}:
                bind(name, None)
            return
        if isinstance(node, ast.Lambda):
            return
        value = getattr(node, "value", None)
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            bind(node.targets[0].id, node.value)
            walk(node.value)
            return
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and value is not None:
            bind(node.target.id, value)
            return
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bind(node.id, None)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            for name in node.names:
                bind(name, None)
        elif isinstance(node, ast.alias):
            bind((node.asname or node.name).split(".")[0], None)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
            bind(node.name, None)
        elif isinstance(node, ast.MatchMapping):
            bind(node.rest, None)
        for child in ast.iter_child_nodes(node):
            walk(child)

    if not isinstance(scope, ast.Module):
        arguments = scope.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        for argument in every:
            bind(argument.arg if argument else None, None)
    for statement in scope.body:
        walk(statement)
    return found
