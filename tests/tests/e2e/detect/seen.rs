//! Plain tests whose assertions are seen, without a change of their sources: they are compiled from a copy of these, and
//! neither what they show nor where they stand is another for it.

use flex_tests::project::Project;

use super::{assertions, detect};

/// Each is a way in which a copy could be told from the original.
const SEEN: &str = r##"
mod helper;

/// A value that differs from run to run, of a type that is neither copied nor a number.
#[test]
fn near() {
    let x: f64 = rand::random();
    let text = String::from("a");
    assert!(text < String::from("b"));
    assert!(x > -1.0);
    assert!(x < 0.9, "{text}: far");
    drop(text);
}

#[test]
fn in_its_place() -> Result<(), std::num::ParseIntError> {
    assert_eq!(file!(), "tests/seen.rs");
    assert_eq!(line!(), 18);
    assert_eq!(std::panic::Location::caller().file(), "tests/seen.rs");
    assert_eq!(include_str!("../data.txt"), "data\n");
    assert!(std::env::var_os("RUSTC_WORKSPACE_WRAPPER").is_none());
    assert!(helper::seven() < 8.0);
    assert!("7".parse::<u64>()? < 8);
    Ok(())
}

#[test]
#[should_panic(expected = "assertion failed: seven < 7.0")]
fn panics() {
    let seven = helper::seven();
    assert!(seven < 7.0);
}

#[test]
fn outside_of_a_test_nothing_is_learned() {
    let learns = || {
        let x = 1.0;
        flex_harness::assert_tail_bound!(x < _);
    };
    assert!(std::panic::catch_unwind(learns).is_err());
}
"##;

const HELPER: &str = "pub fn seven() -> f64 {\n    7.0\n}\n\n#[test]\nfn inner() {\n    assert!(seven() < 7.5);\n}\n";

/// With the attribute, this macro of its own would not understand its input.
const OWN: &str = "use flex_harness as _;

macro_rules! assert {
    ($a:ident < 1.0) => {
        std::assert!($a < 1.0)
    };
}

#[test]
fn own() {
    let a = 0.5;
    assert!(a < 1.0);
}
";

// Under the fixed seed, `x` is above 0.9 in some of 60 runs; that none would be has probability 0.0018 for another seed.
#[test]
#[cfg(target_os = "linux")]
fn assertions_of_plain_tests_are_seen_and_nothing_else_changes() {
    let project = Project::new(
        "seen-plainly",
        "[features]\ndefault = [\"flex-harness/entropy\"]\n",
        &[
            ("src/lib.rs", "use flex_harness as _;\n"),
            ("data.txt", "data\n"),
            ("tests/seen.rs", SEEN),
            ("tests/helper/mod.rs", HELPER),
        ],
    );
    let said = detect(&project, &["--max-runs", "60", "--json"]);
    said.says(1, &["building plain tests from a copy"]);
    let found = assertions(&said);
    let of = |test: &str| -> Vec<(String, Option<u64>)> {
        let of_test = found[&format!("test:seen {test}")].iter();
        of_test
            .map(|a| {
                (
                    a["verdict"].as_str().unwrap().to_owned(),
                    a["line"].as_u64(),
                )
            })
            .collect()
    };
    let verdict = |word: &str, line: u64| (word.to_owned(), Some(line));
    assert_eq!(
        of("near"),
        [verdict("steady", 10), verdict("flaky", 11)],
        "{said}"
    );
    let near = &found["test:seen near"][1];
    assert_eq!(near["file"].as_str(), Some("tests/seen.rs"));
    assert_eq!(near["bound"].as_f64(), Some(0.9));
    let why = near["why"].as_str().unwrap();
    assert!(why.starts_with("a: far (tests/seen.rs:11:"), "{why}");
    assert_eq!(
        of("in_its_place"),
        [verdict("constant", 22), verdict("constant", 23)],
        "{said}"
    );
    assert_eq!(of("helper::inner"), [verdict("constant", 7)], "{said}");
    for test in ["panics", "outside_of_a_test_nothing_is_learned"] {
        assert_eq!(of(test).len(), 1, "by its outcome alone: {said}");
        assert_eq!(of(test)[0].0, "constant", "{said}");
    }
    // The replay is that of the original, and the original is as it was.
    let replay = near["replay"].as_str().unwrap();
    let replayed = project.shell(replay);
    replayed.says(101, &["a: far"]);
    assert!(
        replayed.out.contains("tests/seen.rs:11:") || replayed.err.contains("tests/seen.rs:11:")
    );
    assert_eq!(project.read("tests/seen.rs"), SEEN);
    // A number of the source can be another one; what needs runs of its own is not offered.
    let fix = ["flex", "fix", "--record", "detect.json"];
    let choose = |offer: &str| {
        let choice = ["--choose", offer];
        project.cargo(&[&fix[..], &choice].concat(), &[])
    };
    let menu = project.cargo(&fix, &[]);
    menu.says(1, &["tests/seen.rs:11: x<0.9", "bound     99.9%"]);
    assert!(!menu.err.contains("learned"), "{menu}");
    choose("bound").says(0, &["+++ b/tests/seen.rs", "-    assert!(x < 0.9, "]);
    choose("learned").says(1, &["a plain #[test] makes one run"]);

    // As they are, on request; and where the copy does not build.
    let words = |args: &[&str]| detect(&project, &[&["near", "--max-runs", "30"], args].concat());
    let outcomes = words(&["--outcomes"]);
    assert!(
        outcomes.out.contains("1 flaky of 1 assertion in 1 test"),
        "{outcomes}"
    );
    project.write("tests/own.rs", OWN);
    let said = detect(&project, &["own", "--max-runs", "30"]);
    said.says(0, &["note: of plain tests only outcomes are known"]);
}
