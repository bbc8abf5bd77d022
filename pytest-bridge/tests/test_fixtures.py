"""Fixtures over the runs of a test: which are new for each, what they draw from, and what happens when they fail."""

from __future__ import annotations

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
    assert "note: in rerun 1, since assert random.random()" in printed
    assert "1 failed" in printed


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
