"""The page that `--flex-report` asks for: all that was learned and seen of the tests of a bounds file."""

from __future__ import annotations

import os
from typing import Any

from pytest_flex import _native
from pytest_flex.session.session import FlexSession
from pytest_flex.session.words import say


def write(session: FlexSession, terminal: Any) -> None:
    """Write the page, and say so, or why not."""
    config, name = session.config, session.options.report
    assert name is not None
    cache = getattr(config, "cache", None)
    if cache is None or session.bounds_file is None:
        say(terminal, "error: --flex-report needs pytest's cache and a bounds file; nothing was written")
        return
    start = os.path.relpath(session.bounds_file.parent, config.invocation_params.dir)
    try:
        page, notes = _native.report(session.bounds_file, cache.mkdir("flex"), session.environment, start)
        for note in notes:
            say(terminal, f"warning: {note}")
        file = config.invocation_params.dir / name
        file.write_text(page, encoding="utf-8")
    except (OSError, ValueError) as error:
        say(terminal, f"error: --flex-report={name}: {error}")
        return
    terminal.write_line(f"flex: wrote {name}")
