//! Entries and settings: missing, misfitting, stale, refused by hand, not to be understood.

use super::*;

#[test]
fn an_uncalibrated_test_fails_with_the_command_that_calibrates_it() {
    let project = project();
    let program = project.program(TARGET);
    let said = run(&program, "learned", &[]);
    said.says(101, &["flex: learned: uncalibrated", "no entry", "error<_"]);
    let command = said.line("calibrate:");
    assert!(
        command.starts_with("FLEX_MODE=calibrate cargo test "),
        "{said}"
    );
    let other = said.line("or:");
    assert!(
        other.starts_with("cargo flex calibrate -p verdicts ")
            && other.ends_with(" --exact learned"),
        "{said}"
    );

    let said = run(&program, "learned", &[("FLEX_UNCALIBRATED", "warn")]);
    said.says(0, &["warning: learned: uncalibrated", &command]);
    assert_eq!(project.bounds(), "", "enforcement writes nothing");

    project
        .shell(&command)
        .says(0, &["100 runs in 5 processes", "wrote "]);
    assert_eq!(project.entries("learned").len(), 1);
    assert_eq!(project.entries("warned").len(), 0);
    // One of 10,000 seeds may fail; this one does not.
    run(&program, "learned", &[]).says(0, &["1 passed"]);
}

#[test]
fn an_entry_that_does_not_fit_the_source_is_none() {
    let project = project();
    project
        .calibrate(&["change", "promise"], &[])
        .says(0, &["6 sites learned"]);
    let source = project.read("tests/verdicts.rs");
    let learned: usize = source.find("fn changes_its_tail").unwrap();
    let (before, after) = source.split_at(learned);
    let after = after
        .replacen("normal(rng, 0.0) < _", "normal(rng, 0.0) > _", 1)
        .replace("100.0..100.0", "100.0..200.0")
        .replace(
            "#[stochastic_test]\nfn promises",
            "#[stochastic_test(tail = light)]\nfn promises",
        )
        .replace("confidence = 0.999)", "confidence = 0.99)")
        .replace("confidence = 0.99995", "confidence = 0.99992");
    project.write("tests/verdicts.rs", &format!("{before}{after}"));
    let program = project.program(TARGET);
    for (test, why) in [
        (
            "changes_its_tail",
            "its tail is lower now and was upper at calibration",
        ),
        (
            "changes_its_domain",
            "its domain is -100..200 now and was -100..100",
        ),
        (
            "promises_a_light_tail",
            "its light tail is promised now and was not promised",
        ),
        (
            "changes_its_confidence",
            "its share of the confidence 0.99 has changed",
        ),
        (
            "changes_the_confidence_of_a_site",
            "its confidence is 0.99992 now and was 0.99995",
        ),
    ] {
        let title = format!("flex: {test}: uncalibrated");
        run(&program, test, &[]).says(101, &[&title, why, "calibrate: FLEX_MODE=calibrate"]);
    }
}

#[test]
fn a_changed_test_is_stale() {
    let project = project();
    project
        .calibrate(&["learned"], &[])
        .says(0, &["1 site learned"]);
    let change = |from, to| project.replace("tests/verdicts.rs", from, to);
    // Comments and white space change nothing.
    change(
        "fn learned(rng: &mut TestRng) {",
        "fn learned(rng: &mut TestRng)\n{ // new",
    );
    let fail = ("FLEX_STALE", "fail");
    run(&project.program(TARGET), "learned", &[fail]).says(0, &[]);
    change(
        "let error = normal(rng, knob(\"SHIFT\"));",
        "let error = normal(rng, 0.0 + knob(\"SHIFT\"));",
    );
    let program = project.program(TARGET);
    let said = run(&program, "learned", &[]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let note = "note: the test changed since calibration";
    run(&program, "learned", &[("SHIFT", "100")]).says(101, &["beyond the ceiling", note]);
    run(&program, "learned", &[fail]).says(101, &["flex: learned: stale", "calibrate: FLEX_MODE="]);
    run(&program, "learned", &[fail, ("SHIFT", "100")]).says(101, &["stale", "beyond the ceiling"]);
}

#[test]
fn entries_may_be_refused_or_unenforced() {
    let project = project();
    project
        .calibrate(&["learned"], &[])
        .says(0, &["1 site learned"]);
    let program = project.program(TARGET);
    let learned = |env: &[(&str, &str)]| run(&program, "learned", env);
    project.replace(
        "flex-bounds.toml",
        "reached =",
        "accept = \"unenforced\"\nreached =",
    );
    for env in [("SHIFT", "1000"), ("SKIP", "1")] {
        learned(&[env]).says(0, &["1 passed"]);
    }
    let refused: String = project
        .bounds()
        .lines()
        .filter(|line| {
            !["accept", "ceiling", "guard", "race", "strays", "fit"]
                .iter()
                .any(|key| line.starts_with(key))
        })
        .map(|line| match line.starts_with("strategy") {
            true => "strategy = \"refuse\"\nreason = \"two modes\"\n".to_owned(),
            false => format!("{line}\n"),
        })
        .collect();
    project.write("flex-bounds.toml", &refused);
    learned(&[]).says(
        101,
        &[
            "flex: learned: refused at calibration",
            "refused  two modes",
        ],
    );
}

#[test]
fn one_run_of_a_calibration_can_be_replayed() {
    let project = project();
    project.calibrate(&["learned", "--runs", "1", "--max-runs", "1"], &[]);
    let program = project.program(TARGET);
    let said = run(&program, "learned", &[("FLEX_SEED", "fixed@calibrate:0")]);
    said.says(
        0,
        &["flex: learned: run 0 of phase calibrate under seed fixed"],
    );
    // Of a single run, every quantile is its value, which is not rounded since nothing varies.
    let value = said.line("error<_: ");
    let quantiles = format!("quantiles = [{}]", vec![value.as_str(); 17].join(", "));
    let entry = &project.entries("learned")[0];
    assert!(entry.contains(&quantiles), "{value}: {entry}");
    let other = run(&program, "learned", &[("FLEX_SEED", "fixed@calibrate:1")]);
    assert_ne!(other.line("error<_: "), said.line("error<_: "));
}

#[test]
fn settings_that_cannot_be_understood_are_errors() {
    let project = project();
    let program = project.program(TARGET);
    for (name, value, why) in [
        ("FLEX_SEED", "fixed@calibrate", "`calibrate` names no run"),
        ("FLEX_SEED", "fixed@learn:1", "`learn` is not a phase"),
        (
            "FLEX_MODE",
            "learn",
            "FLEX_MODE=learn is not one of enforce, calibrate",
        ),
        ("FLEX_MODE", "record", "use FLEX_MODE=calibrate"),
        (
            "FLEX_RUNS",
            "0",
            "FLEX_RUNS=0 is not a whole number of at least 1",
        ),
        (
            "FLEX_STALE",
            "yes",
            "FLEX_STALE=yes is not one of fail, warn",
        ),
        (
            "FLEX_UNCALIBRATED",
            "no",
            "FLEX_UNCALIBRATED=no is not one of fail, warn",
        ),
    ] {
        run(&program, "learned", &[(name, value)]).says(101, &["error: FLEX_", why]);
    }
    run(&program, "learned", &[("FLEX_MODE", "off")]).says(0, &["1 passed"]);
    let elsewhere = ("FLEX_BOUNDS", "no/such/folder/bounds.toml");
    run(&program, "learned", &[elsewhere]).says(101, &["uncalibrated"]);
}
