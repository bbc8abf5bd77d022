//! The options of `cargo flex calibrate`, and what decides its result.

use flex_tests::flex_harness;
use flex_tests::project::{NORMAL, Project};

const UNIT: &str = "
#[cfg(test)]
mod tests {
    use flex_harness::prelude::*;

    #[stochastic_test]
    fn unit(rng: &mut TestRng) {
        assert_tail_bound!(_ < crate::normal(rng, 0.0) < _);
    }
}
";

const TESTS: &str = r#"
use flex_harness::prelude::*;
use chosen::normal;

#[stochastic_test]
fn first(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) < _);
}

#[stochastic_test(overlap = true)]
fn overlaps(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) > _);
}

#[stochastic_test(runs = 30, max_runs = 40)]
fn says_how_often(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) < _);
}

#[cfg(feature = "more")]
#[stochastic_test]
fn behind_a_feature(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) < _);
}
"#;

fn project() -> Project {
    let lib = format!("{NORMAL}{UNIT}");
    Project::new(
        "chosen",
        "[features]\nmore = []\n",
        &[
            ("src/lib.rs", lib.as_str()),
            ("tests/one.rs", TESTS),
            ("tests/two.rs", TESTS),
        ],
    )
}

#[test]
fn tests_are_chosen_as_with_cargo_test() {
    let project = project();
    // The tests that were calibrated, as `target name`.
    let calibrated = |args: &[&str]| {
        project.forget();
        let said = project.calibrate(&[args, &["--runs", "20", "--max-runs", "20"]].concat(), &[]);
        said.says(0, &[]);
        let titles = said
            .out
            .lines()
            .filter_map(|line| line.strip_prefix("chosen "));
        titles.map(str::to_owned).collect::<Vec<_>>()
    };
    let one = [
        "test:one first",
        "test:one overlaps",
        "test:one says_how_often",
    ];
    assert_eq!(calibrated(&["--test", "one"]), one);
    assert_eq!(calibrated(&["--lib"]), ["lib tests::unit"]);
    assert_eq!(calibrated(&["-p", "chosen"]).len(), 7);
    assert_eq!(calibrated(&["first"]), ["test:one first", "test:two first"]);
    assert_eq!(
        calibrated(&["unit", "says", "--lib", "--test", "two"]),
        ["lib tests::unit", "test:two says_how_often"]
    );
    assert_eq!(calibrated(&["tests::unit", "--exact"]), ["lib tests::unit"]);
    assert_eq!(
        calibrated(&["behind", "--features", "more", "--test", "one"]),
        ["test:one behind_a_feature"]
    );
    assert_eq!(
        calibrated(&["behind", "--all-features", "--test", "one"]),
        ["test:one behind_a_feature"]
    );

    // From elsewhere, the file is still in the folder of the package.
    project.forget();
    let manifest = project.path("Cargo.toml");
    let mut command = project.command("cargo", &[]);
    command
        .current_dir(std::env::temp_dir())
        .args([
            "flex",
            "calibrate",
            "--lib",
            "--seed",
            "fixed",
            "--manifest-path",
        ])
        .arg(manifest);
    flex_tests::run(&mut command, "").says(0, &["1 site learned"]);
    assert_eq!(project.entries("tests::unit").len(), 1);
}

#[test]
fn the_number_of_runs_is_asked_for_by_the_command_or_the_test() {
    let project = project();
    let samples = |args: &[&str]| -> u32 {
        project.forget();
        let args = [args, &["--test", "one"]].concat();
        let said = project.calibrate(&args, &[]);
        assert!([0, 4].contains(&said.code), "{said}");
        let bounds = project.bounds();
        let samples = bounds
            .lines()
            .find_map(|line| line.strip_prefix("samples = "));
        samples.unwrap().parse().unwrap()
    };
    assert_eq!(samples(&["first"]), 100);
    assert_eq!(samples(&["first", "--runs", "150"]), 150);
    assert_eq!(samples(&["first", "--max-runs", "60"]), 60);
    assert_eq!(samples(&["says_how_often"]), 30);
    assert_eq!(samples(&["says_how_often", "--runs", "20"]), 20);
    assert_eq!(
        samples(&["says_how_often", "--tight"]),
        40,
        "until there are as many as allowed"
    );
    assert!(samples(&["first", "--tight"]) > 100);
    project
        .calibrate(&["--runs", "60", "--max-runs", "50"], &[])
        .says(
            2,
            &[
                "error: 60 runs to begin with are more than 50 at most",
                "hint: ",
            ],
        );
    project
        .calibrate(&["--time-budget", "soon"], &[])
        .says(2, &["`soon` is not a time like 90s, 5m or 1h30m"]);
    project
        .cargo(&["flex", "calibrate", "--seed", "a@calibrate:1"], &[])
        .says(
            2,
            &["error: a calibration has a base seed, not a single run"],
        );
}

#[test]
fn the_same_seed_gives_the_same_file_however_the_runs_are_spread() {
    let project = project();
    let bounds = |args: &[&str]| {
        project.forget();
        project
            .calibrate(args, &[])
            .says(0, &["7 tests calibrated: 7 sites learned"]);
        project.undated_bounds()
    };
    let alone = bounds(&["--jobs", "1"]);
    assert_eq!(bounds(&["--jobs", "1"]), alone);
    assert_eq!(bounds(&["--jobs", "4"]), alone);
    // Runs that overlap in time are the same runs.
    project.replace(
        "tests/one.rs",
        "#[stochastic_test]\nfn first",
        "#[stochastic_test(overlap = true)]\nfn first",
    );
    assert_eq!(bounds(&["--jobs", "4"]), alone);
    // Without the command line too.
    project.forget();
    project
        .cargo(
            &["test"],
            &[("FLEX_MODE", "calibrate"), ("FLEX_SEED", "fixed")],
        )
        .says(0, &[]);
    assert_eq!(project.undated_bounds(), alone);
    // A calibration that changes nothing says so by changing nothing.
    project.calibrate(&[], &[]).says(0, &[]);
    assert_eq!(project.undated_bounds(), alone);
}

#[test]
fn a_package_without_stochastic_tests_gets_a_hint() {
    let ordinary = "#[test]\nfn ordinary() { std::fs::write(\"ran\", \"\").unwrap(); }\n";
    let project = Project::new("ordinary", "", &[("src/lib.rs", ordinary)]);
    let said = project.calibrate(&[], &[]);
    said.says(
        2,
        &[
            "error: no stochastic test in 1 test program",
            "hint: annotate a test with #[stochastic_test]",
        ],
    );
    assert!(!project.path("ran").exists());
}

#[test]
fn help_opens_with_a_sentence_and_an_example_80_columns_wide() {
    for flag in ["-h", "--help"] {
        let said = flex_harness(&["calibrate", flag], "");
        assert_eq!((said.code, said.err.as_str()), (0, ""));
        assert!(
            said.out
                .starts_with("Learns the bounds of stochastic tests"),
            "{said}"
        );
        for line in said.out.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
    let said = flex_harness(&["calibrate", "--help"], "");
    let (opening, _) = said.out.split_once("Usage:").unwrap();
    assert!(
        opening.contains("\n\nExample: cargo flex calibrate --test sketch\n\n"),
        "{opening}"
    );
}
