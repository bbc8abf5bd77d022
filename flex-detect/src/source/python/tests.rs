use super::*;
use crate::source::apply;
use flex_run::model::{Place, TestId};

fn literal(text: &str, at: (u32, u32)) -> Knob {
    Knob {
        text: text.to_owned(),
        given: Given::Literal {
            span: Span {
                line: at.0,
                column: at.1,
                end_line: at.0,
                end_column: at.1 + text.len() as u32,
            },
        },
    }
}

fn left_out(keyword: &str, default: &str, at: (u32, u32)) -> Knob {
    Knob {
        text: default.to_owned(),
        given: Given::Default {
            keyword: keyword.to_owned(),
            line: at.0,
            column: at.1,
        },
    }
}

/// Asserts what becomes of a source when the number becomes `value`.
fn check(source: &str, knob: &Knob, value: f64, expected: &str) {
    let place = NumberInPython::find(source, knob).unwrap();
    let (edit, _) = place.write(value).unwrap();
    assert_eq!(apply(source, &[edit]).unwrap(), expected);
}

#[test]
fn only_the_number_changes() {
    check(
        "assert  x<0.5 # at most\n",
        &literal("0.5", (1, 10)),
        0.57,
        "assert  x<0.57 # at most\n",
    );
    check(
        "\r\nassert ä > -1e-3\r\n",
        &literal("-1e-3", (2, 12)),
        -0.02,
        "\r\nassert ä > -2e-2\r\n",
    );
    check(
        "f(a,\n  b,  # both\n)\n",
        &left_out("atol", "0", (2, 3)),
        0.02,
        "f(a,\n  b, atol=0.02,  # both\n)\n",
    );
    check(
        "f(a, b)",
        &left_out("places", "7", (1, 6)),
        2.0,
        "f(a, b, places=2)",
    );
}

#[test]
fn a_source_that_changed_is_left_alone() {
    let stale = |source: &str, knob: &Knob| {
        let why = NumberInPython::find(source, knob).unwrap_err();
        assert!(matches!(why, NoPlace::Changed(_)), "{why}");
    };
    stale("assert x < 0.6\n", &literal("0.5", (1, 11)));
    stale("", &literal("0.5", (1, 11)));
    stale("f(a, bc)", &left_out("atol", "0", (1, 6)));
    stale("f(a, b)", &left_out("atol", "0", (7, 6)));
}

fn test_at(line: u32) -> ObservedTest {
    let id = TestId::pytest("test_a.py::test_x");
    ObservedTest::new(id, Place::new("test_a.py", line))
}

#[test]
fn a_learned_number_brings_its_decorator_and_its_import() {
    let source = "import os\nimport numpy as np\n\nclass T:\n    @slow\n    def test_x(self):\n        assert x < 0.5\n";
    let knob = literal("0.5", (7, 19));
    let place = NumberInPython::find(source, &knob).unwrap();
    let edits = [
        place.learn(&knob).unwrap(),
        decorate(source, &test_at(5), "@stochastic").unwrap(),
        import_names(
            source,
            "pytest_flex",
            &["learned", "stochastic"],
            place.range.start,
        )
        .unwrap(),
    ];
    assert_eq!(
        apply(source, &edits).unwrap(),
        "import os\nimport numpy as np\nfrom pytest_flex import learned, stochastic\n\nclass T:\n    @stochastic\n    @slow\n    def test_x(self):\n        assert x < learned()\n"
    );
    assert!(decorate(source, &test_at(7), "@stochastic").is_err());
    let (start, text) = decorators(source, &test_at(5)).unwrap();
    assert_eq!(&source[start..start + text.len()], "    @slow\n");
}

#[test]
fn an_import_stays_above_what_it_is_for() {
    let check = |source: &str, line: u32, expected: &str| {
        let (start, _) = decorators(source, &test_at(line)).unwrap();
        let edits = [
            decorate(source, &test_at(line), "@stochastic").unwrap(),
            import_names(source, "pytest_flex", &["stochastic"], start).unwrap(),
        ];
        assert_eq!(apply(source, &edits).unwrap(), expected);
    };
    let import = "from pytest_flex import stochastic\n";
    check(
        "import os\ndef test_x():\n    pass\n",
        2,
        &format!("import os\n{import}@stochastic\ndef test_x():\n    pass\n"),
    );
    check(
        "def test_x():\n    pass\n",
        1,
        &format!("{import}\n@stochastic\ndef test_x():\n    pass\n"),
    );
    check(
        "\"\"\"Doc.\"\"\"\n@slow\ndef test_x():\n    pass\n",
        2,
        &format!("\"\"\"Doc.\"\"\"\n\n{import}@stochastic\n@slow\ndef test_x():\n    pass\n"),
    );
    // A byte order mark comes before everything.
    for (source, line) in [
        ("def test_x():\n    pass\n", 1),
        ("# -*-\ndef test_x():\n    pass\n", 2),
    ] {
        let source = format!("\u{feff}{source}");
        let (start, _) = decorators(&source, &test_at(line)).unwrap();
        let edits = [
            decorate(&source, &test_at(line), "@stochastic").unwrap(),
            import_names(&source, "pytest_flex", &["stochastic"], start).unwrap(),
        ];
        let changed = apply(&source, &edits).unwrap();
        assert!(changed.starts_with('\u{feff}'), "{changed:?}");
        assert!(!changed[3..].contains('\u{feff}'), "{changed:?}");
        let import = changed.find(import.trim_end()).unwrap();
        assert!(import < changed.find("@stochastic").unwrap(), "{changed:?}");
    }
}

#[test]
fn imports_go_where_people_put_them() {
    let at = |source: &str, expected: &str| {
        let edit = import_names(source, "m", &["a"], source.len()).unwrap();
        assert_eq!(apply(source, &[edit]).unwrap(), expected);
    };
    at("x = 1\n", "from m import a\n\nx = 1\n");
    at(
        "\"\"\"Doc.\"\"\"\nx = 1\n",
        "\"\"\"Doc.\"\"\"\n\nfrom m import a\nx = 1\n",
    );
    at(
        "from __future__ import annotations\r\nx = 1\r\n",
        "from __future__ import annotations\r\nfrom m import a\r\nx = 1\r\n",
    );
    at("import b", "import b\nfrom m import a\n");
    assert_eq!(
        import_names("from m import (b,\n  a)\n", "m", &["a"], 99),
        None
    );
    assert_eq!(import_module("import pytest\n", "pytest", 99), None);
    assert!(import_module("import pytest_flex\n", "pytest", 99).is_some());
    // What is imported below the test is not known above it.
    let below = "def test_x(): pass\nimport b\n";
    let edit = import_names(below, "m", &["a"], 5).unwrap();
    assert_eq!(edit.range.start, 0);
}

#[test]
fn a_constant_that_stands_for_something_else_too_stays() {
    let mut knob = literal("2.0", (1, 8));
    let Given::Literal { span } = knob.given else {
        unreachable!("a literal")
    };
    let constant = |also_in: Option<u32>| Given::Constant {
        name: "SCALE".to_owned(),
        span,
        also_in,
    };
    let source = "SCALE = 2.0\n\nx = SCALE * y\n";
    knob.given = constant(None);
    assert!(NumberInPython::find(source, &knob).is_ok());
    knob.given = constant(Some(3));
    let why = NumberInPython::find(source, &knob).unwrap_err().to_string();
    assert!(why.contains("`SCALE`") && why.contains("line 3"), "{why}");
}

#[test]
fn an_assertion_is_changed_only_in_the_function_that_was_run() {
    let mut site = crate::verdict::tests::test(1, 2.0, |_| 1.0).sites.remove(0);
    let check = |site: &ObservedSite, source: &str, is_it: bool| {
        assert_eq!(as_run(source, site).is_ok(), is_it, "{source:?}");
    };
    check(&site, "anything", true);
    site.within = Some(crate::record::SourceText {
        line: 2,
        text: "def test_a():\n    assert x < 2.0".to_owned(),
    });
    check(&site, "\ndef test_a():\n    assert x < 2.0\n", true);
    check(&site, "\r\ndef test_a():\r\n    assert x < 2.0", true);
    check(&site, "\ndef test_b():\n    assert x < 2.0\n", false);
    check(&site, "def test_a():\n    assert x < 2.0\n", false);
    check(&site, "\ndef test_a():\n", false);
}

#[test]
fn decorators_are_those_of_the_test_itself() {
    let mut test = crate::verdict::tests::test(1, 2.0, |_| 1.0);
    test.place.line = 1;
    let check = |test: &ObservedTest, source: &str, is_it: bool| {
        assert_eq!(decorate(source, test, "@x").is_ok(), is_it, "{source:?}");
    };
    for name in ["a.py::test_x", "a.py::T::test_x", "a.py::test_x[a::b[c]]"] {
        test.id = TestId::pytest(name);
        check(&test, "@mark\ndef test_x():\n    pass\n", true);
        check(&test, "async def test_x(a):\n    pass\n", true);
        check(&test, "def test_xy():\n    pass\n", false);
        check(&test, "@mark\ndef test_y():\n    pass\n", false);
    }
}
