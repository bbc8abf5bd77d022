//! `false-alarms` in `flex.toml`: the budget of a suite. All seeds are fixed.

use super::*;

#[test]
fn a_suite_spends_its_budget_site_by_site() {
    let project = project("false-alarms = \"1 in 10000 runs\"\n");
    let calibrate = |seed: &str, args: &[&str]| calibrate(&project, seed, args, &[]);
    let rate = |value: &str| 1.0 - value.parse::<f64>().unwrap();
    let spent = || -> Vec<(String, f64)> {
        let bounds = project.bounds();
        let all = values(&bounds, "confidence").into_iter();
        all.map(|(test, value)| (test.to_owned(), rate(value)))
            .collect()
    };
    calibrate("a", &[]).says(0, &["4 sites learned"]);
    let before = spent();
    // What `own` states is spent first; three sites get what four would: (1e-4 - 1e-5) / (2 * 4).
    let share = 9e-5 / 8.0;
    for (test, rate) in &before {
        let expected = if test == "own" { 1e-5 } else { share };
        assert!((rate / expected - 1.0).abs() < 1e-6, "{test} {rate}");
    }
    let program = project.program(&["--test", "tests"]);
    for test in ["first", "second", "own"] {
        program.test(test, &[("FLEX_SEED", "a")]).says(0, &[]);
    }

    // A newcomer gets its part, and nobody else moves.
    let old = project.bounds();
    let newcomer = "#[stochastic_test]\nfn third(rng: &mut TestRng) {\n    let x = normal(rng, 0.0);\n    \
                    assert_tail_bound!(x < _);\n}\n";
    let source = project.read("tests/tests.rs");
    project.write("tests/tests.rs", &format!("{source}\n{newcomer}"));
    calibrate("b", &[]).says(0, &["1 site learned", "3 tests are unchanged"]);
    assert!(
        project.bounds().starts_with(old.trim_end()),
        "{}",
        project.bounds()
    );
    assert!(spent().iter().map(|(_, rate)| rate).sum::<f64>() < 1e-4);
    let said = project.cargo(&["flex", "budget", "--ci-runs", "5000"], &[]);
    said.says(
        0,
        &[
            "4 tests",
            "5 sites",
            "1 in 10000 runs",
            "of it is spent",
            "at 5,000 runs a month",
        ],
    )
    .fits();
    let said = project.cargo(&["flex", "budget", "--json"], &[]);
    let suite = &said.json()[0];
    assert_eq!(suite["tests"].as_array().map(Vec::len), Some(4));
    assert!(suite["false_alarm_rate"].as_f64() < suite["budget"].as_f64());

    // A smaller budget: too much is spent, and everybody finds out who looks.
    project.write("flex.toml", "false-alarms = \"1 in 60000 runs\"\n");
    project
        .cargo(&["flex", "budget"], &[])
        .says(1, &["spends more than its budget"]);
    calibrate("c", &["--check"]).says(1, &["more than the suite's 1 in 60000 runs"]);
    calibrate("d", &["third"]).says(2, &["is spent", "shares the budget out anew"]);
    calibrate("e", &[]).says(0, &["4 tests calibrated", "0 refused"]);
    project
        .cargo(&["flex", "budget"], &[])
        .says(0, &["of it is spent"]);
    calibrate("f", &["--check"]).says(0, &["0 findings"]);
    // Nothing is left beside what one test states for itself.
    project.write("flex.toml", "false-alarms = \"1 in 100000 runs\"\n");
    calibrate("g", &[]).says(2, &["is spent", "1.00e-5"]);
}

#[test]
fn without_the_command_line_a_suite_has_its_budget_too() {
    let project = project("false-alarms = \"1 in 1000 runs\"\n");
    let program = project.program(&["--test", "tests"]);
    for test in ["first", "second", "own"] {
        program
            .test(test, &[("FLEX_MODE", "calibrate"), ("FLEX_SEED", "a")])
            .says(0, &[]);
    }
    let bounds = project.bounds();
    let rates = values(&bounds, "confidence")
        .into_iter()
        .map(|(_, c)| 1.0 - c.parse::<f64>().unwrap());
    let all: f64 = rates.sum();
    assert!(all > 1e-4 && all <= 1e-3 * (1.0 + 1e-6), "{all}");
    for test in ["first", "second", "own"] {
        program.test(test, &[("FLEX_SEED", "a")]).says(0, &[]);
    }
}
