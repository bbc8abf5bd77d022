use super::*;
use crate::change::changed_items;
use crate::changes::VERSION;
use crate::graph::Package;
use crate::source::read;

/// Selects the tests of files of which some have another text before the change; `expected` are those that are affected.
fn check(files: &[(&str, &str)], old: &[(&str, &str)], tests: &[(&str, &str)], expected: &[&str]) {
    let packages =
        [("lib", vec![]), ("app", vec!["lib".to_owned()])].map(|(name, needs)| Package {
            name: name.to_owned(),
            folder: name.to_owned(),
            needs,
        });
    let text = |path: &str| {
        files
            .iter()
            .find(|(file, _)| *file == path)
            .map_or("", |(_, text)| *text)
    };
    let changed = old.iter().map(|(path, before)| {
        let language = Language::of(path);
        ChangedFile {
            path: (*path).to_owned(),
            old_path: None,
            change: ChangeKind::Changed,
            content: if language.is_some() {
                Content::Source
            } else {
                Content::Text
            },
            items: language.map_or_else(Vec::new, |language| {
                changed_items(language, before, text(path))
            }),
        }
    });
    let changes = Changes {
        version: VERSION,
        base: None,
        head: None,
        files: changed.collect(),
    };
    let project = files.iter().filter_map(|(path, text)| {
        let language = Language::of(path)?;
        Some(ProjectFile {
            path: (*path).to_owned(),
            source: read(language, text),
        })
    });
    let project = with_removed(project.collect(), &changes);
    let graph = Graph::new(&project, &packages);
    let targets = tests.iter().map(|(file, function)| TestTarget {
        id: (*function).to_owned(),
        file: (*file).to_owned(),
        function: (*function).to_owned(),
        package: file
            .ends_with(".rs")
            .then(|| file.split('/').next().unwrap().to_owned()),
    });
    let targets: Vec<TestTarget> = targets.collect();
    let reasons = select(&graph, &changes, &targets, None, &|file, on| {
        file == "tests/test_b.py" && on == "schema.sql"
    });
    let selected = targets
        .iter()
        .zip(&reasons)
        .filter(|(_, reason)| reason.is_some());
    let selected: Vec<&str> = selected.map(|(test, _)| test.id.as_str()).collect();
    assert_eq!(selected, expected, "{reasons:#?}");
}

const PY: [(&str, &str); 6] = [
    ("pkg/__init__.py", "from .core import mean as average\n"),
    (
        "pkg/core.py",
        "def mean(x):\n    return total(x) / len(x)\n\ndef total(x):\n    return sum(x)\n\nclass Model:\n    def __init__(self):\n        self.w = draw()\n    def fit(self):\n        return self.step()\n    def step(self):\n        return 1\n\ndef draw():\n    return 0\n\ndef unused():\n    return 2\n",
    ),
    (
        "pkg/util.py",
        "import json\nfrom pkg import core\n\ndef load():\n    return json.load(open('data/table.json'))\n\ndef fitted():\n    return core.Model().fit()\n",
    ),
    (
        "tests/conftest.py",
        "import pytest\nfrom pkg.core import Model\n\n@pytest.fixture\ndef model():\n    return Model()\n",
    ),
    (
        "tests/test_a.py",
        "import pkg\nfrom pkg import util\n\ndef test_mean():\n    assert pkg.average([1]) == 1\n\ndef test_load():\n    assert util.load()\n\ndef test_fitted():\n    assert util.fitted() == 1\n\ndef test_nothing():\n    assert 1\n",
    ),
    (
        "tests/test_b.py",
        "def test_model(model):\n    assert model.w == 0\n\nclass TestC:\n    def test_fit(self, model):\n        assert model.fit() == 1\n",
    ),
];
const PY_TESTS: [(&str, &str); 6] = [
    ("tests/test_a.py", "test_mean"),
    ("tests/test_a.py", "test_load"),
    ("tests/test_a.py", "test_fitted"),
    ("tests/test_a.py", "test_nothing"),
    ("tests/test_b.py", "test_model"),
    ("tests/test_b.py", "TestC.test_fit"),
];

#[test]
fn tests_of_python_are_reached_across_files() {
    let core = PY[1].1;
    let was = |from: &str, to: &str| core.replace(from, to);
    let check = |path: &'static str, before: &str, expected: &[&str]| {
        check(&PY, &[(path, before)], &PY_TESTS, expected);
    };
    check("pkg/core.py", &was("sum(x)", "0"), &["test_mean"]);
    check(
        "pkg/core.py",
        &was("return 1\n", "return 3\n"),
        &["test_fitted", "TestC.test_fit"],
    );
    check(
        "pkg/core.py",
        &was("return 0\n", "return 4\n"),
        &["test_fitted", "test_model", "TestC.test_fit"],
    );
    check("pkg/core.py", &was("return 2\n", "return 5\n"), &[]);
    check(
        "pkg/core.py",
        &format!("{core}def gone():\n    pass\n"),
        &[],
    );
    check(
        "pkg/core.py",
        &format!("import os\nos.chdir('.')\n{core}"),
        &[
            "test_mean",
            "test_load",
            "test_fitted",
            "test_nothing",
            "test_model",
            "TestC.test_fit",
        ],
    );
    check(
        "tests/conftest.py",
        &PY[3].1.replace("return Model()", "return None"),
        &["test_model", "TestC.test_fit"],
    );
    check("data/table.json", "{}", &["test_load"]);
    check(
        "setup.cfg",
        "",
        &[
            "test_mean",
            "test_load",
            "test_fitted",
            "test_nothing",
            "test_model",
            "TestC.test_fit",
        ],
    );
    check("README.md", "", &[]);
    check(
        "tests/test_b.py",
        &PY[5].1.replace("== 0", "== 1"),
        &["test_model"],
    );
}

const RS: [(&str, &str); 5] = [
    (
        "lib/src/lib.rs",
        "mod stats;\npub use stats::mean as average;\npub mod shape;\npub const LIMIT: u32 = 3;\npub fn limited(x: u32) -> u32 { x.min(LIMIT) }\n",
    ),
    (
        "lib/src/stats.rs",
        "pub fn mean(x: &[f64]) -> f64 { total(x) / x.len() as f64 }\nfn total(x: &[f64]) -> f64 { x.iter().sum() }\n#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn adds() { assert_eq!(total(&[1.0]), 1.0); }\n}\n",
    ),
    (
        "lib/src/shape.rs",
        "use std::fmt;\npub struct Disc { r: f64 }\nimpl Disc {\n    pub fn new(r: f64) -> Self { Disc { r } }\n    pub fn area(&self) -> f64 { self.r * self.r }\n}\nimpl fmt::Display for Disc {\n    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, \"{}\", self.r) }\n}\n",
    ),
    (
        "app/tests/it.rs",
        "use lib::shape::Disc;\n#[test]\nfn averages() { assert_eq!(lib::average(&[1.0]), 1.0); }\n#[test]\nfn areas() { assert_eq!(Disc::new(1.0).area(), 1.0); }\n#[test]\nfn shows() { assert_eq!(format!(\"{}\", Disc::new(1.0)), \"1\"); }\n",
    ),
    (
        "lib/tests/limits.rs",
        "mod common;\n#[test]\nfn limits() { assert_eq!(common::run(4), 3); }\n#[test]\nfn alone() {}\n",
    ),
];
const COMMON: (&str, &str) = (
    "lib/tests/common/mod.rs",
    "pub fn run(x: u32) -> u32 { lib::limited(x) }\n",
);
const RS_TESTS: [(&str, &str); 6] = [
    ("lib/src/lib.rs", "stats::tests::adds"),
    ("app/tests/it.rs", "averages"),
    ("app/tests/it.rs", "areas"),
    ("app/tests/it.rs", "shows"),
    ("lib/tests/limits.rs", "limits"),
    ("lib/tests/limits.rs", "alone"),
];

#[test]
fn what_a_class_overrides_is_reached_through_what_it_inherits_from() {
    let files = [
        (
            "pkg/base.py",
            "class Base:\n    def run(self):\n        return self.step()\n",
        ),
        (
            "pkg/derived.py",
            "from pkg.base import Base\n\nclass Derived(Base):\n    def step(self):\n        return 1\n\nclass Other:\n    def __init__(self):\n        self.x = 1\n\n    def leap(self):\n        return 1\n",
        ),
        (
            "tests/shared.py",
            "class Shared:\n    def test_runs(self):\n        assert self.made()\n",
        ),
        (
            "tests/test_a.py",
            "from pkg.derived import Derived, Other\nfrom tests.shared import Shared\n\ndef test_run():\n    assert Derived().run()\n\nclass TestOther(Shared):\n    made = Other\n\n    def test_own(self):\n        pass\n",
        ),
    ];
    let tests = [
        ("tests/test_a.py", "test_run"),
        ("tests/test_a.py", "TestOther.test_runs"),
        ("tests/test_a.py", "TestOther.test_own"),
    ];
    let before = |from: &str, to: &str| files[1].1.replace(from, to);
    let was = before(
        "step(self):\n        return 1",
        "step(self):\n        return 2",
    );
    check(&files, &[("pkg/derived.py", &was)], &tests, &["test_run"]);
    let was = before("self.x = 1", "self.x = 2");
    let both = ["TestOther.test_runs", "TestOther.test_own"];
    check(&files, &[("pkg/derived.py", &was)], &tests, &both);
    let was = before(
        "leap(self):\n        return 1",
        "leap(self):\n        return 2",
    );
    check(&files, &[("pkg/derived.py", &was)], &tests, &[]);
}

#[test]
fn tests_of_rust_are_reached_across_crates() {
    let mut files = RS.to_vec();
    files.push(COMMON);
    let check = |path: &'static str, from: &str, to: &str, expected: &[&str]| {
        let text = files
            .iter()
            .find(|(file, _)| *file == path)
            .map_or("", |(_, text)| *text);
        let before = text.replace(from, to);
        check(&files, &[(path, &before)], &RS_TESTS, expected);
    };
    check(
        "lib/src/stats.rs",
        "iter().sum()",
        "iter().product()",
        &["stats::tests::adds", "averages"],
    );
    check("lib/src/shape.rs", "self.r * self.r", "0.0", &["areas"]);
    check(
        "lib/src/shape.rs",
        "write!(f",
        "write!( f, \"\"",
        &["areas", "shows"],
    );
    check("lib/src/lib.rs", "= 3", "= 4", &["limits"]);
    check(
        "lib/tests/common/mod.rs",
        "limited(x)",
        "limited(x + 1)",
        &["limits"],
    );
    check(
        "lib/src/lib.rs",
        "mean as average",
        "mean as avg",
        &["averages"],
    );
    check(
        "lib/Cargo.toml",
        "",
        "x",
        &[
            "stats::tests::adds",
            "averages",
            "areas",
            "shows",
            "limits",
            "alone",
        ],
    );
    check("app/Cargo.toml", "", "x", &["averages", "areas", "shows"]);
}
