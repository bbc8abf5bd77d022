"""Where the transformation takes place: while pytest imports test modules, conftests and what it was told to rewrite.

pytest's import hook calls `rewrite_asserts` on a module's tree; in its place stands a function that transforms around
it. Transformed modules are cached under a tag of our own, so that neither pytest's cache nor Python's ever holds one.
Under `--assert=plain` pytest has no import hook: ours is pytest's class, with a function that leaves assertions alone.
"""

from __future__ import annotations

import ast
import contextlib
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.assertion import AssertionState, rewrite

from pytest_flex.learning.wrapping import Wrapper, import_testing, replaced
from pytest_flex.observing.transform import VERSION, mark, weave

_INSTALLED: pytest.StashKey[bool] = pytest.StashKey()


def install(config: pytest.Config) -> None:
    """Transform what is imported from now on, until the session ends; a second call does nothing."""
    if config.stash.get(_INSTALLED, False):
        return
    config.stash[_INSTALLED] = True
    state = config.stash.get(rewrite.assertstate_key, None)
    is_plain = state is None or state.hook is None
    if is_plain:
        _install_import_hook(config)
    _replace_rewriting(config, is_plain)


@contextlib.contextmanager
def recording(root: Path) -> Iterator[None]:
    """Wrap the functions that are recorded, wherever they are held, also by packages that call them for a test."""
    from pytest_flex.observing.declared import declared
    from pytest_flex.observing.known import KNOWN

    import_testing()
    wanted: list[tuple[Any, str, Wrapper]] = []
    for function in (*KNOWN, *declared(root)):
        holder = _held(function.holder)
        if holder is not None and function.name in vars(holder):
            wanted.append((holder, function.name, function.wrap))
    # What a library asserts within itself is none of a test's assertions.
    own = {function.holder.split(".")[0] for function in KNOWN}
    modules = [
        module
        for name, module in list(sys.modules.items())
        if isinstance(module, types.ModuleType) and name.split(".")[0] not in own
    ]
    with replaced(wanted, modules):
        yield


def _held(path: str) -> Any | None:
    """Return the module or class of a dotted name, as far as it is imported."""
    words = path.split(".")
    for end in range(len(words), 0, -1):
        found: Any = sys.modules.get(".".join(words[:end]))
        if found is not None:
            for word in words[end:]:
                found = getattr(found, word, None)
            return found if isinstance(found, types.ModuleType | type) else None
    return None


def _replace_rewriting(config: pytest.Config, is_plain: bool) -> None:
    rewrite_asserts, rewrite_test, tail = rewrite.rewrite_asserts, rewrite._rewrite_test, rewrite.PYC_TAIL
    transforms = True

    def transforming(tree: ast.Module, source: bytes, file: str | None = None, *args: Any, **kwargs: Any) -> None:
        # pytest rewrites plugins too, and so this package.
        is_ours = file is not None and Path(__file__).parents[1] in Path(file).parents
        calls, count = mark(tree) if transforms and not is_ours else ({}, 0)
        if not is_plain:
            rewrite_asserts(tree, source, file, *args, **kwargs)
        if count:
            weave(tree, calls)

    def trying(file: Path, config: pytest.Config) -> Any:
        nonlocal transforms
        try:
            return rewrite_test(file, config)
        except SyntaxError:
            # Either it is none of ours, and is raised again, or the module is better off as it was.
            transforms = False
            return rewrite_test(file, config)
        finally:
            transforms = True

    def undo() -> None:
        rewrite.rewrite_asserts, rewrite._rewrite_test, rewrite.PYC_TAIL = rewrite_asserts, rewrite_test, tail

    tag = f"{rewrite.PYTEST_TAG}-flex{VERSION}{'-plain' if is_plain else ''}"
    rewrite.rewrite_asserts, rewrite._rewrite_test = transforming, trying  # type: ignore[assignment]
    rewrite.PYC_TAIL = f".{tag}{rewrite.PYC_EXT}"
    config.add_cleanup(undo)


def _install_import_hook(config: pytest.Config) -> None:
    state = config.stash[rewrite.assertstate_key] = AssertionState(config, "plain")
    state.hook = hook = rewrite.AssertionRewritingHook(config)
    sys.meta_path.insert(0, hook)
    config.add_cleanup(lambda: sys.meta_path.remove(hook))
