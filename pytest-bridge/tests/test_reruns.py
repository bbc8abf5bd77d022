"""Runs: fixtures, seeds, classes, unittest, asyncio, and what pytest reports of them."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

HEAD = """
import random, unittest
import numpy as np
import pytest
from pytest_flex import learned, stochastic
"""


def test_function_fixtures_are_new_for_each_run_and_wider_ones_are_not(project):
    project.write(
        "test_fixtures.py",
        HEAD
        + """
built = {"function": 0, "module": 0, "session": 0, "open": 0}

@pytest.fixture
def function():
    built["function"] += 1
    built["open"] += 1
    yield random.random()
    built["open"] -= 1

@pytest.fixture(scope="module", params=[1, 2])
def module(request):
    built["module"] += 1
    return random.random() * request.param

@pytest.fixture(scope="session")
def session():
    built["session"] += 1
    return random.random()

@stochastic(runs=20)
class TestIt:
    instances = []

    def setup_method(self):
        self.drawn = random.random()

    @pytest.mark.parametrize("n", [1, 2])
    def test_it(self, n, function, module, session):
        assert all(self is not other for other in self.instances)
        self.instances.append(self)
        assert built["open"] == 1
        assert function * n < learned()
        assert self.drawn < learned()
        assert module + session > learned()

def teardown_module():
    print("BUILT", built, len(TestIt.instances))
""",
    )
    # Four items with 20 runs each.
    printed = project.calibrate("-s", "-p", "no:randomly")
    assert "BUILT {'function': 80, 'module': 2, 'session': 1, 'open': 0} 80" in printed
    assert "4 tests calibrated: 12 sites learned" in printed
    # What wider fixtures drew is the same in enforcement, from whatever seed, and after other tests.
    project.write("test_earlier.py", "import random\n\ndef test_it():\n    random.random()\n")
    project.pytest("--flex-seed=green", "-p", "no:randomly")
    project.pytest("--flex-seed=green", "-p", "randomly")


def test_fresh_fixtures_draw_from_the_run(project):
    project.write(
        "test_fresh.py",
        HEAD
        + """
@pytest.fixture(scope="session")
def session():
    return random.random()

@pytest.fixture(scope="module")
def module():
    return random.random()

@stochastic
def test_it(session, module):
    assert session < learned()
    assert module < learned()
""",
    )
    shared = project.calibrate()
    assert shared.count("no value varied") == 1, shared
    module = project.calibrate("--flex-fresh=module", "--flex-accept")
    assert "no value varied" not in module
    session = project.calibrate("--flex-fresh=session", "--flex-accept")
    quantiles = [line for line in project.bounds.splitlines() if line.startswith("quantiles")]
    assert all(len(set(line.split("[")[1].split(","))) > 10 for line in quantiles), session


def test_every_generator_follows_the_seed(project):
    project.write(
        "test_seeds.py",
        HEAD
        + """
@pytest.fixture
def drawn():
    return random.random()

@stochastic
def test_it(drawn, flex_rng, flex_seed):
    print("DREW", drawn, random.random(), np.random.random(), flex_rng.random(), flex_seed)
    assert flex_seed < 2**32
    assert drawn < learned()
""",
    )

    def drew(*args: str) -> str:
        printed = project.pytest("-s", "--flex=off", *args)
        return next(line[line.index("DREW") :] for line in printed.splitlines() if "DREW" in line)

    first = drew("--flex-seed=a", "-p", "no:randomly")
    assert drew("--flex-seed=a", "-p", "randomly") == first
    assert drew("--flex-seed=a", "-p", "randomly", "-p", "no:xdist", "-p", "no:cacheprovider") == first
    other = drew("--flex-seed=b", "-p", "randomly")
    assert all(x != y for x, y in zip(first.split()[1:], other.split()[1:], strict=True))


def test_what_is_registered_for_randomly_is_seeded(project, monkeypatch):
    project.write("seeder/seeder.py", "seeds = []\ndef reseed(seed):\n    seeds.append(seed)\n")
    project.write(
        "seeder/seeder-1.dist-info/entry_points.txt", "[pytest_randomly.random_seeder]\nseeder = seeder:reseed\n"
    )
    project.write("seeder/seeder-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: seeder\nVersion: 1\n")
    project.write(
        "test_registered.py",
        HEAD
        + """
import seeder

@stochastic
def test_it():
    assert 0 <= seeder.seeds[-1] < 2**32
    assert seeder.seeds[-1] < learned()
""",
    )
    monkeypatch.setenv("PYTHONPATH", str(project.path / "seeder"))
    for randomly in ("randomly", "no:randomly"):
        printed = project.calibrate("-p", randomly, "--flex-accept")
        assert "no value varied" not in printed


def test_unittest_and_asyncio(project):
    project.write(
        "test_kinds.py",
        HEAD
        + """
class TestUnit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.runs = 0

    def setUp(self):
        type(self).runs += 1
        self.x = random.random()
        self.fresh = True

    def tearDown(self):
        assert not self.fresh

    @stochastic(runs=25)
    def test_it(self):
        assert self.fresh
        self.fresh = False
        self.assertLess(self.x, learned())
        self.assertGreaterEqual(self.x, learned())
        self.assertAlmostEqual(self.x, 0.5, delta=learned())

@stochastic(runs=25)
@pytest.mark.asyncio
async def test_async():
    assert random.random() < learned()
""",
    )
    printed = project.calibrate()
    assert "2 tests calibrated: 4 sites learned" in printed
    project.pytest("--flex-seed=green")


def test_a_unittest_failure_is_a_failure(project):
    project.write(
        "test_unit.py",
        HEAD
        + """
class TestUnit(unittest.TestCase):
    @stochastic(runs=20)
    def test_it(self):
        x = random.random()
        self.assertGreater(x, 0.1)
        assert x < learned()

    @stochastic
    def test_skipped(self):
        self.skipTest("not today")
""",
    )
    printed = project.calibrate(code=1)
    assert "failed by themselves" in printed
    assert "1 failed, 1 skipped" in printed


def test_a_rerun_counts_as_one_test(project):
    project.write(
        "test_counts.py",
        HEAD
        + """
SHIFT = 0

@stochastic
def test_it():
    print("a run")
    assert random.random() + SHIFT < learned()

def test_plain():
    pass
""",
    )
    project.calibrate()
    project.replace("test_counts.py", "SHIFT = 0", "SHIFT = 0.9")
    printed = project.pytest("--flex-seed=a", "--junitxml=junit.xml", code=1)
    assert "1 failed, 1 passed" in printed
    assert printed.count("a run") >= 5
    suite = ET.parse(project.path / "junit.xml").getroot().find("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    assert "regression" in suite.find(".//failure").text


def test_skips_and_expected_failures_stay_what_they_are(project):
    project.write(
        "test_outcomes.py",
        HEAD
        + """
@stochastic
def test_skip():
    pytest.skip("not today")

@stochastic
@pytest.mark.xfail(strict=True)
def test_xfail():
    assert False

@stochastic
@pytest.mark.skipif(True, reason="never")
def test_never():
    assert learned()

@stochastic
def test_broken(no_such_fixture):
    pass
""",
    )
    printed = project.pytest("--flex-seed=a", code=1)
    for words in ("2 skipped", "1 xfailed", "1 error"):
        assert words in printed


def test_a_fixture_that_fails_in_a_rerun_fails_the_test(project):
    project.write(
        "test_late.py",
        HEAD
        + """
LATE = 10**9
built = 0

@pytest.fixture
def fixture():
    global built
    built += 1
    if built > LATE:
        raise RuntimeError("the fixture is tired")
    return built

@stochastic
def test_it(fixture):
    assert random.random() + (LATE == 2) < learned()
""",
    )
    project.calibrate()
    project.replace("test_late.py", "LATE = 10**9", "LATE = 2")
    printed = project.pytest("--flex-seed=a", code=1)
    assert "the fixture is tired" in printed
    assert "note: in rerun 2, since assert random.random()" in printed
    assert "1 failed" in printed


@pytest.mark.parametrize("isolate", [True, False])
def test_a_crash_is_reported_or_loses_nothing(project, isolate):
    project.write(
        "test_crash.py",
        HEAD
        + """
import ctypes, os
runs = 0

@stochastic
def test_fine():
    assert random.random() < learned()

@stochastic
def test_crash(request):
    global runs
    x = random.random()
    assert x < learned()
    if x > 0.97:
        os._exit(3)
    if x < 0.03:
        ctypes.string_at(0)
""",
    )
    before = "# nothing yet\nversion = 1\n"
    project.write("flex-bounds.toml", before)
    if isolate:
        printed = project.calibrate("--flex-isolate", "-p", "no:randomly", code=1)
        assert "the run ended its process (exit code 3)" in printed
        assert "replay: pytest test_crash.py::test_crash --flex-isolate --flex-seed=calibration@calibrate:" in printed
        assert 'test = "test_crash.py::test_fine"' in project.bounds
        replay = next(line for line in printed.splitlines() if line.strip().startswith("replay:"))
        again = project.pytest(*replay.split()[2:], code=1)
        assert "the run ended its process (exit code 3)" in again
    else:
        project.run("--flex=calibrate", "--flex-seed=calibration", "-p", "no:randomly", fresh=True)
        assert project.bounds == before


def test_isolated_runs_share_nothing(project):
    project.write(
        "test_poison.py",
        HEAD
        + """
poison = []

@stochastic(runs=20)
def test_it():
    poison.append(1)
    assert random.random() + len(poison) < learned()
""",
    )
    printed = project.calibrate(code=1)
    assert "shared state" in printed
    (project.path / "flex-bounds.toml").unlink()
    project.calibrate("--flex-isolate")
    project.pytest("--flex-seed=green", "--flex-isolate")


def test_what_a_run_imports_or_asks_for_by_name_follows_a_seed_too(project):
    project.write(
        "test_late.py",
        """
import random
import pytest
from pytest_flex import learned, stochastic

@pytest.fixture(scope="session")
def wide():
    return random.random()

@stochastic
def test_it(request):
    import numpy as np
    print("DREW", request.getfixturevalue("wide"), np.random.random())
    assert np.random.random() < learned()
""",
    )

    def drew(seed: str) -> list[str]:
        printed = project.pytest("-s", "--flex=off", f"--flex-seed={seed}", "-p", "no:randomly", fresh=True)
        # The first run imported NumPy, and was made again.
        return [line for line in printed.splitlines() if "DREW" in line][-1].split()[-2:]

    first, again, other = drew("a"), drew("a"), drew("b")
    assert first == again
    assert first[0] == other[0]
    assert first[1] != other[1]
    assert "0 refused" in project.calibrate("-p", "no:randomly", fresh=True)


def test_package_and_class_fixtures(project):
    project.write("pack/__init__.py", "")
    project.write(
        "pack/conftest.py",
        "import random, pytest\n\n@pytest.fixture(scope='package')\ndef package():\n    return random.random()\n",
    )
    project.write(
        "pack/test_it.py",
        HEAD
        + """
@stochastic(runs=20)
class TestIt:
    @pytest.fixture(scope="class")
    def klass(self):
        return random.random()

    def test_it(self, klass, package):
        assert random.random() + klass + package < learned()
""",
    )
    project.calibrate()
    for seed in range(3):
        project.pytest(f"--flex-seed=green{seed}", "-p", "randomly")
