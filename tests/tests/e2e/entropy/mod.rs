//! `entropy = controlled`, in a crate of its own that calls what takes no seed.

mod seedless;

use std::collections::BTreeMap;

use flex_tests::Said;
use flex_tests::project::{Project, TestProgram};
use seedless::project;

/// A test program of the project.
fn built<'a>(project: &'a Project, target: &str) -> TestProgram<'a> {
    project.program(&["--features=controlled", "--test", target])
}

/// Runs one test under a seed, without bounds.
fn test(program: &TestProgram<'_>, name: &str, seed: &str, more: &[&str]) -> Said {
    let env = [
        ("FLEX_SEED", seed),
        ("FLEX_MODE", "off"),
        ("RUST_BACKTRACE", "0"),
    ];
    program.run(&[&["--exact", name], more].concat(), &env)
}

/// What a test drew in a process of its own.
fn values(program: &TestProgram<'_>, name: &str, seed: &str) -> BTreeMap<String, u64> {
    let said = test(program, name, seed, &["--nocapture"]);
    assert_eq!(said.code, 0, "{said:?}");
    let value = |line: &str| {
        let (name, value) = line.strip_prefix("value: ")?.split_once(": ")?;
        Some((name.to_owned(), value.parse().expect("a value is a number")))
    };
    let values: BTreeMap<String, u64> = said.out.lines().filter_map(value).collect();
    assert!(!values.is_empty(), "{said:?}");
    values
}

/// Names with the same value in both.
fn same(a: &BTreeMap<String, u64>, b: &BTreeMap<String, u64>) -> Vec<String> {
    let same = |(name, value): &(&String, &u64)| b.get(*name) == Some(*value);
    a.iter()
        .filter(same)
        .map(|(name, _)| name.clone())
        .collect()
}

// Values are 64 bits, or 6 of 1000 keys in order: different draws are equal with probability 10^-17 at most.

#[test]
fn what_takes_no_seed_follows_the_seed_of_the_run() {
    let project = project();
    for target in ["libtest", "custom"] {
        let program = built(&project, target);
        let first = values(&program, "controlled", "a");
        let again = values(&program, "controlled", "a");
        let other = values(&program, "controlled", "b");
        let mut all: Vec<String> = first.keys().cloned().collect();
        assert_eq!(all.len(), 12);
        if !cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
            all.retain(|name| name != "rand 0.8" && name != "getrandom 0.2");
        }
        assert_eq!(same(&first, &again), all);
        assert_eq!(same(&first, &other), [""; 0]);
    }
}

#[test]
fn everything_else_is_as_random_as_before() {
    let project = project();
    let program = built(&project, "libtest");
    for name in ["controlled_in_vain", "stochastic", "ordinary"] {
        let first = values(&program, name, "a");
        let again = values(&program, name, "a");
        assert_eq!(same(&first, &again), [""; 0], "{name}");
    }
}

#[test]
fn a_panic_is_shown_with_what_was_printed_before_it() {
    let project = project();
    let said = test(&built(&project, "libtest"), "controlled_panic", "a", &[]);
    assert_eq!(said.code, 101);
    let (_, shown) = said
        .out
        .split_once("---- controlled_panic stdout ----")
        .unwrap();
    for words in [
        "before the panic\n",
        "thread 'controlled_panic'",
        "the words of the panic\n",
        "replay: FLEX_SEED=a cargo test",
    ] {
        assert!(shown.contains(words), "{words}: {}", said.out);
    }
}

#[test]
fn calibration_reports_what_is_not_reached() {
    let project = project();
    let calibrate = |name| {
        let chosen = ["--features=controlled", "--test=libtest", name];
        project.calibrate(&chosen, &[])
    };
    let (reached, in_vain) = (calibrate("learned_reached"), calibrate("learned_in_vain"));
    assert_eq!(
        (reached.code, in_vain.code),
        (0, 0),
        "{reached:?} {in_vain:?}"
    );
    let words = "uncontrolled randomness: under the same seed";
    assert!(!reached.out.contains(words), "{reached:?}");
    assert!(in_vain.out.contains(words), "{in_vain:?}");
    assert!(
        in_vain.out.contains("`entropy = controlled` does not"),
        "{in_vain:?}"
    );
}

#[test]
fn without_the_feature_the_compiler_says_what_to_do() {
    let said = project().cargo(&["test", "--no-run", "--test=libtest"], &[]);
    assert_eq!(said.code, 101);
    let words = "`entropy = controlled` needs the feature `entropy`";
    assert!(said.err.contains(words), "{}", said.err);
}
