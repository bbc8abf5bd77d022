"""The runs of a search: how they end, what is new for each, what is made again elsewhere. All seeds are fixed."""

from __future__ import annotations

import pytest
from searching import HEAD, outcomes, record, shown, values


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
    # Nothing in it varies.
    assert outcomes(tests["test_broken"]) == {"fail": 1}
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
    assert tests["test_it[1]"]["replay"]["options"] == []


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
    tests = record(project, "--flex-runs=20", "--flex-max-runs=20", fresh=True)
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
    test = record(project, "-k", "hashes", "--flex-runs=20", "--flex-max-runs=20")["test_hashes"]
    assert test["replay"]["hash_seed"] == 7
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
        failed = sorted({run for site in test["sites"] for run in site["failed"]})
        assert failed == [run["index"] for run in test["runs"] if run["outcome"] == "fail"]
        for site in test["sites"]:
            assert site["failed"] == [run for run, value in site["series"][0]["values"] if value >= 0.9]


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
    random.random()
    assert [record.message for record in caplog.records] == ["once"]
    assert [record.message for record in caplog.get_records("setup")] == ["set up"]
""",
    )
    tests = record(project, "--flex-runs=20", "--flex-max-runs=20")
    assert outcomes(tests["test_logs"]) == {"pass": 20}
