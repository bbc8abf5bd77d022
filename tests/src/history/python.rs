//! A package of Python.

use super::Edit::{Rename, Replace, Write};
use super::{History, KnownTest, Step, stochastic, test};

const ARITH: &str = "tests/test_arith.py";
const SAMPLING: &str = "tests/test_sampling.py";
const MODELS: &str = "tests/test_models.py";
const TEXT: &str = "tests/test_text.py";
const STOCHASTIC: &str = "tests/test_stochastic.py";

const TESTS: [KnownTest; 17] = [
    test(ARITH, "test_add"),
    test(ARITH, "test_double"),
    test(ARITH, "test_clip"),
    test(ARITH, "test_constant"),
    test(SAMPLING, "test_draw"),
    test(SAMPLING, "test_mean"),
    test(SAMPLING, "test_noisy"),
    test(SAMPLING, "test_shuffled"),
    test(MODELS, "test_fitted"),
    test(MODELS, "TestScore.test_model"),
    test(MODELS, "TestScore.test_linear"),
    test(MODELS, "TestScore.test_other"),
    test(TEXT, "test_slug"),
    test(TEXT, "test_title"),
    test(TEXT, "test_greeting"),
    stochastic(STOCHASTIC, "test_error"),
    stochastic(STOCHASTIC, "test_noise"),
];

const OF_MEAN: [&str; 5] = [
    "test_mean",
    "test_fitted",
    "TestScore.test_model",
    "TestScore.test_linear",
    "test_error",
];

/// The history.
pub const PYTHON: History = History {
    begin: &[
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]\npythonpath = [\".\"]\n",
        ),
        (".gitignore", "__pycache__\n.pytest_cache\n"),
        (
            "shop/__init__.py",
            "from .models import Linear, Model\nfrom .sampling import draw, mean_of\n",
        ),
        (
            "shop/arith.py",
            "LIMIT = 10\n\n\ndef add(a, b):\n    return a + b\n\n\ndef double(a):\n    return add(a, a)\n\n\n\
             def clip(x):\n    return min(x, LIMIT)\n\n\ndef unused():\n    return 0\n",
        ),
        (
            "shop/sampling.py",
            "import random\n\nfrom . import arith\n\n\ndef draw():\n    return random.random()\n\n\n\
             def mean_of(n):\n    return sum(draw() for _ in range(n)) / n\n\n\n\
             def noisy(x):\n    return arith.add(x, draw() - 0.5)\n\n\n\
             def shuffled(items):\n    items = list(items)\n    random.shuffle(items)\n    return items\n",
        ),
        (
            "shop/models.py",
            "from .arith import clip\nfrom .sampling import mean_of\n\n\n\
             class Model:\n    def fit(self, n):\n        self.value = mean_of(n)\n        return self\n\n\
             \x20   def score(self):\n        return clip(self.value)\n\n\n\
             class Linear(Model):\n    def score(self):\n        return 2 * super().score()\n\n\n\
             class Other:\n    def score(self):\n        return 7\n",
        ),
        (
            "shop/text.py",
            "from pathlib import Path\n\n\ndef slug(text):\n    return text.lower().replace(' ', '-')\n\n\n\
             def title(text):\n    return text.title()\n\n\n\
             def greeting():\n    return (Path(__file__).parent / 'greeting.txt').read_text()\n",
        ),
        ("shop/greeting.txt", "hello\n"),
        (
            "tests/conftest.py",
            "import pytest\n\nfrom shop import Model\n\n\n@pytest.fixture\ndef model():\n    return Model().fit(20)\n\n\n\
             @pytest.fixture\ndef numbers():\n    return [3, 1, 2]\n",
        ),
        (
            ARITH,
            "from shop.arith import add, clip, double\n\n\ndef test_add():\n    assert add(1, 2) == 3\n\n\n\
             def test_double():\n    assert double(2) == 4\n\n\ndef test_clip():\n    assert clip(50) >= 10\n\n\n\
             def test_constant():\n    assert 1 + 1 == 2\n",
        ),
        (
            SAMPLING,
            "import shop\nfrom shop.sampling import noisy, shuffled\n\n\n\
             def test_draw():\n    assert 0 <= shop.draw() < 2\n\n\ndef test_mean():\n    assert shop.mean_of(50) < 1.0\n\n\n\
             def test_noisy():\n    assert abs(noisy(3) - 3) <= 0.5\n\n\n\
             def test_shuffled(numbers):\n    assert sorted(shuffled(numbers)) == [1, 2, 3]\n",
        ),
        (
            MODELS,
            "from shop import Linear\nfrom shop.models import Other\n\n\n\
             def test_fitted(model):\n    assert model.value > 0\n\n\n\
             class TestScore:\n    def test_model(self, model):\n        assert model.score() <= 20\n\n\
             \x20   def test_linear(self):\n        assert Linear().fit(10).score() <= 40\n\n\
             \x20   def test_other(self):\n        assert Other().score() > 1\n",
        ),
        (
            TEXT,
            "from shop.text import greeting, slug, title\n\n\ndef test_slug():\n    assert slug('A b') == 'a-b'\n\n\n\
             def test_title():\n    assert title('a b') == 'A B'\n\n\ndef test_greeting():\n    assert 'hello' in greeting()\n",
        ),
        (
            STOCHASTIC,
            "from pytest_flex import learned, stochastic\n\nfrom shop import mean_of\nfrom shop.sampling import noisy\n\n\n\
             @stochastic\ndef test_error():\n    assert abs(mean_of(30) - 0.5) < learned()\n\n\n\
             @stochastic\ndef test_noise():\n    assert noisy(0) < learned()\n",
        ),
    ],
    tests: &TESTS,
    steps: &STEPS,
};

const STEPS: [Step; 25] = [
    Step::new(
        "a comment",
        &[Replace(
            "shop/arith.py",
            "LIMIT = 10",
            "# As much as anybody needs.\nLIMIT = 10",
        )],
        &[],
    ),
    Step::new(
        "add, in other words",
        &[Replace("shop/arith.py", "return a + b", "return b + a")],
        &["test_add", "test_double", "test_noisy", "test_noise"],
    ),
    Step::new(
        "a constant",
        &[Replace("shop/arith.py", "LIMIT = 10", "LIMIT = 20")],
        &["test_clip", "TestScore.test_model", "TestScore.test_linear"],
    ),
    Step::new(
        "a function that nobody calls",
        &[Replace("shop/arith.py", "return 0", "return 1")],
        &[],
    ),
    Step::new(
        "draw, in other words",
        &[Replace(
            "shop/sampling.py",
            "return random.random()",
            "return 1.0 * random.random()",
        )],
        &[
            "test_draw",
            "test_mean",
            "test_noisy",
            "test_fitted",
            "TestScore.test_model",
            "TestScore.test_linear",
            "test_error",
            "test_noise",
        ],
    ),
    Step::new(
        "the mean is rounded otherwise: the same values but for their last bits, which a replay takes for equal",
        &[Replace(
            "shop/sampling.py",
            "sum(draw() for _ in range(n)) / n",
            "sum(draw() / n for _ in range(n))",
        )],
        &OF_MEAN,
    ),
    Step::new(
        "a draw is thrown away: other values, the same law",
        &[Replace(
            "shop/sampling.py",
            "def mean_of(n):\n",
            "def mean_of(n):\n    draw()\n",
        )],
        &OF_MEAN,
    )
    .moves(&["test_error"]),
    Step::new(
        "noise is biased",
        &[Replace("shop/sampling.py", "draw() - 0.5", "draw() - 0.2")],
        &["test_noisy", "test_noise"],
    )
    .moves(&["test_noise"])
    .flaky(&["test_noisy"]),
    Step::new(
        "noise is mended",
        &[Replace("shop/sampling.py", "draw() - 0.2", "draw() - 0.5")],
        &["test_noisy", "test_noise"],
    )
    .moves(&["test_noise"]),
    Step::new(
        "slugs have no spaces around them",
        &[Replace(
            "shop/text.py",
            "text.lower()",
            "text.strip().lower()",
        )],
        &["test_slug"],
    ),
    Step::new(
        "titles, in other words",
        &[Replace(
            "shop/text.py",
            "return text.title()",
            "return str(text).title()",
        )],
        &["test_title"],
    ),
    Step::new(
        "a data file",
        &[Replace("shop/greeting.txt", "hello", "hello, hello")],
        &["test_greeting"],
    ),
    Step::new(
        "a method whose name others have",
        &[Replace("shop/models.py", "return 7", "return 8")],
        &["TestScore.test_other"],
    ),
    Step::new(
        "a method that overrides another",
        &[Replace(
            "shop/models.py",
            "2 * super().score()",
            "super().score() * 2",
        )],
        &["TestScore.test_linear"],
    ),
    Step::new(
        "a fixture",
        &[Replace("tests/conftest.py", "[3, 1, 2]", "[2, 3, 1]")],
        &["test_shuffled"],
    ),
    Step::new(
        "another fixture",
        &[Replace("tests/conftest.py", "fit(20)", "fit(30)")],
        &["test_fitted", "TestScore.test_model"],
    ),
    Step::new(
        "a new test",
        &[Write(
            "tests/test_new.py",
            "from shop.arith import add\n\n\ndef test_new():\n    assert add(0, 0) == 0\n",
        )],
        &["test_new"],
    )
    .adds(&[test("tests/test_new.py", "test_new")]),
    Step::new(
        "a changed test",
        &[Replace(
            TEXT,
            "title('a b') == 'A B'",
            "title('c d') == 'C D'",
        )],
        &["test_title"],
    ),
    Step::new(
        "a test asks too much",
        &[Replace(SAMPLING, "mean_of(50) < 1.0", "mean_of(50) < 0.52")],
        &["test_mean"],
    )
    .flaky(&["test_mean"]),
    Step::new(
        "and is mended",
        &[Replace(SAMPLING, "mean_of(50) < 0.52", "mean_of(50) < 1.0")],
        &["test_mean"],
    ),
    Step::new(
        "a function has another name",
        &[
            Replace("shop/text.py", "def title(", "def titled("),
            Replace(TEXT, "slug, title\n", "slug, titled\n"),
            Replace(TEXT, "assert title(", "assert titled("),
        ],
        &["test_title"],
    ),
    Step::new(
        "a module has another name",
        &[
            Rename("shop/text.py", "shop/words.py"),
            Replace(TEXT, "from shop.text import", "from shop.words import"),
        ],
        &["test_slug", "test_title", "test_greeting"],
    ),
    Step::of_all(
        "the build file",
        &[Replace(
            "pyproject.toml",
            "pythonpath",
            "addopts = \"-ra\"\npythonpath",
        )],
    ),
    Step::new(
        "shuffled by a generator of its own",
        &[Replace(
            "shop/sampling.py",
            "random.shuffle(items)",
            "random.Random(draw()).shuffle(items)",
        )],
        &["test_shuffled"],
    ),
    Step::new(
        "one is lost now and then",
        &[Replace(
            "shop/sampling.py",
            "    return items\n",
            "    return items[draw() < 0.3 :]\n",
        )],
        &["test_shuffled"],
    )
    .flaky(&["test_shuffled"]),
];
