//! Stochastic tests are tests like others: under libtest, with `flex_harness::main!()`, and under nextest.

use flex_tests::Said;
use flex_tests::project::{NORMAL, Project};

const TESTS: &str = r#"
use flex_harness::prelude::*;
use kinds::normal;

#[stochastic_test]
fn alpha(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) < _);
}

mod nested {
    use super::*;

    /// Documented.
    #[stochastic_test(confidence = 0.999)]
    fn alpha_too(rng: &mut TestRng) -> Result<(), std::num::ParseIntError> {
        let size: u32 = "3".parse()?;
        assert_tail_bound!(f64::from(size) * normal(rng, 0.0) < _);
        Ok(())
    }
}

#[stochastic_test]
#[ignore = "slow"]
fn lazy(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) < _);
}

#[cfg(any())]
#[stochastic_test]
fn does_not_exist(rng: &mut TestRng) {}
"#;

fn project() -> Project {
    let ordinary = "\n#[test]\nfn ordinary() {}\n";
    Project::new(
        "kinds",
        "[[test]]\nname = \"own-main\"\nharness = false\n",
        &[
            ("src/lib.rs", NORMAL),
            ("tests/plain.rs", &format!("{TESTS}{ordinary}")),
            (
                "tests/own-main.rs",
                &format!("{TESTS}\nflex_harness::main!();\n"),
            ),
        ],
    )
}

/// The tests that passed, sorted.
fn passed(said: &Said) -> Vec<&str> {
    let lines = said.out.lines().map(str::trim);
    let mut names: Vec<&str> = lines
        .filter_map(|line| line.strip_prefix("test ")?.strip_suffix("... ok"))
        .map(str::trim)
        .collect();
    names.sort_unstable();
    names
}

#[test]
fn arguments_of_test_programs_mean_what_they_always_mean() {
    let project = project();
    project
        .calibrate(&["--include-ignored"], &[])
        .says(0, &["6 sites learned"]);
    for target in ["plain", "own-main"] {
        let program = project.program(&["--test", target]);
        // One of 10,000 seeds may fail a test; this one does not.
        let run = |args: &[&str]| program.run(args, &[("FLEX_SEED", "s1")]);
        let check = |args: &[&str], expected: &[&str]| {
            let said = run(args);
            said.says(0, &[]);
            let without_ordinary = passed(&said).into_iter().filter(|name| *name != "ordinary");
            let names: Vec<&str> = without_ordinary.collect();
            assert_eq!(names, expected, "{target} {args:?}: {said}");
        };
        check(&[], &["alpha", "nested::alpha_too"]);
        check(&["alpha"], &["alpha", "nested::alpha_too"]);
        check(&["alpha", "--exact"], &["alpha"]);
        check(&["nested::alpha_too", "--exact"], &["nested::alpha_too"]);
        check(&["--skip", "nested"], &["alpha"]);
        check(&["--ignored"], &["lazy"]);
        check(
            &["--include-ignored"],
            &["alpha", "lazy", "nested::alpha_too"],
        );
        check(
            &["--include-ignored", "--test-threads=1"],
            &["alpha", "lazy", "nested::alpha_too"],
        );
        run(&["lazy"]).says(0, &["1 ignored"]);
        run(&["--quiet"]).says(0, &["passed"]);

        let list = run(&["--list", "--format", "terse"]);
        let mut lines: Vec<&str> = list
            .out
            .lines()
            .filter(|line| !line.starts_with("ordinary"))
            .collect();
        lines.sort_unstable();
        assert_eq!(
            lines,
            ["alpha: test", "lazy: test", "nested::alpha_too: test"],
            "{list}"
        );
        assert_eq!(list.err, "");
        let ignored = run(&["--list", "--format", "terse", "--ignored"]);
        assert_eq!(ignored.out.trim(), "lazy: test");
    }
    // All at once, as everybody runs them.
    project
        .cargo(&["test"], &[("FLEX_SEED", "s1")])
        .says(0, &["3 passed", "2 passed"]);
    project
        .cargo(
            &["test", "--", "--ignored"],
            &[("FLEX_SEED", "s1"), ("FLEX_LOG", "1")],
        )
        .says(0, &["flex: lazy: pass"]);
}

#[test]
fn an_ignored_test_is_calibrated_and_replayed_by_the_lines_that_are_printed() {
    let project = project();
    for target in ["plain", "own-main"] {
        let program = project.program(&["--test", target]);
        let said = program.test("lazy", &[("FLEX_SEED", "s1")]);
        said.says(101, &["flex: lazy: uncalibrated"]);
        project
            .shell(&said.line("calibrate:"))
            .says(0, &["100 runs in 5 processes"]);
        program
            .test("lazy", &[("FLEX_SEED", "s1")])
            .says(0, &["1 passed"]);
    }
    assert_eq!(project.entries("lazy").len(), 2);
}

#[test]
fn a_documentation_test_says_where_its_assertion_belongs() {
    let project = project();
    let documented = "
/// ```
/// let error = 0.1;
/// flex_harness::assert_tail_bound!(error < 0.2);
/// ```
pub fn documented() {}
";
    project.write("src/lib.rs", &format!("{NORMAL}{documented}"));
    project.cargo(&["test", "--doc"], &[]).says(
        101,
        &[
            "no stochastic test runs on this thread",
            "nobody runs any in a documentation test",
            "test this in `tests/`",
        ],
    );
}

#[test]
fn nextest_lists_runs_and_calibrates() {
    let project = project();
    let nextest =
        |args: &[&str], env: &[(&str, &str)]| project.cargo(&[&["nextest"], args].concat(), env);
    let version = nextest(&["--version"], &[]);
    if version.code != 0 {
        println!("SKIPPED: cargo-nextest is not installed, so nothing was tested under it");
        return;
    }
    let listed = nextest(
        &["list", "--message-format", "json", "--run-ignored", "all"],
        &[],
    );
    listed.says(0, &[]);
    assert_eq!(listed.json()["test-count"], 7, "{listed}");

    // A process for each test; all of them write into the one file.
    let fixed = ("FLEX_SEED", "fixed");
    let said = nextest(
        &[
            "run",
            "--run-ignored",
            "all",
            "--success-output",
            "immediate",
        ],
        &[("FLEX_MODE", "calibrate"), fixed],
    );
    said.says(0, &["7 tests run: 7 passed"]);
    let by_nextest = project.undated_bounds();
    assert_eq!(by_nextest.matches("[[bound]]").count(), 6);
    project.forget();
    project
        .calibrate(&["--include-ignored"], &[])
        .says(0, &["6 sites learned"]);
    assert_eq!(project.undated_bounds(), by_nextest);

    let run = |env: &[(&str, &str)]| nextest(&["run", "--no-fail-fast"], env);
    run(&[("FLEX_SEED", "s1")]).says(0, &["5 tests run: 5 passed, 2 skipped"]);
    nextest(&["run", "alpha_too"], &[("FLEX_SEED", "s1")]).says(0, &["2 tests run: 2 passed"]);

    archived(&project);

    // A regression of 4 standard deviations. The seeds are fixed; each fails each test with probability 0.998.
    project.replace("src/lib.rs", "- 6.0 + shift", "- 2.0 + shift");
    for target in ["plain", "own-main"] {
        let program = project.program(&["--test", target]);
        for seed in ["s1", "s2", "s3"] {
            let env = [("FLEX_SEED", seed)];
            let binary = format!("binary(={target}) and test(=alpha)");
            let said = nextest(&["run", "-E", &binary], &env);
            said.says(
                100,
                &["1 test run: 0 passed, 1 failed", "flex: alpha: regression"],
            );
            // The same verdict with the same values as under `cargo test`, and as the replay line gives.
            let replayed = project.shell(&said.line("replay:"));
            let direct = program.test("alpha", &env);
            for line in ["value ", "reruns ", "rarity ", "replay:"] {
                assert_eq!(direct.line(line), said.line(line));
                assert_eq!(replayed.line(line), said.line(line));
            }
        }
    }
    // A retry says whether it is another try.
    let retried = [
        "run",
        "--retries",
        "1",
        "-E",
        "binary(=plain) and test(=alpha)",
    ];
    let same = "note: attempt 2 made the same runs as the one before, since FLEX_SEED is set";
    nextest(&retried, &[("FLEX_SEED", "s1")]).says(100, &[same]);
    // Passes twice with probability 0.002 each: here it fails twice but in 4 of 1000 runs, so both are fine.
    let fresh = nextest(&retried, &[("FLEX_SEED", "")]);
    let note = "note: this is attempt 2, under fresh seeds";
    assert!(fresh.code == 0 || fresh.err.contains(note), "{fresh}");
}

/// An archive is enforced where it is unpacked, by the bounds that lie there.
fn archived(project: &Project) {
    let nextest =
        |args: &[&str]| project.cargo(&[&["nextest"], args].concat(), &[("FLEX_SEED", "s1")]);
    let archive = project.path("tests.tar.zst");
    let archive = archive.to_str().expect("the path is text");
    nextest(&["archive", "--archive-file", archive]).says(0, &[]);
    let elsewhere = tempfile::tempdir().expect("temporary folders can be made");
    for file in ["Cargo.toml", "flex-bounds.toml"] {
        std::fs::copy(project.path(file), elsewhere.path().join(file)).expect("it can be copied");
    }
    let there = elsewhere.path().to_str().expect("the path is text");
    let run = || nextest(&["run", "--archive-file", archive, "--workspace-remap", there]);
    run().says(0, &["5 tests run: 5 passed, 2 skipped"]);
    // The bounds are those of the other folder.
    std::fs::remove_file(elsewhere.path().join("flex-bounds.toml")).expect("it can be removed");
    run().says(
        100,
        &["alpha: uncalibrated", "it has no entry in the bounds file"],
    );
}
