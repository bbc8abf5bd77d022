"""The workflows of the guide are what their servers take, and their commands are commands of flex."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs/guide"
PAGES = sorted(path for path in GUIDE.rglob("*.md") if "```yaml" in path.read_text(encoding="utf-8"))
PROGRAM = os.environ.get("FLEX_HARNESS")

pytestmark = pytest.mark.skipif(not PAGES, reason="the guide is not part of a released package")


def blocks(page: Path) -> list[tuple[str, str]]:
    """Return each workflow of a page with the schema that it must fit; what is only a part of one is made whole."""
    found = []
    for text in re.findall(r"```yaml\n(.*?)```", page.read_text(encoding="utf-8"), re.S):
        if "runs-on:" in text:
            text = text if "jobs:" in text else f"jobs:\n{text}"
            found.append(("github-workflows", text if re.search("^on:", text, re.M) else f"on: push\n{text}"))
        else:
            assert "script:" in text, f"{page}: neither GitHub's nor GitLab's:\n{text}"
            found.append(("gitlab-ci", text))
    return found


def commands(text: str) -> list[list[str]]:
    """Return the arguments of each call of flex in a workflow."""
    lines = re.findall(r"(?:run: |- |^ +|&& )((?:cargo flex|flex-harness) .*)", text, re.M)
    calls = [re.split(r" (?:>|&&|\|\|) ", line)[0] for line in lines]
    return [call.removeprefix("cargo flex").removeprefix("flex-harness").split() for call in calls]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(GUIDE).as_posix())
def test_workflows_fit_their_schema(page, tmp_path):
    for schema, text in blocks(page):
        for written, is_right in ((text, True), (text.replace("runs-on:", "runs_on:").replace("script:", "x:"), False)):
            file = tmp_path / f"{schema}.yml"
            file.write_text(written, encoding="utf-8")
            check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", str(file)]
            done = subprocess.run(check, capture_output=True, text=True, check=False)
            assert (done.returncode == 0) == is_right, f"{page}:\n{written}{done.stdout}{done.stderr}"


@pytest.mark.skipif(PROGRAM is None, reason="FLEX_HARNESS names the program; `cargo xtask test` does that")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(GUIDE).as_posix())
def test_commands_of_workflows_are_accepted(page):
    calls = [call for _, text in blocks(page) for call in commands(text)]
    assert calls, page
    for call in calls:
        # What comes before `--help` is read first, and refused if it is unknown.
        done = subprocess.run([str(PROGRAM), *call, "--help"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, (call, done.stderr)
