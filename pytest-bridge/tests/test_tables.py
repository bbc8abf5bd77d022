"""What stands in Python and in Rust is the same in both."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable
from pathlib import Path

import pytest
from pytest_flex import _native
from pytest_flex.options import Options

STUB = ast.parse((Path(_native.__file__).parent / "_native.pyi").read_text(encoding="utf-8"))


def test_the_options_of_a_search_are_those_of_the_engine():
    assert list(inspect.signature(_native.Search).parameters) == stated("Search", "__init__")
    # A check alone says when a test is broken.
    assert {*Options().of_search(), "broken_after"} == set(stated("Search", "__init__"))
    _native.Search(**Options().of_search())


def test_every_option_of_a_test_is_taken_and_shown(project):
    environment = _native.Environment(project.path)
    printed = project.pytest("--markers")
    for name, example in _native.test_options():
        _native.Test(environment, "t", "t", ("t.py", 1), "", {name: ast.literal_eval(example)})
        with pytest.raises(ValueError, match=r"\w"):
            _native.Test(environment, "t", "t", ("t.py", 1), "", {name: object()})
        assert f"{name}={example}" in printed


def test_the_stub_knows_every_class_with_its_methods():
    classes = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}
    for name, kind in vars(_native).items():
        if isinstance(kind, type):
            methods = {node.name for node in classes[name].body if isinstance(node, ast.FunctionDef)}
            fields = {node.target.id for node in classes[name].body if isinstance(node, ast.AnnAssign)}
            assert public(methods | fields) == public(vars(kind)), name


def public(names: Iterable[str]) -> set[str]:
    return {name for name in names if not name.startswith("_")}


def stated(kind: str, method: str) -> list[str]:
    """Return the parameters of a method, as the stub has them."""
    of_kind = next(node for node in STUB.body if isinstance(node, ast.ClassDef) and node.name == kind)
    found = next(node for node in of_kind.body if isinstance(node, ast.FunctionDef) and node.name == method)
    return [argument.arg for argument in (*found.args.args[1:], *found.args.kwonlyargs)]
