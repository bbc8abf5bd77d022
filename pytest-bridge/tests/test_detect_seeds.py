"""Literal seeds in a search: they vary with the run, run 0 keeps them, and nothing else changes."""

from __future__ import annotations

import pytest
from searching import HEAD, record, values

FORMS = {
    "np.random.seed(42); x = np.random.random()": "numpy.random.seed",
    "x = np.random.RandomState(42).random_sample()": "numpy.random.RandomState",
    "x = RandomState(seed=42).random_sample()": "numpy.random.RandomState",
    "x = RandomState(np.int64(42)).random_sample()": "numpy.random.RandomState",
    "r = RandomState(7); r.seed(42); x = r.random_sample()": "numpy.random.RandomState",
    "x = np.random.default_rng(42).random()": "numpy.random.default_rng",
    "x = default_rng([42, 43]).random()": "numpy.random.default_rng",
    "x = default_rng(np.array([42, 43])).random()": "numpy.random.default_rng",
    "x = default_rng(np.random.SeedSequence(42).spawn(2)[1]).random()": "numpy.random.default_rng",
    "x = np.random.Generator(np.random.PCG64(42)).random()": "numpy.random.PCG64",
    "x = np.random.Generator(np.random.MT19937(42)).random()": "numpy.random.MT19937",
    "random.seed(42); x = random.random()": "random.seed",
    "random.seed(a=42); x = random.random()": "random.seed",
    "x = random.Random(42).random()": "random.Random",
    "x = type('Own', (random.Random,), {})(42).random()": "random.Random",
    "x = type('Own', (RandomState,), {})(42).random_sample()": "numpy.random.RandomState",
}


def test_every_form_varies_and_run_0_keeps_the_original(project):
    """One test for each form. Two runs with the same first number out of 2**32 would need a broken generator."""
    tests = [
        f"def test_{index}():\n    {form}\n    print('DREW', x)\n    assert x < 2\n" for index, form in enumerate(FORMS)
    ]
    project.write("test_forms.py", HEAD + "\n".join(tests))
    plain = project.pytest("-s", "-p", "no:randomly")
    drawn = [float(line.split("DREW ")[1]) for line in plain.splitlines() if "DREW" in line]
    tests = record(project, "--flex-runs=12", "--flex-max-runs=12")
    for index, (form, call) in enumerate(FORMS.items()):
        test = tests[f"test_{index}"]
        seen = values(test)
        assert seen[0] == drawn[index], form
        assert len(set(seen.values())) == 12, form
        assert test["first_as_written"], form
        seeds = {(seed["call"], seed["file"], seed["value"]) for seed in test["literal_seeds"]}
        assert (call, "test_forms.py", 42) in seeds, (form, seeds)
        # The same in every process, and again in this one.
        assert {run["place"] for run in test["repeats"]} == {"same-process", "other-process", "other-hashes"}
        for run in test["repeats"]:
            assert dict((tuple(value[:2]), value[2]) for value in run["values"])[0, 0] == seen[run["index"]], form


def test_equal_seeds_give_equal_streams_within_a_run(project):
    project.write(
        "test_equal.py",
        HEAD
        + """
def test_equal():
    np.random.seed(5)
    assert np.random.random() == RandomState(5).random_sample()
    assert random.Random(5).random() == random.Random(5).random() != random.Random(6).random()
    random.seed("text")
    drawn = random.random()
    assert random.Random("text").random() == drawn
    assert default_rng(5).random() == np.random.Generator(np.random.PCG64(np.random.SeedSequence(5))).random()
    children = [default_rng(child).random() for child in np.random.SeedSequence(5).spawn(3)]
    assert len(set(children)) == 3
    assert children == [default_rng(child).random() for child in np.random.SeedSequence(5).spawn(3)]
    assert RandomState([1, 2]).random_sample() == RandomState([1, 2]).random_sample()

def test_types_and_pickles():
    made = RandomState(3)
    assert type(made) is np.random.RandomState and isinstance(made, RandomState)
    assert isinstance(made._bit_generator, np.random.MT19937)
    again = pickle.loads(pickle.dumps(made))
    assert type(again._bit_generator) is np.random.MT19937
    assert again.random_sample() == made.random_sample()
    state = np.random.get_state()
    drawn = np.random.random()
    np.random.set_state(state)
    assert np.random.random() == drawn
    for thing in (np.random.SeedSequence(3), default_rng(3), default_rng(), random.Random(3), np.random.PCG64(3)):
        assert type(pickle.loads(pickle.dumps(thing))) is type(thing)
    assert pickle.loads(pickle.dumps(np.random.SeedSequence())).entropy is not None

def test_wrong_seeds_are_refused_as_ever():
    for wrong in (-1, 2**32, 0.5, "text"):
        with pytest.raises((ValueError, TypeError)):
            RandomState(wrong)
    for wrong in (-1, 0.5):
        with pytest.raises((ValueError, TypeError)):
            default_rng(wrong)
    random.seed(-5)
    random.seed(0.5)
    random.seed(b"bytes")
""",
    )
    tests = record(project, "--flex-runs=10", "--flex-max-runs=10")
    for test in tests.values():
        assert {run["outcome"] for run in test["runs"]} == {"pass"}, test["runs"]
    notes = " ".join(tests["test_equal"]["notes"])
    assert "the seed 'text' of random.seed at test_equal.py" in notes


def test_generators_are_put_back(project):
    project.write(
        "conftest.py",
        """
import random
import numpy as np
from numpy.random import bit_generator, mtrand

was = (mtrand._MT19937, bit_generator.randbits, random.Random.seed.__code__, np.random.get_bit_generator())

def pytest_unconfigure():
    now = (mtrand._MT19937, bit_generator.randbits, random.Random.seed.__code__, np.random.get_bit_generator())
    assert all(one is other for one, other in zip(was, now)), now
    np.random.seed(1)
    print("PUT BACK", np.random.random(), np.random.RandomState(1).random_sample())
""",
    )
    project.write("test_it.py", "import numpy as np\ndef test_it():\n    assert np.random.RandomState(1).rand() < 2\n")
    record(project, "-s", "--flex-runs=3", "--flex-max-runs=3")
    assert "PUT BACK 0.417022004702574 0.417022004702574" in project.printed


def test_integers_for_random_state_vary_in_scikit_learn(project):
    pytest.importorskip("sklearn")
    project.write(
        "library.py",
        """
from sklearn.utils import check_random_state

def draw(random_state=None):
    return check_random_state(random_state).random_sample()
""",
    )
    project.write(
        "test_sklearn.py",
        HEAD
        + """
from sklearn.cluster import KMeans
from sklearn.kernel_approximation import PolynomialCountSketch
from sklearn.utils import check_random_state
from library import draw

X = np.linspace(0, 1, 60).reshape(20, 3) ** 2

def test_check():
    assert check_random_state(42).random_sample() == check_random_state(42).random_sample()
    assert check_random_state(42).random_sample() < 2

def test_library():
    assert draw(random_state=42) < 2

def test_k_means():
    fitted = KMeans(n_clusters=4, n_init=1, init="random", random_state=42).fit(X)
    assert fitted.inertia_ >= 0
    assert fitted.inertia_ == KMeans(n_clusters=4, n_init=1, init="random", random_state=42).fit(X).inertia_

def test_sketch():
    sketch = PolynomialCountSketch(n_components=10, random_state=42)
    assert sketch.fit_transform(X).max() < 1e9
""",
    )
    tests = record(project, "--flex-runs=10", "--flex-max-runs=10")
    for name, test in tests.items():
        assert {run["outcome"] for run in test["runs"]} == {"pass"}, test["runs"]
        assert len(set(values(test).values())) > 1, name
        assert {seed["value"] for seed in test["literal_seeds"]} == {42}, test["literal_seeds"]
    (seed,) = tests["test_sketch"]["literal_seeds"]
    line = (project.path / "test_sklearn.py").read_text().splitlines()[seed["line"] - 1]
    assert (seed["call"], seed["file"]) == ("random_state", "test_sklearn.py")
    assert "random_state=42" in line


def test_torch_varies(project):
    pytest.importorskip("torch")
    project.write(
        "test_torch.py",
        """
import torch
from torch import manual_seed

def test_it():
    manual_seed(42)
    first = torch.rand(()).item()
    torch.manual_seed(42)
    assert torch.rand(()).item() == first
    assert first < 2
""",
    )
    test = record(project, "--flex-runs=10", "--flex-max-runs=10")["test_it"]
    assert len(set(values(test).values())) == 10
    assert test["literal_seeds"][0]["call"] == "torch.manual_seed"


def test_generators_without_a_seed_follow_the_run(project):
    project.write(
        "test_unseeded.py",
        HEAD
        + """
def test_it():
    drawn = [default_rng().random(), RandomState().random_sample(), random.Random().random()]
    np.random.seed()
    random.seed()
    drawn += [np.random.random(), random.random(), default_rng().random()]
    assert len(set(drawn)) == 6
    assert sum(drawn) < 7
""",
    )
    test = record(project, "--flex-runs=10", "--flex-max-runs=10")["test_it"]
    seen = values(test)
    assert len(set(seen.values())) == 10
    assert test["unseeded"] == []
    assert not test["first_as_written"]
    for run in test["repeats"]:
        assert run["values"] == [[0, 0, seen[run["index"]]]]


def test_what_follows_no_seed_is_named(project):
    project.write(
        "test_uncontrolled.py",
        HEAD
        + """
import time

def helper():
    return secrets.randbelow(10**9)

def test_uuid():
    assert uuid.uuid4().int >= 0

def test_secrets():
    assert helper() >= 0

def test_system():
    assert random.SystemRandom().random() < 2

def test_urandom():
    assert os.urandom(4)[0] < 300

def test_clock():
    assert RandomState(int(time.time())).random_sample() < 2
""",
    )
    tests = record(project, "--flex-runs=5", "--flex-max-runs=5")

    def place(text: str) -> int:
        lines = (project.path / "test_uncontrolled.py").read_text().splitlines()
        return next(number for number, line in enumerate(lines, 1) if text in line)

    file = "test_uncontrolled.py"
    system = "os.urandom() or random.SystemRandom"
    assert tests["test_uuid"]["unseeded"] == [f"uuid.uuid4() at {file}:{place('uuid4().int')}"]
    assert tests["test_secrets"]["unseeded"] == [f"secrets at {file}:{place('secrets.randbelow')}"]
    assert tests["test_system"]["unseeded"] == [f"{system} at {file}:{place('SystemRandom()')}"]
    assert tests["test_urandom"]["unseeded"] == [f"{system} at {file}:{place('urandom(4)')}"]
    clock = f"numpy.random.RandomState(the clock) at {file}:{place('time.time()')}"
    assert tests["test_clock"]["unseeded"] == [clock]
    assert tests["test_clock"]["literal_seeds"] == []


def test_what_is_drawn_once_for_all_runs_is_said(project):
    project.write(
        "test_once.py",
        HEAD
        + """
rng = RandomState(0)

@pytest.fixture(scope="module")
def drawn():
    return np.random.RandomState(1).random_sample()

@pytest.fixture(scope="session")
def quiet():
    return 1

def test_it(drawn, quiet):
    assert rng.random_sample() < 2
    assert drawn < 2
""",
    )
    test = record(project, "--flex-runs=10", "--flex-max-runs=10")["test_it"]
    notes = " ".join(test["notes"])
    assert "while modules are imported is not varied: test_once.py:7 `rng = RandomState(0)`" in notes
    assert "the module fixture `drawn` is drawn once for all runs; --flex-fresh=module draws it anew" in notes
    assert "quiet" not in notes
    assert set(values(test, 1).values()) == {0.417022004702574}
    test = record(project, "--flex-runs=10", "--flex-max-runs=10", "--flex-fresh=module")["test_it"]
    assert len(set(values(test, 1).values())) == 10
    assert "fixture" not in " ".join(test["notes"])


def test_calibration_varies_them_on_request(project):
    project.write(
        "test_calibrated.py",
        HEAD
        + """
from pytest_flex import learned, stochastic

@stochastic(runs=30)
def test_it():
    assert RandomState(42).random_sample() < learned()
""",
    )
    assert "no value varied" in project.calibrate(code=0)
    printed = project.calibrate("--flex-vary-seeds", "--flex-accept")
    assert "no value varied" not in printed
    project.pytest("--flex-seed=green")
    replayed = project.pytest("--flex-seed=calibration@calibrate:3", "--flex-vary-seeds")
    assert "0.37454" not in replayed
    assert "0.37454" in project.pytest("--flex-seed=calibration@calibrate:3")


def test_what_a_library_seeds_while_it_is_imported_is_no_seed_of_the_test(project):
    """As scipy does, which a test imports in its body."""
    project.write(
        "library.py",
        "import numpy as np\n_ours = np.random.RandomState(17)\n\ndef draw(): return _ours.random_sample()\n",
    )
    project.write(
        "test_lazy.py",
        HEAD
        + """
def test_lazy():
    from library import draw
    assert 0 <= draw() and np.random.random() < 2
""",
    )
    test = record(project, "--flex-runs=6", "--flex-max-runs=6", "--flex-full")["test_lazy"]
    assert not test["literal_seeds"]
    assert not test["first_as_written"]


def test_functions_of_the_project_that_seed_are_named_in_flex_toml(project):
    project.write(
        "flex.toml",
        """
[[seed]]
function = "tools.set_seed"

[[seed]]
function = "tools.generator"
parameter = "state"

[[seed]]
function = "tools.NOTHING"
""",
    )
    project.write(
        "tools.py",
        """
import hashlib

NOTHING = None
_state = b""

def set_seed(seed, verbose=False):
    global _state
    _state = str(seed).encode()

def draw():
    return hashlib.sha256(_state).digest()[0] + hashlib.sha256(_state).digest()[1] / 256

def generator(size, *, state=None):
    return hashlib.sha256(str(state).encode()).digest()[0] + hashlib.sha256(str(state).encode()).digest()[1] / 256
""",
    )
    project.write(
        "test_it.py",
        """
import tools
from tools import set_seed

def test_first_parameter():
    set_seed(42)
    x = tools.draw()
    assert x < 999

def test_named_parameter():
    x = tools.generator(3, state=42)
    assert x < 999
""",
    )
    tests = record(project, "--flex-runs=8", "--flex-max-runs=8")
    for name, call in (("test_first_parameter", "tools.set_seed"), ("test_named_parameter", "tools.generator")):
        test = tests[name]
        assert len(set(values(test).values())) > 4, name
        assert (call, 42) in {(seed["call"], seed["value"]) for seed in test["literal_seeds"]}
        assert any("tools.NOTHING is no function of Python with a seed" in note for note in test["notes"]), test[
            "notes"
        ]


def test_the_seed_that_scikit_learn_gives_its_tests_varies(project):
    # As its conftest has it: the seeds are the fixture's parameters.
    project.write(
        "conftest.py",
        """
import pytest

@pytest.fixture(params=[42])
def global_random_seed(request):
    yield request.param
""",
    )
    project.write(
        "test_it.py",
        HEAD
        + """
from sklearn.utils import check_random_state

def test_legacy(global_random_seed):
    assert check_random_state(global_random_seed).rand() < 2

def test_generator(global_random_seed):
    assert default_rng(global_random_seed).random() < 2
""",
    )
    tests = record(project, "--flex-runs=20", "--flex-max-runs=20")
    for name in ("test_legacy[42]", "test_generator[42]"):
        drawn = values(tests[name])
        assert len(set(drawn.values())) == 20
        (seed,) = tests[name]["literal_seeds"]
        assert seed["value"] == 42
    # Run 0 is the test as scikit-learn runs it.
    assert values(tests["test_legacy[42]"])[0] == 0.3745401188473625
