//! A package of Rust with a helper crate.

use super::Edit::{Rename, Replace, Write};
use super::{History, KnownTest, Step, stochastic, test};

const ALL: &str = "tests/all.rs";
const STOCHASTIC: &str = "tests/stochastic.rs";

const TESTS: [KnownTest; 20] = [
    test("src/lib.rs", "arith::tests::unit_adds"),
    test(ALL, "adds"),
    test(ALL, "doubles"),
    test(ALL, "clips"),
    test(ALL, "constant"),
    test(ALL, "draws"),
    test(ALL, "means"),
    test(ALL, "noise_stays"),
    test(ALL, "shuffles"),
    test(ALL, "fits"),
    test(ALL, "model_scores"),
    test(ALL, "linear_scores"),
    test(ALL, "other_scores"),
    test(ALL, "displays"),
    test(ALL, "slugs"),
    test(ALL, "titles"),
    test(ALL, "greets"),
    test(ALL, "twice_by_macro"),
    stochastic(STOCHASTIC, "error"),
    stochastic(STOCHASTIC, "noise"),
];

const OF_MEAN: [&str; 6] = [
    "means",
    "fits",
    "model_scores",
    "linear_scores",
    "displays",
    "error",
];

/// The history.
pub const RUST: History = History {
    begin: &[
        (
            "Cargo.toml",
            "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\nmembers = [\"helper\"]\n\n\
             [dev-dependencies]\nflex-harness = { path = \"{flex}/flex-harness\" }\nhelper = { path = \"helper\" }\n",
        ),
        (".gitignore", "target\n"),
        (
            "helper/Cargo.toml",
            "[package]\nname = \"helper\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
        ),
        (
            "helper/src/lib.rs",
            "pub fn numbers() -> Vec<u32> {\n    vec![3, 1, 2]\n}\n\npub fn unused() -> u32 {\n    0\n}\n",
        ),
        (
            "src/lib.rs",
            "pub mod arith;\npub mod models;\npub mod sampling;\npub mod text;\n\npub use models::{Linear, Model};\n\
             pub use sampling::{draw, mean_of};\n",
        ),
        (
            "src/arith.rs",
            "pub const LIMIT: f64 = 10.0;\n\npub fn add(a: f64, b: f64) -> f64 {\n    a + b\n}\n\n\
             pub fn double(a: f64) -> f64 {\n    add(a, a)\n}\n\npub fn clip(x: f64) -> f64 {\n    x.min(LIMIT)\n}\n\n\
             pub fn unused() -> f64 {\n    0.0\n}\n\n#[macro_export]\nmacro_rules! twice {\n    ($x:expr) => {\n        \
             $crate::arith::add($x, $x)\n    };\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    \
             fn unit_adds() {\n        assert_eq!(add(1.0, 1.0), 2.0);\n    }\n}\n",
        ),
        (
            "src/sampling.rs",
            "use std::hash::{BuildHasher, Hasher};\n\nuse crate::arith::add;\n\n/// What the operating system gives.\n\
             pub fn entropy() -> f64 {\n    let number = std::hash::RandomState::new().build_hasher().finish();\n    \
             (number >> 11) as f64 / (1u64 << 53) as f64\n}\n\n\
             pub fn draw(source: &mut dyn FnMut() -> f64) -> f64 {\n    source()\n}\n\n\
             pub fn mean_of(n: u32, source: &mut dyn FnMut() -> f64) -> f64 {\n    \
             (0..n).map(|_| draw(source)).sum::<f64>() / f64::from(n)\n}\n\n\
             pub fn noisy(x: f64, source: &mut dyn FnMut() -> f64) -> f64 {\n    add(x, draw(source) - 0.5)\n}\n\n\
             pub fn shuffled(mut items: Vec<u32>, source: &mut dyn FnMut() -> f64) -> Vec<u32> {\n    \
             let at = (draw(source) * items.len() as f64) as usize;\n    items.rotate_left(at);\n    items\n}\n",
        ),
        (
            "src/models.rs",
            "use crate::arith::clip;\nuse crate::sampling::mean_of;\n\npub struct Model {\n    pub value: f64,\n}\n\n\
             impl Model {\n    pub fn fit(n: u32, source: &mut dyn FnMut() -> f64) -> Self {\n        \
             Model {\n            value: mean_of(n, source),\n        }\n    }\n\n    \
             pub fn score(&self) -> f64 {\n        clip(self.value)\n    }\n}\n\n\
             impl std::fmt::Display for Model {\n    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {\n        \
             write!(f, \"model {}\", self.value)\n    }\n}\n\npub struct Linear(pub Model);\n\nimpl Linear {\n    \
             pub fn score(&self) -> f64 {\n        2.0 * self.0.score()\n    }\n}\n\npub struct Other;\n\nimpl Other {\n    \
             pub fn score(&self) -> f64 {\n        7.0\n    }\n}\n",
        ),
        (
            "src/text.rs",
            "pub fn slug(text: &str) -> String {\n    text.to_lowercase().replace(' ', \"-\")\n}\n\n\
             pub fn title(text: &str) -> String {\n    text.to_uppercase()\n}\n\n\
             pub fn greeting() -> &'static str {\n    include_str!(\"greeting.txt\")\n}\n",
        ),
        ("src/greeting.txt", "hello\n"),
        (
            ALL,
            "use shop::arith::{add, clip, double};\nuse shop::models::Other;\nuse shop::sampling::{entropy, noisy, shuffled};\n\
             use shop::text::{greeting, slug, title};\nuse shop::{Linear, Model, draw, mean_of};\n\n\
             #[test]\nfn adds() {\n    assert_eq!(add(1.0, 2.0), 3.0);\n}\n\n\
             #[test]\nfn doubles() {\n    assert_eq!(double(2.0), 4.0);\n}\n\n\
             #[test]\nfn clips() {\n    assert!(clip(50.0) >= 10.0);\n}\n\n\
             #[test]\nfn constant() {\n    assert_eq!(1 + 1, 2);\n}\n\n\
             #[test]\nfn draws() {\n    assert!(draw(&mut entropy) < 2.0);\n}\n\n\
             #[test]\nfn means() {\n    assert!(mean_of(50, &mut entropy) < 1.0);\n}\n\n\
             #[test]\nfn noise_stays() {\n    assert!((noisy(3.0, &mut entropy) - 3.0).abs() <= 0.5);\n}\n\n\
             #[test]\nfn shuffles() {\n    let mut found = shuffled(helper::numbers(), &mut entropy);\n    found.sort();\n    \
             assert_eq!(found, [1, 2, 3]);\n}\n\n\
             #[test]\nfn fits() {\n    assert!(Model::fit(20, &mut entropy).value > 0.0);\n}\n\n\
             #[test]\nfn model_scores() {\n    assert!(Model::fit(20, &mut entropy).score() <= 20.0);\n}\n\n\
             #[test]\nfn linear_scores() {\n    assert!(Linear(Model::fit(10, &mut entropy)).score() <= 40.0);\n}\n\n\
             #[test]\nfn other_scores() {\n    assert!(Other.score() > 1.0);\n}\n\n\
             #[test]\nfn displays() {\n    assert!(format!(\"{}\", Model::fit(1, &mut entropy)).starts_with(\"model\"));\n}\n\n\
             #[test]\nfn slugs() {\n    assert_eq!(slug(\"A b\"), \"a-b\");\n}\n\n\
             #[test]\nfn titles() {\n    assert_eq!(title(\"a b\"), \"A B\");\n}\n\n\
             #[test]\nfn greets() {\n    assert!(greeting().contains(\"hello\"));\n}\n\n\
             #[test]\nfn twice_by_macro() {\n    assert_eq!(shop::twice!(1.5), 3.0);\n}\n",
        ),
        (
            STOCHASTIC,
            "use flex_harness::prelude::*;\nuse shop::mean_of;\nuse shop::sampling::noisy;\n\n\
             fn uniform(rng: &mut TestRng) -> f64 {\n    (rng.seed_u64() >> 11) as f64 / (1u64 << 53) as f64\n}\n\n\
             #[stochastic_test]\nfn error(rng: &mut TestRng) {\n    let error = (mean_of(30, &mut || uniform(rng)) - 0.5).abs();\n    \
             assert_tail_bound!(error < _);\n}\n\n\
             #[stochastic_test]\nfn noise(rng: &mut TestRng) {\n    let noise = noisy(0.0, &mut || uniform(rng));\n    \
             assert_tail_bound!(noise < _);\n}\n",
        ),
    ],
    tests: &TESTS,
    steps: &STEPS,
};

const STEPS: [Step; 24] = [
    Step::new(
        "a comment",
        &[Replace(
            "src/arith.rs",
            "pub const LIMIT",
            "/// As much as anybody needs.\npub const LIMIT",
        )],
        &[],
    ),
    Step::new(
        "add, in other words",
        &[Replace("src/arith.rs", "    a + b\n", "    b + a\n")],
        &[
            "arith::tests::unit_adds",
            "adds",
            "doubles",
            "noise_stays",
            "twice_by_macro",
            "noise",
        ],
    ),
    Step::new(
        "a constant",
        &[Replace("src/arith.rs", "= 10.0", "= 20.0")],
        &["clips", "model_scores", "linear_scores"],
    ),
    Step::new(
        "functions that nobody calls",
        &[
            Replace("src/arith.rs", "    0.0\n", "    1.0\n"),
            Replace("helper/src/lib.rs", "    0\n", "    1\n"),
        ],
        &[],
    ),
    Step::new(
        "draw, in other words",
        &[Replace(
            "src/sampling.rs",
            "    source()\n",
            "    1.0 * source()\n",
        )],
        &[
            "draws",
            "means",
            "noise_stays",
            "shuffles",
            "fits",
            "model_scores",
            "linear_scores",
            "displays",
            "error",
            "noise",
        ],
    ),
    Step::new(
        "the mean is rounded otherwise: the same values but for their last bits, which a replay takes for equal",
        &[Replace(
            "src/sampling.rs",
            "(0..n).map(|_| draw(source)).sum::<f64>() / f64::from(n)",
            "(0..n).map(|_| draw(source) / f64::from(n)).sum::<f64>()",
        )],
        &OF_MEAN,
    ),
    Step::new(
        "a draw is thrown away: other values, the same law",
        &[Replace(
            "src/sampling.rs",
            "    (0..n)",
            "    draw(source);\n    (0..n)",
        )],
        &OF_MEAN,
    )
    .moves(&["error"]),
    Step::new(
        "noise is biased",
        &[Replace(
            "src/sampling.rs",
            "draw(source) - 0.5",
            "draw(source) - 0.2",
        )],
        &["noise_stays", "noise"],
    )
    .moves(&["noise"])
    .flaky(&["noise_stays"]),
    Step::new(
        "noise is mended",
        &[Replace(
            "src/sampling.rs",
            "draw(source) - 0.2",
            "draw(source) - 0.5",
        )],
        &["noise_stays", "noise"],
    )
    .moves(&["noise"]),
    Step::new(
        "slugs have no spaces around them",
        &[Replace(
            "src/text.rs",
            "text.to_lowercase()",
            "text.trim().to_lowercase()",
        )],
        &["slugs"],
    ),
    Step::new(
        "titles, in other words",
        &[Replace(
            "src/text.rs",
            "    text.to_uppercase()",
            "    text.trim().to_uppercase()",
        )],
        &["titles"],
    ),
    Step::new(
        "a data file",
        &[Replace("src/greeting.txt", "hello", "hello, hello")],
        &["greets"],
    ),
    Step::new(
        "a method whose name others have",
        &[Replace("src/models.rs", "        7.0\n", "        8.0\n")],
        &["other_scores"],
    ),
    Step::new(
        "a method that calls one of the same name",
        &[Replace(
            "src/models.rs",
            "2.0 * self.0.score()",
            "self.0.score() * 2.0",
        )],
        &["linear_scores"],
    ),
    Step::new(
        "a trait's method that no source names",
        &[Replace("src/models.rs", "\"model {}\"", "\"model {:.3}\"")],
        &["displays"],
    ),
    Step::new(
        "a macro",
        &[Replace(
            "src/arith.rs",
            "$crate::arith::add($x, $x)",
            "$crate::arith::double($x)",
        )],
        &["twice_by_macro"],
    ),
    Step::new(
        "a function of the helper crate",
        &[Replace(
            "helper/src/lib.rs",
            "vec![3, 1, 2]",
            "vec![2, 3, 1]",
        )],
        &["shuffles"],
    ),
    Step::new(
        "a new test",
        &[Write(
            "tests/new.rs",
            "#[test]\nfn fresh() {\n    assert_eq!(shop::arith::add(0.0, 0.0), 0.0);\n}\n",
        )],
        &["fresh"],
    )
    .adds(&[test("tests/new.rs", "fresh")]),
    Step::new(
        "a changed test",
        &[Replace(
            ALL,
            "title(\"a b\"), \"A B\"",
            "title(\"c d\"), \"C D\"",
        )],
        &["titles"],
    ),
    Step::new(
        "a test asks too much",
        &[Replace(
            ALL,
            "mean_of(50, &mut entropy) < 1.0",
            "mean_of(50, &mut entropy) < 0.52",
        )],
        &["means"],
    )
    .flaky(&["means"]),
    Step::new(
        "and is mended",
        &[Replace(
            ALL,
            "mean_of(50, &mut entropy) < 0.52",
            "mean_of(50, &mut entropy) < 1.0",
        )],
        &["means"],
    ),
    Step::new(
        "a module has another name",
        &[
            Rename("src/text.rs", "src/words.rs"),
            Replace("src/lib.rs", "pub mod text;", "pub mod words;"),
            Replace(ALL, "shop::text::", "shop::words::"),
        ],
        &["slugs", "titles", "greets"],
    ),
    Step::of_all(
        "the build file",
        &[Replace(
            "Cargo.toml",
            "[dev-dependencies]",
            "[profile.dev]\ndebug = 1\n\n[dev-dependencies]",
        )],
    ),
    Step::new(
        "one is lost now and then",
        &[Replace(
            "src/sampling.rs",
            "    items\n}",
            "    items.truncate(if draw(source) < 0.3 { 2 } else { 3 });\n    items\n}",
        )],
        &["shuffles"],
    )
    .flaky(&["shuffles"]),
];
