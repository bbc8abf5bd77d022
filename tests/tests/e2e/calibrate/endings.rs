//! How calibrations end: exit codes, time that is up, mistakes in tests, with and without the command line.

use super::*;

#[test]
fn exit_codes_say_what_was_found() {
    let project = project();
    let calibrate = |args: &[&str]| project.calibrate(&[args, &["--exact"]].concat(), &[]);
    let said = calibrate(&["deterministic"]);
    said.says(0, &["1 site learned"]);
    // Nothing varies, so that nothing is said of what is caught.
    assert!(!said.all().contains("`catches` says"), "{said}");
    calibrate(&["has_thirty_sites", "--check", "--runs", "20"]).says(
        1,
        &["has_thirty_sites: missing: 30 of 30 sites have no entry, such as bias"],
    );
    calibrate(&["panics_sometimes"]).says(1, &["error: 1 test fails by itself; see above"]);
    calibrate(&["shares_state"]).says(4, &["0 sites learned, 1 refused"]);
    assert!(project.entries("shares_state")[0].contains("strategy = \"refuse\""));
    calibrate(&["shares_state", "--accept"]).says(
        0,
        &[
            "1 site learned",
            "accepted in spite of: shared",
            "was     refused",
        ],
    );
    calibrate(&["gives_nan"]).says(
        1,
        &["1 refused", "error: 1 site looks like a bug; see above"],
    );
    // It is said again until somebody accepts it, which holds from then on.
    calibrate(&["gives_nan"]).says(1, &["replay: FLEX_SEED="]);
    calibrate(&["gives_nan", "--accept"]).says(0, &["accepted in spite of: 4 of 100 values"]);
    assert!(project.entries("gives_nan")[0].contains("accept = \"learned\""));
    calibrate(&["gives_nan", "--full", "--check"]).says(0, &["0 findings"]);
    calibrate(&["nothing"]).says(
        2,
        &[
            "error: none of 30 stochastic tests has a path with `nothing`",
            "hint: ",
        ],
    );
    calibrate(&["is_ignored"]).says(
        2,
        &[
            "error: 1 stochastic test is ignored",
            "hint: add --include-ignored",
        ],
    );
    calibrate(&["is_ignored", "--include-ignored"]).says(0, &["1 site learned"]);
    calibrate(&["has_twins"]).says(3, &["give one of them a `name"]);
    project.replace("src/lib.rs", "pub fn normal", "pub fn abnormal");
    calibrate(&["deterministic"]).says(3, &["error: the tests do not build", "hint: "]);
}

#[test]
fn the_time_budget_ends_a_calibration_early() {
    let project = project();
    let said = project.calibrate(&["is_slow", "--time-budget", "1s"], &[]);
    // Whether so few runs are enough for a guard depends on the machine.
    assert!([0, 4].contains(&said.code), "{said}");
    let note = "note: the time was up before there were as many runs as wanted";
    assert!(said.out.contains(note), "{said}");
    assert!(!said.out.contains("100 runs"), "{said}");
    // At 100 ms a run, at most 10 runs begin in a second.
    let entry = &project.entries("is_slow")[0];
    let samples = entry
        .lines()
        .find_map(|line| line.strip_prefix("samples = "));
    assert!(samples.unwrap().parse::<u32>().unwrap() <= 10, "{entry}");
}

#[test]
fn the_library_alone_reports_the_same() {
    let project = project();
    let program = project.program(&["--test", "findings"]);
    let env = [("FLEX_MODE", "calibrate"), ("FLEX_SEED", "fixed")];
    let calibrate = |test: &str| program.test(test, &env);
    calibrate("deterministic").says(0, &["deterministic: no run drew", "wrote ", "1 passed"]);
    calibrate("panics_sometimes").says(
        101,
        &[
            "failed by themselves: 14 of 100 runs",
            "error: 14 of 100 runs failed by themselves: x is 2.25",
        ],
    );
    assert_eq!(project.entries("panics_sometimes").len(), 1);
    calibrate("shares_state").says(
        101,
        &[
            "refused: shared state",
            "error: no bound could be learned for loss; see above",
        ],
    );
    calibrate("aborts").says(101, &["ended the process (signal: 6"]);
    calibrate("measures_time").says(0, &["warning: the site measures time"]);
    calibrate("has_twins").says(
        101,
        &[
            "error: cannot calibrate has_twins: ",
            "give one of them a `name",
        ],
    );
    program
        .test("deterministic", &env)
        .says(0, &["deterministic: unchanged, by 3 runs of the last"]);
    // What is known already is enough for 140 runs, and not for 150.
    let some = [&env[..], &[("FLEX_RUNS", "140")]].concat();
    program
        .test("deterministic", &some)
        .says(0, &["deterministic: unchanged"]);
    let more = [&env[..], &[("FLEX_RUNS", "150")]].concat();
    program
        .test("deterministic", &more)
        .says(0, &["150 runs in 5 processes"]);
    // `cargo flex` listens to the same variable.
    let said = project.calibrate(&["deterministic"], &[("FLEX_RUNS", "225")]);
    said.says(0, &["225 runs in 5 processes"]);
}

#[test]
fn mistakes_in_a_test_are_explained_and_odd_names_are_not_mistakes() {
    let project = project();
    let program = project.program(&["--test", "findings"]);
    let calibrate = |test: &str| project.calibrate(&["--exact", test], &[]);
    for (test, words) in [
        ("has_an_empty_name", "has an empty `name`"),
        ("has_too_many_cases", "has more than 100 cases"),
        ("has_a_wrong_domain", "`0..-1` is not a domain"),
        ("has_twins", "give one of them a `name"),
    ] {
        calibrate(test).says(
            3,
            &[
                "error: findings test:findings ",
                "tests/findings.rs:",
                words,
            ],
        );
        for mode in ["enforce", "off"] {
            let said = program.test(test, &[("FLEX_MODE", mode), ("FLEX_SEED", "s1")]);
            said.says(101, &["cannot be judged", "tests/findings.rs:", words]);
        }
    }
    // No process sees more than 100 names; together they do.
    let said = project.calibrate(&["has_too_many_names", "--runs", "200"], &[]);
    said.says(
        3,
        &[
            "the assertion at tests/findings.rs:",
            "has more than 100 cases",
        ],
    );
    calibrate("spends_too_much").says(
        3,
        &[
            "spend a false-alarm rate of 1.000e-2",
            "raise the sites' confidence",
        ],
    );
    calibrate("leaves_its_domain").says(
        4,
        &[
            "values lie outside of the declared domain 0..1",
            "correct the",
        ],
    );
    assert_eq!(project.bounds().matches("[[bound]]").count(), 1);
    // Thirty with a standard deviation of twelve: the tail alone would reach far below zero.
    let said = project.calibrate(&["is_never_negative", "--include-ignored"], &[]);
    said.says(0, &["no ceiling: a ceiling would lie at 0 or beyond"]);

    let said = calibrate("has_odd_names");
    said.says(
        0,
        &[
            "5 sites learned",
            "it's []",
            "it's [two\\nlines]",
            "it's [\\u{1f}]",
            "it's [a \"quoted\" word]",
        ],
    );
    program
        .test("has_odd_names", &[("FLEX_SEED", "s1")])
        .says(0, &["1 passed"]);

    calibrate("is_sometimes_reached").says(0, &["1 site learned"]);
    let entry = &project.entries("is_sometimes_reached")[0];
    assert!(entry.contains("reached = \"sometimes\""), "{entry}");
    for seed in 0..10 {
        let seed = format!("s{seed}");
        program
            .test("is_sometimes_reached", &[("FLEX_SEED", &seed)])
            .says(0, &["1 passed"]);
    }
}
