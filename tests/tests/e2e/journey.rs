//! From an annotated test to a caught regression, in every kind of test target and under every test runner.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use flex_tests::Said;
use flex_tests::project::{NORMAL, Project};

/// Seeds of the short loops. They are fixed, so these tests have no chance in them.
const SEEDS: u32 = 40;

const TEST: &str = "
use flex_harness::prelude::*;

#[stochastic_test(confidence = 0.9999)]
fn stays_small(rng: &mut TestRng) {
    let error = CRATE::normal(rng, CRATE::SHIFT);
    assert_tail_bound!(error < _);
}
";

/// A package with the same stochastic test as a unit test, as an integration test and with a main function of our own.
fn project() -> Project {
    let test = TEST.replace("CRATE", "journey");
    let shift = "pub const SHIFT: f64 = 0.0;\n";
    let unit = format!(
        "{NORMAL}{shift}#[cfg(test)]\nmod tests {{{}}}\n",
        TEST.replace("CRATE", "crate")
    );
    Project::new(
        "journey",
        "[[test]]\nname = \"own-main\"\nharness = false\n",
        &[
            ("src/lib.rs", &unit),
            ("tests/plain.rs", &test),
            (
                "tests/own-main.rs",
                &format!("{test}\nflex_harness::main!();\n"),
            ),
        ],
    )
}

const TARGETS: [(&[&str], &str); 3] = [
    (&["--lib"], "tests::stays_small"),
    (&["--test", "plain"], "stays_small"),
    (&["--test", "own-main"], "stays_small"),
];

/// How many of the seeds fail, and what the last failure said.
fn failures(project: &Project, target: &[&str], test: &str) -> (u32, Option<Said>) {
    let program = project.program(target);
    let mut failed = (0, None);
    for seed in 0..SEEDS {
        let said = program.test(test, &[("FLEX_SEED", &format!("s{seed}"))]);
        assert!(
            said.all().contains("1 passed") || said.all().contains("1 failed"),
            "{said}"
        );
        if said.code != 0 {
            failed = (failed.0 + 1, Some(said));
        }
    }
    failed
}

fn green_then_red_then_replayed(project: &Project) {
    for (target, test) in TARGETS {
        let (red, said) = failures(project, target, test);
        assert_eq!(red, 0, "{target:?}: {}", said.unwrap());
    }
    project.replace("src/lib.rs", "SHIFT: f64 = 0.0", "SHIFT: f64 = 4.0");
    for (target, test) in TARGETS {
        let (red, said) = failures(project, target, test);
        assert!(red >= 38, "{target:?}: {red}");
        let said = said.unwrap();
        said.says(101, &["error<_", "beyond the", "learned", "rarity"]);
        let again = project.shell(&said.line("replay:"));
        again.says(101, &["1 failed"]);
        for line in ["flex: ", "value", "rarity"] {
            assert_eq!(again.line(line), said.line(line));
        }
    }
}

#[test]
fn cargo_flex_calibrate_learns_what_catches_a_regression() {
    let project = project();
    let said = project.calibrate(&[], &[]);
    said.says(0, &["3 tests calibrated: 3 sites learned, 0 refused"]);
    green_then_red_then_replayed(&project);
}

#[test]
fn the_library_alone_learns_what_catches_a_regression() {
    let project = project();
    let env = [("FLEX_MODE", "calibrate"), ("FLEX_SEED", "fixed")];
    let said = project.cargo(&["test"], &env);
    said.says(0, &["lib tests::stays_small\n", "test:plain stays_small\n"]);
    said.says(
        0,
        &["test:own_main stays_small\n", "100 runs in 5 processes"],
    );
    green_then_red_then_replayed(&project);
}
