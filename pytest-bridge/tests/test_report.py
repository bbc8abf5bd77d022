"""The page that --flex-report asks for, and what sessions keep for it."""

import json
import re
import subprocess

TEST = """
from pytest_flex import learned, stochastic

shift = SHIFT

@stochastic(runs=40)
def test_it(flex_rng):
    assert flex_rng.normal(shift) < learned()
"""


def sites(project, page):
    """The sites of a page, by the data that it holds."""
    text = (project.path / page).read_text()
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    tests = json.loads(data[1])["suites"][0]["tests"]
    return {test["name"]: test["sites"] for test in tests}


def commit(folder):
    """Make a repository of a folder, and return its commit."""

    def git(*words):
        who = ["-c", "user.name=tests", "-c", "user.email=tests@localhost", "-c", "commit.gpgsign=false"]
        return subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True).stdout

    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "so far")
    return git("rev-parse", "HEAD").strip()


def test_the_page_shows_what_was_learned_and_what_happened(project, monkeypatch):
    project.write("test_it.py", TEST.replace("SHIFT", "0"))
    said = project.calibrate("--flex-report=first.html")
    assert "flex: wrote first.html" in said
    (site,) = sites(project, "first.html")["test_it.py::test_it"]
    assert site["kind"] == "learned"
    assert site["series"][0]["count"] == 40
    assert "history" not in site

    # An enforced run is seen beside it, and one that fails has a command that makes it again.
    monkeypatch.setenv("FLEX_COMMIT", "4f2a91c0ffee")
    project.pytest("--flex-seed=b")
    monkeypatch.delenv("FLEX_COMMIT")
    head = commit(project.path)
    project.write("test_it.py", TEST.replace("SHIFT", "9"))
    project.pytest("--flex-seed=c", "--flex-report=pages/second.html", code=1)
    assert not (project.path / "pages").exists()
    said = project.pytest("--flex-seed=c", "--flex-report=second.html", code=1)
    (site,) = sites(project, "second.html")["test_it.py::test_it"]
    assert site["verdict"] == "failed"
    # The commit that a run names, and else the one that was checked out then.
    assert [past["commit"] for past in site["history"]] == ["4f2a91c0f", head[:9], head[:9]]
    assert "--flex-seed=" in (project.path / "second.html").read_text()

    # Without a cache there is nothing to show it from.
    said = project.pytest("--flex-seed=b", "--flex-report=third.html", "-p", "no:cacheprovider", code=1)
    assert "error: --flex-report needs pytest's cache" in said
    assert not (project.path / "third.html").exists()
