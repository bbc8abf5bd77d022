"""Searching the tests of a project with `--flex=record` and `--flex=detect`. All seeds are fixed."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest
from searching import HEAD, found, outcomes, record, shown, values

FLAKY = (
    HEAD
    + """
def test_flaky():
    assert RandomState(42).random_sample() < 0.8

def test_sound():
    assert RandomState(42).random_sample() < 1.5
"""
)


def test_detect_finds_what_is_flaky(project):
    project.write("test_it.py", FLAKY)
    tests = record(project, mode="detect", code=1)
    flaky, sound = tests["test_flaky"], tests["test_sound"]
    assert outcomes(sound) == {"pass": len(sound["runs"])}
    # 500 runs, a fifth of which fail: fewer than 50 or more than 150 have a probability below 1e-8 under any seed.
    assert 50 < outcomes(flaky)["fail"] < 150
    assert len(flaky["runs"]) == 500
    assert "1 failed, 1 passed" in project.printed
    assert "flaky: test_it.py:8: assert RandomState(42).random_sample() < 0.8" in project.printed
    failing = next(run["index"] for run in flaky["runs"] if run["outcome"] == "fail")
    assert f"replay: pytest test_it.py::test_flaky --flex-seed=search@detect:{failing}" in project.printed
    (site,) = flaky["sites"]
    assert site["failed"] == [run["index"] for run in flaky["runs"] if run["outcome"] == "fail"]
    assert all(run["failed_site"] == 0 and "assert" in run["why"] for run in flaky["runs"] if run["outcome"] == "fail")
    assert flaky["span"] == {"line": 7, "column": 0, "end_line": 8, "end_column": 48}
    assert flaky["replay"] == "pytest test_it.py::test_flaky --flex-seed={seed}"
    assert project.record["root"] == str(project.path)


def test_record_judges_nothing(project):
    project.write("test_it.py", FLAKY)
    project.write(".gitignore", "")
    printed = project.pytest("--flex=record", "--flex-seed=search", "--flex-runs=20", "--flex-max-runs=20")
    assert "flaky:" not in printed
    assert "2 tests in 40 runs; wrote .pytest_cache/d/flex/detect.json" in printed.replace("\\", "/")
    assert (project.path / ".pytest_cache/d/flex/detect.json").exists()


def test_replay_repeats_exactly_one_run(project):
    project.write("test_it.py", FLAKY)
    test = record(project, mode="detect", code=1)["test_flaky"]
    failing = next(run["index"] for run in test["runs"] if run["outcome"] == "fail")
    passing = next(run["index"] for run in test["runs"][1:] if run["outcome"] == "pass")
    command = test["replay"].replace("{seed}", f"search@detect:{failing}").split()[1:]
    printed = project.pytest(*command, code=1)
    assert f"assert {values(test)[failing]!r} < 0.8" in printed
    assert f"run {failing} of the search failed" in printed
    number = printed.split("the seed 42 stands for ")[1].split()[0]
    # The number that stood for the seed can be written in its place.
    project.write("test_plain.py", FLAKY.replace("42", number))
    assert f"assert {values(test)[failing]!r} < 0.8" in project.pytest("test_plain.py", "-k", "flaky", code=1)
    assert f"{values(test)[passing]:g}" in project.pytest(command[0], f"--flex-seed=search@detect:{passing}")
    # Run 0 is the test as it is written, for all tests that are selected.
    printed = project.pytest("test_it.py", "--flex-seed=search@detect:0")
    assert "the seed 42 stands for 42" in printed
    assert "2 passed" in printed
    assert f"{values(test)[0]:g}" in printed


def test_every_kind_of_end_is_written_down(project):
    project.write(
        "test_ends.py",
        HEAD
        + """
@pytest.fixture
def fails_often():
    if random.random() < 0.5:
        raise RuntimeError("the fixture\\nin two lines")

def test_fixture(fails_often):
    pass

def test_leaves():
    if random.random() < 0.5:
        raise SystemExit(3)

def test_fails():
    if random.random() < 0.5:
        pytest.fail("on purpose")

def test_broken():
    assert 1 > 2

@pytest.mark.skip(reason="not today")
def test_marked():
    pass

@pytest.mark.skipif(True, reason="never")
class TestSkipped:
    def test_it(self):
        pass

def test_skips():
    pytest.skip("in the midst")

def test_skips_sometimes():
    if random.random() < 0.5:
        pytest.skip("by chance")

@pytest.mark.xfail
def test_expected():
    assert False

@pytest.mark.xfail(strict=True)
def test_expected_strictly():
    assert False

class TestCase(unittest.TestCase):
    def setUp(self):
        self.drawn = random.random()

    def test_less(self):
        self.assertLess(self.drawn, 0.5)

    @unittest.skip("not this one")
    def test_skipped(self):
        pass

async def test_not_awaited():
    pass
""",
    )
    tests = record(project, "--flex-runs=20", "--flex-max-runs=20")
    for name in ("test_fixture", "test_leaves", "test_fails", "TestCase::test_less"):
        ends = outcomes(tests[name])
        # One end in all of 20 runs has a probability of 2e-6 under a random seed; this one is fixed.
        assert set(ends) == {"pass", "fail"}, (name, ends)
        assert sum(ends.values()) == 20, (name, ends)
    why = {name: next((run["why"] for run in test["runs"] if "why" in run), None) for name, test in tests.items()}
    assert why["test_fixture"] == "RuntimeError: the fixture"
    assert why["test_leaves"] == "SystemExit: 3"
    assert why["test_fails"] == "Failed: on purpose"
    assert why["TestCase::test_less"].startswith("AssertionError: 0.")
    assert outcomes(tests["test_broken"]) == {"fail": 20}
    for name in ("test_marked", "TestSkipped::test_it", "test_skips", "test_expected", "test_expected_strictly"):
        assert outcomes(tests[name]) == {"skip": 1}, name
    assert why["test_marked"] == "not today"
    assert outcomes(tests["TestCase::test_skipped"]) == {"skip": 1}
    assert set(outcomes(tests["test_skips_sometimes"])) == {"pass", "skip"}
    assert tests["test_expected"]["notes"][0] == "marked xfail: not searched"
    assert "2 xfailed" in project.printed
    detected = project.pytest("--flex=detect", "--flex-seed=search", "--flex-runs=20", "--flex-max-runs=20", code=1)
    assert "broken: test_ends.py" in detected


def test_fixtures_are_new_for_each_run(project):
    project.write(
        "test_fixtures.py",
        HEAD
        + """
built = []

@pytest.fixture
def fresh(tmp_path):
    assert not list(tmp_path.iterdir())
    (tmp_path / "file").touch()
    built.append(1)
    return default_rng(3)

@pytest.mark.parametrize("n", [1, 2])
def test_it(fresh, n):
    assert fresh.random() * n < 3

def teardown_module():
    print("BUILT", len(built))
""",
    )
    tests = record(project, "-s", "-p", "no:randomly", "--flex-runs=10", "--flex-max-runs=10")
    for test in tests.values():
        assert outcomes(test) == {"pass": 10}
        assert len(set(values(test).values())) == 10
        assert test["literal_seeds"][0]["line"] == 14
    repeated = sum(run["place"] == "same-process" for test in tests.values() for run in test["repeats"])
    assert f"BUILT {20 + repeated}" in project.printed
    assert "'test_fixtures.py::test_it[1]'" in tests["test_it[1]"]["replay"]


def test_the_order_of_hashes_is_known_and_told_from_other_sources(project, monkeypatch):
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)
    project.write(
        "test_order.py",
        HEAD
        + """
WORDS = {str(number) for number in range(50)}

def test_hashes():
    # Which word comes first depends on nothing but the order of hashes.
    assert int(next(iter(WORDS))) < 50

def test_uncontrolled():
    assert uuid.uuid4().int < 2**130

def test_controlled():
    assert random.random() < 2
""",
    )
    tests = record(project, "--flex-runs=20", "--flex-max-runs=20")
    for name, differing in (
        ("test_hashes", {"other-hashes"}),
        ("test_uncontrolled", {"same-process", "other-process", "other-hashes"}),
        ("test_controlled", set()),
    ):
        test = tests[name]
        before = values(test)
        differs = {run["place"] for run in test["repeats"] if run["values"] != [[0, 0, before[run["index"]]]]}
        assert differs == differing, name
    # The same in the next search, and in a replay, which need not say so.
    first = values(tests["test_hashes"])[0]
    assert values(record(project, "--flex-runs=20", "--flex-max-runs=20")["test_hashes"])[0] == first
    assert f": {first:g}" in project.pytest("test_order.py::test_hashes", "--flex-seed=search@detect:3")
    printed = project.pytest("--flex=detect", "--flex-seed=search", "--flex-runs=20", "--flex-max-runs=20")
    assert "what no seed controls: the order of hashes" in " ".join(printed.split())
    # An order that is given is kept, and belongs to the replay.
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    test = record(project, "--flex-runs=20", "--flex-max-runs=20")["test_hashes"]
    assert test["replay"].startswith("PYTHONHASHSEED=7 pytest ")
    assert shown(test, test["repeats"][0]["index"], "other-process")["values"] == [[0, 0, values(test)[0]]]


def test_bounds_that_are_computed_are_compared_by_their_margins(project):
    project.write(
        "test_margin.py",
        HEAD + "\ndef test_it():\n    bound = 2 + random.random()\n    assert random.random() < bound\n",
    )
    test = record(project, "--flex-runs=20", "--flex-max-runs=20")["test_it"]
    assert test["sites"][0]["series"][0]["is_margin"]
    for run in test["repeats"]:
        assert run["values"] == [[0, 0, values(test)[run["index"]]]], run


def test_workers_of_xdist_find_the_same(project):
    project.write("test_it.py", FLAKY + "\n@pytest.mark.skip(reason='no')\ndef test_skipped():\n    pass\n")
    alone = record(project, mode="detect", code=1)
    together = record(project, "-n2", mode="detect", code=1)
    assert "flaky: test_it.py:8" in project.printed
    for tests in (alone, together):
        for test in tests.values():
            del test["seconds_per_run"]
            test["repeats"] = sorted(test["repeats"], key=str)
    assert together == alone


def test_options_end_a_search(project):
    project.write("test_it.py", FLAKY)
    fast = record(project, "--flex-fast")
    assert len(fast["test_flaky"]["runs"]) < 100
    runs = record(project, "--flex-runs=40", "--flex-max-runs=50", "--flex-step=5")
    assert len(runs["test_flaky"]["runs"]) == 50
    # Plain variances converge at once; that a failure rate of 2 % is excluded is asked for all the same.
    paper = record(project, "--flex-geweke=paper", "-k", "sound")
    assert 228 <= len(paper["test_sound"]["runs"]) < 250
    tail = record(project, "--flex-tail=1e-4", "-k", "sound")
    assert len(tail["test_sound"]["runs"]) < 200
    catch = record(project, "--flex-catch=0.1", "-k", "sound")
    assert len(catch["test_sound"]["runs"]) < 100
    project.write("test_slow.py", "import time\n\ndef test_slow():\n    time.sleep(0.05)\n")
    slow = record(project, "--flex-time-budget=1s", "test_slow.py")
    assert 1 < len(slow["test_slow"]["runs"]) < 30


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--flex-catch=2", "--flex-catch=2 is not a number above 0 and below 1"),
        ("--flex-probability=no", "--flex-probability=no is not a number above 0 and below 1"),
        ("--flex-threshold=-1", "--flex-threshold=-1 is not a number above 0"),
        ("--flex-step=0", "--flex-step=0 is not a whole number of at least 1"),
        ("--flex-geweke=book", "--flex-geweke=book is not one of standard, paper"),
        ("--flex-record=no/such/file", "--flex-record=no/such/file: there is no such folder"),
        ("--flex-seed=x@detect:3", "a search has a base seed, not a single run"),
        ("--flex-isolate", "--flex-isolate cannot be used with --flex=record or detect"),
        ("--pdb", "replay it with pytest NODE_ID --flex-seed=SEED@detect:RUN --pdb"),
    ],
)
def test_bad_options_are_usage_errors(project, option, words):
    project.write("test_it.py", "def test_it():\n    pass\n")
    assert words in project.pytest("--flex=detect", option, code=4)


def test_a_search_says_what_it_leaves_out_and_switches_off(project):
    project.write("test_it.py", "def test_it():\n    '''\n    >>> 1\n    1\n    '''\n")
    record(project, "--doctest-modules", "--flex-runs=3", "--flex-max-runs=3")
    assert "left out what is no Python test function: 1 item, such as test_it.py::" in project.printed
    assert "1 deselected" in project.printed
    # A module of that name stands for the plugin: what counts is that pytest has one by its name.
    project.write("rerunfailures.py", "")
    for other in ("no:rerunfailures", "rerunfailures"):
        record(project, "-p", other, "--flex-runs=3", "--flex-max-runs=3")
        marker = None if other.startswith("no:") else other
        assert project.record["rerun_marker"] == marker
        assert ("pytest-rerunfailures is off" in project.printed) == (marker is not None)


def test_stochastic_tests_are_searched_too(project):
    project.write(
        "test_it.py",
        HEAD
        + """
from pytest_flex import learned, stochastic

@stochastic
def test_it(flex_rng, flex_seed):
    assert flex_rng.random() < learned()
    assert flex_rng.random() < 1.5

def test_plain(flex_rng):
    assert flex_rng.random() < 1.5
""",
    )
    tests = record(project, "--flex-runs=10", "--flex-max-runs=10")
    assert tests["test_it"]["is_stochastic"]
    assert not tests["test_plain"]["is_stochastic"]
    assert outcomes(tests["test_it"]) == {"pass": 10}
    assert len(set(values(tests["test_it"], -1).values())) == 10


def test_interrupting_keeps_what_there_is(project):
    project.write(
        "test_it.py",
        """
import time

def test_quick():
    pass

def test_slow():
    open("started", "a").write("x")
    time.sleep(0.01)
    if len(open("started").read()) > 20:
        open("ready", "w").close()
        time.sleep(60)
""",
    )
    command = [sys.executable, "-m", "pytest", "--flex=record", "--flex-record=found.json", "-p", "no:randomly"]
    process = subprocess.Popen(
        command,
        cwd=project.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # A process that was started in the background ignores it, and so do those that it starts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while not (project.path / "ready").exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    printed = process.communicate()[0]
    assert process.returncode == 2, printed
    tests = found(project)
    assert len(tests["test_quick"]["runs"]) > 100
    assert outcomes(tests["test_slow"]) == {"pass": 20}


def test_nothing_is_loaded_in_other_modes(project):
    project.write(
        "conftest.py",
        """
import sys

def pytest_sessionfinish():
    loaded = sorted(name for name in sys.modules if name.startswith("pytest_flex."))
    print("LOADED", loaded)
""",
    )
    project.write("test_it.py", "def test_it():\n    pass\n")
    assert "LOADED ['pytest_flex.options', 'pytest_flex.plugin']" in project.pytest("-s", fresh=True)


def test_subtests_fail_their_run(project):
    project.write(
        "test_sub.py",
        HEAD
        + """
class TestSub(unittest.TestCase):
    def test_unittest(self):
        for i in range(3):
            with self.subTest(i=i):
                self.assertLess(random.random(), 0.9)

def test_fixture(subtests):
    for i in range(3):
        with subtests.test(i=i):
            assert random.random() < 0.9
""",
    )
    knows = hasattr(pytest, "Subtests")
    wanted = () if knows else ("-k", "unittest")
    tests = record(project, "--flex-runs=20", "--flex-max-runs=20", *wanted)
    assert len(tests) == (2 if knows else 1)
    for test in tests.values():
        # Of 20 runs with three values each, all pass with a probability of 0.2 %; the seed is fixed.
        assert set(outcomes(test)) == {"pass", "fail"}
        assert test["sites"][0]["failed"] == [run["index"] for run in test["runs"] if run["outcome"] == "fail"]


def test_hypothesis_is_no_source_of_findings(project):
    pytest.importorskip("hypothesis")
    project.write(
        "test_given.py",
        """
from hypothesis import given, settings, strategies

class TestIt:
    @settings(max_examples=5, deadline=None)
    @given(strategies.integers())
    def test_it(self, number):
        assert number == number
""",
    )
    test = record(project, "--flex-runs=10", "--flex-max-runs=10")["TestIt::test_it"]
    assert outcomes(test) == {"pass": 10}, test["runs"]


def test_logs_are_those_of_the_run(project):
    project.write(
        "test_it.py",
        HEAD
        + """
import logging

@pytest.fixture
def told():
    logging.warning("set up")

def test_logs(told, caplog):
    logging.warning("once")
    assert [record.message for record in caplog.records] == ["once"]
    assert [record.message for record in caplog.get_records("setup")] == ["set up"]
""",
    )
    tests = record(project, "--flex-runs=20", "--flex-max-runs=20")
    assert outcomes(tests["test_logs"]) == {"pass": 20}
