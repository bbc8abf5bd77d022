//! `flex-harness fix` on real files in a real repository, from records as `detect` writes them.

#[path = "fix_support/mod.rs"]
mod support;

use flex_detect::record::{Harness, ObservedTest, RerunMarker, Role};
use support::{Folder, literal, normal, series, site, test};

const FILE: &str = "tests/test_a.py";

const SOURCE: &str = "\"\"\"Tests of a sketch.\"\"\"\nimport math\n\n\ndef test_error():\n    x = error()\n    assert x < 2.5, \"too far\"  # guessed\n\n\n@slow\ndef test_other():\n    assert error() < 2.0\n";

/// A flaky assertion: a standard normal below 2.5.
fn flaky() -> ObservedTest {
    let knob = literal(SOURCE, "x < ", "2.5");
    let values = series(Role::Upper, 2.5, knob, normal);
    let site = site((FILE, 7), "assert x < 2.5", vec![values]);
    test("tests/test_a.py::test_error", 5, vec![site])
}

/// Another, in the same file: twice as often.
fn flakier() -> ObservedTest {
    let knob = literal(SOURCE, "error() < ", "2.0");
    let values = series(Role::Upper, 2.0, knob, |run| normal(run + 1000));
    let site = site((FILE, 12), "assert error() < 2.0", vec![values]);
    test("tests/test_a.py::test_other", 10, vec![site])
}

fn repository(tests: Vec<ObservedTest>) -> Folder {
    let folder = Folder::repository(&[(FILE, SOURCE)]);
    folder.record(Harness::Pytest, tests);
    folder
}

/// The lines of a diff that change something.
fn changed(diff: &str) -> Vec<&str> {
    let is_change = |line: &&str| {
        line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---")
    };
    diff.lines().filter(is_change).collect()
}

/// The number after `before` in a text.
fn number_after(text: &str, before: &str) -> f64 {
    let rest = text
        .split(before)
        .nth(1)
        .unwrap_or_else(|| panic!("no `{before}` in {text}"));
    let end = rest.find(|c: char| !(c.is_ascii_digit() || ".e-".contains(c)));
    rest[..end.unwrap_or(rest.len())].parse().expect("a number")
}

#[test]
fn the_diff_changes_numbers_only_and_can_be_applied() {
    let folder = repository(vec![flaky(), flakier()]);
    let told = folder.fix(&[]);
    told.says(
        0,
        &[
            "fails in",
            "> bound",
            "99.99%",
            "patch: 2.5 becomes",
            "seed=fixed@detect:",
            "2 patches",
        ],
    );
    let lines = changed(&told.out);
    assert_eq!(lines.len(), 4, "{told}");
    assert_eq!(lines[0], "-    assert x < 2.5, \"too far\"  # guessed");
    assert!(lines[1].ends_with(", \"too far\"  # guessed"), "{told}");
    // The quantile of a normal is 3.7; a bound from 1000 runs has a margin.
    let bound = number_after(lines[1], "x < ");
    assert!((3.7..12.0).contains(&bound), "{bound}");
    assert_eq!(
        told.out.matches("--- a/").count(),
        2,
        "one patch per test: {told}"
    );
    assert_eq!(
        folder.read(FILE),
        SOURCE,
        "nothing is written without --apply"
    );
    for apply in [
        &["git", "apply", "--check"][..],
        &["patch", "-p1", "--dry-run"],
        &["git", "apply"],
    ] {
        folder.pipe(apply, &told.out).says(0, &[]);
    }
    assert_eq!(folder.read(FILE).lines().count(), SOURCE.lines().count());
    assert_eq!(number_after(&folder.read(FILE), "x < "), bound);
}
#[test]
fn zz_show() {
    let folder = repository(vec![flaky(), flakier()]);
    println!("{}", folder.fix(&["--pr-text"]));
    println!("{}", folder.fix(&["--choose", "learned"]));
    println!(
        "{}",
        folder.pipe(
            &[
                "sh",
                "-c",
                "cat flex-fix/01*.md; cp flex-fix/01*.svg /tmp/h/p.svg"
            ],
            ""
        )
    );
}
