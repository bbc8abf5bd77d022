//! `flex-harness fix` on real files in a real repository, from records as `detect` writes them.

mod choices;
mod hostile;
mod numbers;
mod support;

use flex_detect::record::{ObservedTest, Role};
use flex_run::model::Runner;
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

/// What `python -m pytest` runs in the folders of these tests: the function that a node id names, if there is a seed.
const PYTEST: &str = r#"import os, runpy, sys
node, seed = sys.argv[1:]
assert seed.startswith("--flex-seed=fixed@detect:"), seed
sys.dont_write_bytecode = True
file, name = node.split("::")
runpy.run_path(file)[name]()
"#;

fn repository(tests: Vec<ObservedTest>) -> Folder {
    let folder = Folder::repository(&[(FILE, SOURCE)]);
    folder.record(Runner::Pytest, tests);
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
    assert!((3.7..15.0).contains(&bound), "{bound}");
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

/// A source in which a test can be run, beside something that runs it: pytest need not be installed here.
fn runnable(value: &str) -> (Folder, String) {
    let source = format!(
        "import math\r\n\r\n\r\ndef test_error():\r\n    x = {value}\r\n    assert x < 2.5  # guessed\r\n"
    );
    let folder = Folder::repository(&[(FILE, &source), ("pytest.py", PYTEST)]);
    let values = series(Role::Upper, 2.5, literal(&source, "x < ", "2.5"), normal);
    let site = site((FILE, 6), "assert x < 2.5", vec![values]);
    let test = test("tests/test_a.py::test_error", 4, vec![site]);
    folder.record(Runner::Pytest, vec![test]);
    (folder, source)
}

#[test]
fn apply_writes_what_the_diff_says_and_runs_the_test() {
    let (folder, source) = runnable("3.0");
    folder.pipe(&["chmod", "755", FILE], "").says(0, &[]);
    folder.commit();
    let diff = folder.fix(&[]);
    let told = folder.fix(&["--apply"]);
    told.says(
        0,
        &[
            "wrote",
            "tests/test_a.py::test_error passes: pytest tests/test_a.py::test_error --flex-seed=fixed@detect:",
        ],
    );
    assert_eq!(told.out, "");
    let patched = folder.read(FILE);
    let number = number_after(changed(&diff.out)[1], "x < ");
    assert_eq!(
        patched,
        source.replace("2.5", &format!("{number:?}")),
        "line endings stay"
    );
    let permissions = folder.pipe(&["stat", "-c", "%a", FILE], "");
    assert_eq!(permissions.out.trim(), "755");
    // The record speaks of the number that was there.
    folder
        .fix(&[])
        .says(1, &["line 6 no longer says `2.5`: the source changed"]);
}

#[test]
fn a_test_that_still_fails_is_told() {
    let (folder, source) = runnable("1e9");
    let told = folder.fix(&["--apply"]);
    told.says(1, &["still fails", "git checkout"]);
    assert_ne!(
        folder.read(FILE),
        source,
        "the patch stays, to be looked at"
    );
}

#[test]
fn only_what_can_be_had_back_is_changed() {
    let (folder, source) = runnable("3.0");
    let edited = source.replace("import math", "import math  # mine");
    folder.write(FILE, &edited);
    let told = folder.fix(&["--apply"]);
    told.says(
        2,
        &["changes that are not committed in", FILE, "--allow-dirty"],
    );
    assert_eq!(folder.read(FILE), edited);
    folder
        .fix(&["--apply", "--allow-dirty"])
        .says(0, &["wrote"]);
    assert!(folder.read(FILE).starts_with("import math  # mine\r\n"));

    let plain = Folder::plain(&[(FILE, SOURCE)]);
    plain.record(Runner::Pytest, vec![flaky()]);
    plain
        .fix(&["--apply"])
        .says(2, &["no version control knows", "--allow-dirty"]);
    assert_eq!(plain.read(FILE), SOURCE);
    plain.fix(&[]).says(0, &["+    assert x < "]);

    // What is ignored shows no changes, and cannot be had back either.
    let ignored = Folder::repository(&[("target/test_a.py", SOURCE)]);
    let mut test = flaky();
    test.place.file = "target/test_a.py".into();
    test.sites[0].place.file = "target/test_a.py".into();
    ignored.record(Runner::Pytest, vec![test]);
    ignored
        .fix(&["--apply"])
        .says(2, &["no version control knows", "--allow-dirty"]);
    assert_eq!(ignored.read("target/test_a.py"), SOURCE);
}

#[test]
fn what_cannot_be_read_is_said_and_left_alone() {
    let folder = repository(vec![flaky()]);
    let stale = SOURCE.replace("2.5", "2.7");
    folder.write(FILE, &stale);
    folder
        .fix(&[])
        .says(1, &["no longer says `2.5`", "0 patches"]);
    let conflict = SOURCE.replace(
        "import math",
        "<<<<<<< HEAD\nimport math\n=======\n>>>>>>> b",
    );
    folder.write(FILE, &conflict);
    folder
        .fix(&["--apply", "--allow-dirty"])
        .says(1, &["test_a.py:2 holds what a merge left behind"]);
    assert_eq!(folder.read(FILE), conflict);
    folder.write("record.json", "<<<<<<< HEAD\n");
    folder.fix(&[]).says(
        2,
        &[
            "not a record of flex",
            "`flex-harness detect` writes it anew",
        ],
    );
    let missing = folder.fix_of("missing.json", &[]);
    missing.says(2, &["missing.json", "flex-harness detect"]);
    let program = flex_tests::program("flex-harness");
    let program = program.to_str().unwrap();
    folder
        .pipe(&[program, "fix", "--pytest", "tests"], "")
        .says(
            2,
            &[
                ".pytest_cache/d/flex/detect.json",
                "`flex-harness detect --pytest tests`",
            ],
        );
    folder.write("Cargo.toml", "[package]\nname = \"a\"\n");
    folder.write("src/lib.rs", "");
    folder.pipe(&[program, "fix"], "").says(
        2,
        &["detect.json", "`flex-harness detect` searches the tests"],
    );
}

#[test]
fn the_record_of_pytest_is_found_in_its_cache() {
    let folder = repository(vec![flaky(), flakier()]);
    let record = folder.read("record.json");
    folder.write(".pytest_cache/d/flex/detect.json", &record);
    let program = flex_tests::program("flex-harness");
    let program = program.to_str().unwrap();
    let fix = |path: &str| folder.pipe(&[program, "fix", "--pytest", path], "");
    fix("tests").says(0, &["2 patches"]);
    fix("tests/test_a.py::test_other")
        .says(0, &["1 patch for 1 assertion", "-    assert error() < 2.0"]);
    fix("src").says(2, &["none that is asked for"]);
}
