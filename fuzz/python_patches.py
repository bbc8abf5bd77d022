"""Reads patches from standard input, a line of JSON each, and asks Python whether the patched sources are still Python.

Counted are sources that Python can read, and in which what was taken for a number is one, and what was taken for the
beginning of a function is one: anything else is in no record. Prints their number; fails at the first that Python cannot
read when it is patched.
"""

import ast
import json
import sys
import warnings


def parse(source: str) -> ast.Module | None:
    try:
        return ast.parse(source.encode())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def is_as_recorded(tree: ast.Module, patch: dict) -> bool:
    numbers, functions = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            numbers.add((node.lineno, node.col_offset, node.end_col_offset))
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines = [decorator.lineno for decorator in node.decorator_list]
            functions.add((min([node.lineno, *lines]), node.name))
    return all(tuple(number) in numbers for number in patch["numbers"]) and all(
        tuple(function) in functions for function in patch["functions"]
    )


def main() -> None:
    warnings.simplefilter("ignore")
    counted = 0
    for line in sys.stdin:
        patch = json.loads(line)
        before = parse(patch["before"])
        if before is None or not is_as_recorded(before, patch):
            continue
        if parse(patch["after"]) is None:
            sys.exit(f"no longer Python:\n{patch['before']!r}\n=>\n{patch['after']!r}")
        counted += 1
    print(counted)


main()
