"""What a run touches is seen, by cause and place, and nothing else is: `varying_forms.py`, `fixed_forms.py`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from searching import record, shown

HERE = Path(__file__).parent
CAUSES = {
    "TestRandomness": "randomness",
    "TestTime": "time",
    "TestConcurrency": "concurrency",
    "TestAsyncWait": "async-wait",
    "TestNetwork": "network",
    "TestFiles": "files",
}
FEW = ("--flex-runs=2", "--flex-max-runs=2", "-p", "no:randomly")


def planted(project: Any, name: str) -> str:
    """Write one of the files of forms into a project, with what it needs."""
    text = (HERE / name).read_text(encoding="utf-8")
    project.write(f"test_{name}", text)
    project.write("job.py", "import time\n\n\ndef is_early():\n    return time.time() % 1 < 0.9\n")
    project.write("reads_clock.py", "import time\n\nSTARTED = time.time()\n")
    project.write("words.txt", "a\n")
    return text


def test_every_cause_is_seen(project):
    text = planted(project, "varying_forms.py")
    found = record(project, *FEW)
    classes = {name: [test for test in found if test.startswith(f"{name}::")] for name in CAUSES}
    assert all(len(tests) >= 5 for tests in classes.values())
    lines = text.split("\n")
    for name, tests in classes.items():
        for test in tests:
            touches = found[test]["probe"]
            of_cause = [touch for touch in touches if touch["cause"] == CAUSES[name] and not touch["seeded"]]
            assert of_cause, (test, touches)
            place = (of_cause[0]["file"], of_cause[0]["line"])
            assert place[0] in ("test_varying_forms.py", "job.py"), (test, touches)
            # Where it happened is in the test, or in the fixture that is torn down.
            if place[0] != "job.py" and test != "TestTime::test_torn_down":
                above = [line for line in lines[: place[1]] if line.strip().startswith("def test_")]
                assert above[-1].strip().startswith(f"def {test.split('::')[1]}("), (test, touches)


def test_what_the_seed_decides_is_controlled(project):
    planted(project, "varying_forms.py")
    found = record(project, *FEW, "-k", "TestControlled")
    assert len(found) == 8
    for name, test in found.items():
        assert test["probe"], name
        assert all(touch["cause"] == "randomness" and touch["seeded"] for touch in test["probe"]), (name, test["probe"])


def test_the_order_of_hashes_is_found_by_a_second_run(project):
    planted(project, "varying_forms.py")
    found = record(project, "-k", "TestHashOrder", "-p", "no:randomly")
    assert len(found) == 5
    for name, test in found.items():
        assert (test["probe"], len(test["runs"])) == ([], 1), name
        value = test["sites"][0]["series"][0]["values"][0][1]
        assert shown(test, 0, "other-hashes")["values"][0][2] != value, name
        assert shown(test, 0, "other-process")["values"][0][2] == value, name
    assert "shown fixed" not in project.printed
    printed = project.pytest("--flex=detect", "--flex-seed=search", "-k", "TestHashOrder", "-p", "no:randomly")
    assert printed.count("uncontrolled: ") == 5
    assert re.sub(r"\s+", " ", printed).count("what no seed controls: the order of hashes") == 5


def test_what_cannot_vary_is_run_twice(project):
    planted(project, "fixed_forms.py")
    found = record(project, "-p", "no:randomly")
    assert len(found) == 38
    more = {name: test.get("probe") for name, test in found.items() if test.get("probe") != []}
    assert more == {}
    runs = {name: len(test["runs"]) for name, test in found.items() if len(test["runs"]) != 1}
    # What the module did that its first run imported might be done by every run.
    assert runs == {"test_imports_what_reads_the_clock_once": 2}
    for name, test in found.items():
        assert [run["place"] for run in test["repeats"]] == ["other-hashes"], name
    # A search makes 230 runs of a test that never varies.
    saved = len(found) * 228 - 1
    assert (
        f"{len(found)} of {len(found)} tests shown fixed, nothing in them varies: {saved} runs saved" in project.printed
    )


def test_calibration_runs_what_cannot_vary_twice(project):
    source = """
import random
from pytest_flex import learned, stochastic

@stochastic
def test_fixed():
    assert {what} < learned()

@stochastic
def test_draws(flex_rng):
    assert flex_rng.random() < learned()
"""
    project.write("test_it.py", source.format(what="3"))
    printed = project.calibrate("-p", "no:randomly")
    assert "2 runs, " in printed
    assert "nothing in it varies: 98 runs saved" in printed
    assert "1 of 2 tests shown fixed, nothing in them varies: 98 runs saved" in printed
    learned = project.bounds
    (project.path / "flex-bounds.toml").unlink()
    # The same value, and a clock that is read: all runs are made.
    project.write("test_it.py", source.format(what="3 + 0 * int(__import__('time').time())"))
    printed = project.calibrate("-p", "no:randomly")
    assert "shown fixed" not in printed
    entry = re.compile(r"^(guard|race|strategy|samples|quantiles) = .*$", re.M)
    fixed, usual = (text[text.index("test_it.py::test_fixed") :] for text in (learned, project.bounds))
    assert entry.findall(fixed)
    assert [match[0] for match in entry.finditer(fixed)] == [match[0] for match in entry.finditer(usual)]


def test_every_call_is_counted(project):
    project.write(
        "test_it.py",
        """
import random
import threading
import time

OWN = threading.RLock()
SHARED = random.Random(1)


def test_it():
    generator = random.Random(7)
    for turn in range(500):
        random.random()
        time.monotonic()
        SHARED.random()
        generator.random()
        with OWN, OWN:
            time.perf_counter()
    generator.seed()
    for turn in range(20):
        generator.random()
        generator.getrandbits(3)
""",
    )
    found = record(project, *FEW)
    counts = {(touch["what"], touch["seeded"]): touch["count"] for touch in found["test_it"]["probe"]}
    assert counts == {("random.random()", True): 2080, ("random.random()", False): 1000, ("clock", False): 2000}


def test_findings_say_what_was_touched(project):
    planted(project, "varying_forms.py")
    project.write(
        "test_it.py",
        "import random\nimport job\n\ndef test_it():\n    job.is_early()\n    assert random.random() < 0.5\n",
    )
    printed = project.pytest(
        "--flex=detect", "--flex-seed=search", *FEW[:1], "--flex-max-runs=20", "test_it.py", code=1
    )
    assert " touches  wall clock at job.py:5, random.random() at test_it.py:6\n" in printed


def test_a_repeat_that_ends_otherwise_is_reported(project):
    project.write("test_it.py", "def test_it():\n    assert hash('flex') % 2 == 0 or [] == [hash('flex')]\n")
    printed = project.pytest("--flex=detect", "--flex-seed=search", "-p", "no:randomly", code=1)
    assert "the order of hashes" in re.sub(r"\s+", " ", printed)


def test_teardown_that_fails_fails_the_next_run(project):
    project.write(
        "test_it.py",
        "import pytest\n\n@pytest.fixture\ndef bad():\n    yield 1\n    raise RuntimeError('torn')\n\n"
        "def test_it(bad):\n    pass\n",
    )
    found = record(project, *FEW, code=1)
    runs = found["test_it"]["runs"]
    assert [run["outcome"] for run in runs] == ["pass", "fail"]
    assert runs[1]["why"] == "RuntimeError: torn"


@pytest.mark.parametrize("name", ["varying_forms.py", "fixed_forms.py"])
def test_identities_are_kept(project, name):
    """Classes and functions are what they were, wherever they are."""
    planted(project, name)
    project.write(
        "test_identity.py",
        """
import datetime, pickle, random, time, threading
from time import time as taken

def test_it():
    class Sub(datetime.datetime): pass
    assert isinstance(Sub.now(), Sub)
    assert isinstance(datetime.datetime.now(), datetime.datetime)
    assert pickle.loads(pickle.dumps(time.time)) is time.time is taken
    assert pickle.loads(pickle.dumps(datetime.datetime.now))().year > 2000
    assert type(threading.Lock()).__module__ == "_thread"
    assert random.random.__self__ is random._inst
    assert repr(time.time) == "<built-in function time>"
    assert time.sleep.__doc__
    for wrong in (lambda: time.sleep("a"), lambda: time.time(1), lambda: time.localtime("a")):
        try:
            wrong()
        except TypeError as error:
            print(error)
        else:
            raise AssertionError(wrong)
""",
    )
    found = record(project, *FEW, "test_identity.py")
    assert [run["outcome"] for run in found["test_it"]["runs"]] == ["pass", "pass"]


@pytest.mark.parametrize("style", ["--tb=long", "--showlocals"])
def test_failures_look_as_they_do_without_probes(project, style):
    project.write("test_forms.py", (HERE / "failing_forms.py").read_text(encoding="utf-8"))
    without = project.pytest("-p", "no:randomly", style, code=1)
    watched = project.pytest("-p", "no:randomly", style, "--flex=trace", "--flex-record=trace.json", code=1)
    assert _lasting(watched) == _lasting(without)
    assert re.search(r"7\d failed, [12] passed", without)


def _lasting(text: str) -> str:
    """Return what does not depend on the time, on where objects are, and on what flex says itself."""
    text = re.sub(r"\b\d+\.\d\ds\b", "TIME", text)
    text = re.sub(r"0x[0-9a-f]+", "ADDRESS", text)
    text = re.sub(r"^flex: .*\n", "", text, flags=re.M)
    return re.sub(r"^=+ (.*?) =+$", r"\1", text, flags=re.M)
