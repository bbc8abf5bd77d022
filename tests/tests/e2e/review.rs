//! What a second calibration does to the first: nothing, if nothing moved; and what would loosen a bound is looked at.

use flex_tests::project::{MOVES, NORMAL, Project};
use serde_json::{Value, json};

const STAYS: &str = "
#[stochastic_test]
fn stays(rng: &mut TestRng) {
    let error = normal(rng, 0.0);
    assert_tail_bound!(_ < error < _);
}
";

fn project() -> Project {
    let imports = "use flex_harness::prelude::*;\nuse reviewed::{knob, normal};\n";
    let tests = format!("{imports}{MOVES}{STAYS}");
    Project::new(
        "reviewed",
        "",
        &[("src/lib.rs", NORMAL), ("tests/tests.rs", &tests)],
    )
}

/// A calibration under another seed.
fn seeded(project: &Project, seed: &str, args: &[&str], env: &[(&str, &str)]) -> flex_tests::Said {
    let env = [env, &[("FLEX_SEED", seed)]].concat();
    let args = [&["flex", "calibrate"], args].concat();
    project.cargo(&args, &env)
}

#[test]
fn recalibrating_unchanged_code_leaves_the_file_as_it_is() {
    let project = project();
    seeded(&project, "first", &[], &[]).says(0, &["2 sites learned"]);
    let known = project.bounds();
    let said = seeded(&project, "a", &[], &[]);
    said.says(
        0,
        &["2 tests are unchanged: three runs of the last calibration"],
    );
    assert_eq!(project.bounds(), known);
    // A hundred new runs are asked whether the old numbers fit, which those of most seeds say.
    let said = seeded(&project, "b", &["--full"], &[]);
    said.says(0, &["kept: the old numbers still fit, and stay", "2 kept"]);
    assert_eq!(project.bounds(), known);
    // Many more runs are worth a new bound, tighter or looser.
    seeded(&project, "more", &["--runs", "200"], &[]).says(0, &["2 sites learned"]);
    assert_eq!(project.bounds().matches("samples = 200").count(), 2);
}

#[test]
fn a_bound_that_does_not_fit_any_more_is_replaced() {
    let project = project();
    seeded(&project, "first", &[], &[]).says(0, &[]);
    let fails = |shift: &str| {
        let program = project.program(&["--test", "tests"]);
        let seeds = (0..40).map(|seed| seed.to_string());
        let red = |seed: &String| {
            let env = [("SHIFT", shift), ("FLEX_SEED", seed)];
            program.test("moves", &env).code != 0
        };
        seeds.filter(red).count()
    };
    assert_eq!(fails("0"), 0);
    // Half a standard deviation, on purpose: too little to be seen as a move, too much for the old numbers.
    let known = project.bounds();
    let said = seeded(&project, "second", &["moves"], &[("SHIFT", "0.5")]);
    said.says(0, &["was     guard"]);
    assert_ne!(project.bounds(), known);
    assert_eq!(fails("0.5"), 0);
    // What the failure advises to do about an intended change is enough.
    assert!(fails("2") > 30);
    seeded(&project, "third", &["--accept", "moves"], &[("SHIFT", "2")]).says(0, &[]);
    assert_eq!(fails("2"), 0);
}

#[test]
fn entries_that_were_edited_by_hand_are_named_and_learned_anew() {
    let project = project();
    seeded(&project, "first", &[], &[]).says(0, &[]);
    let edited = |change: &dyn Fn(&str) -> Option<String>| {
        let bounds = project.bounds();
        let lines: Vec<String> = bounds.lines().filter_map(change).collect();
        project.write("flex-bounds.toml", &(lines.join("\n") + "\n"));
    };
    let check = |args: &[&str]| seeded(&project, "b", &[args, &["--check"]].concat(), &[]);
    // What people may write is no edit.
    edited(&|line| Some(line.replace("[[bound]]", "[[bound]] # ours")));
    check(&[]).says(0, &["0 findings"]);
    // A line that is gone, and a number that is not the learned one.
    let without = |line: &str| (!line.starts_with("quantiles")).then(|| line.to_owned());
    edited(&without);
    let words = "edited by hand: its entry is not what calibration wrote";
    check(&[]).says(1, &["stays: ", "moves: ", words, "2 findings"]);
    let reviewed = project.cargo(&["flex", "review"], &[]);
    reviewed.says(0, &["edited by hand"]);
    assert_eq!(reviewed.out.matches("edited by hand").count(), 2);
    let listed = project.cargo(&["flex", "review", "--json"], &[]).json();
    let entry = |test: &str, site: &str| {
        json!({
            "target": "test:tests",
            "test": test,
            "site": site,
            "case": null,
            "variant": null,
            "edited": true,
        })
    };
    let both = [entry("moves", "error<_"), entry("stays", "_<error<_")];
    assert_eq!(listed, Value::from(both.to_vec()));
    seeded(&project, "c", &["--accept"], &[]).says(0, &["2 sites learned"]);
    check(&[]).says(0, &["0 findings"]);
    // It holds all the same: enforcement does not ask who wrote a number.
    edited(&|line| {
        let is_ceiling = line.starts_with("ceiling = ");
        Some(if is_ceiling { "ceiling = 99.0" } else { line }.to_owned())
    });
    let program = project.program(&["--test", "tests"]);
    program.test("moves", &[("FLEX_SEED", "1")]).says(0, &[]);
    check(&["moves"]).says(1, &[words]);
    seeded(&project, "c", &["moves"], &[]).says(0, &["was"]);
    check(&["moves"]).says(0, &["0 findings"]);
}

#[test]
fn a_looser_bound_waits_for_a_review() {
    let project = project();
    seeded(&project, "first", &[], &[]).says(0, &[]);
    let known = project.bounds();
    let moved = [("SHIFT", "2")];
    let said = seeded(&project, "second", &[], &moved);
    said.says(
        1,
        &[
            "not written: the distribution moved",
            "the bound would loosen",
            "would catch +",
        ],
    );
    said.says(1, &["1 new bound waits for a review"]);
    assert_eq!(project.bounds(), known);

    let said = project.cargo(&["flex", "review"], &[]);
    said.says(
        1,
        &[
            "site `error<_` of test `moves`",
            "old  guard",
            "new  guard",
            "median",
        ],
    );
    let listed = project.cargo(&["flex", "review", "--json"], &[]);
    assert_eq!(listed.code, 1, "{listed}");
    let waiting = &listed.json()[0];
    assert_eq!(waiting["test"], "moves");
    let guard = |entry: &str| waiting[entry]["sides"][0]["guard"].as_f64();
    assert!(guard("new") > guard("old"), "{waiting}");

    project
        .cargo(&["flex", "review", "reject", "--all"], &[])
        .says(0, &["1 bound rejected"]);
    assert_eq!(project.bounds(), known);
    assert!(!project.path("flex-bounds.pending.toml").exists());
    project
        .cargo(&["flex", "review"], &[])
        .says(0, &["0 bounds wait"]);

    seeded(&project, "second", &[], &moved).says(1, &[]);
    project
        .cargo(&["flex", "review", "accept", "other"], &[])
        .says(2, &["nothing waits that is named `other`"]);
    project
        .cargo(&["flex", "review", "-p", "nobody", "accept", "moves"], &[])
        .says(2, &["no package of the workspace is called `nobody`"]);
    project
        .cargo(&["flex", "review", "accept", "moves"], &[])
        .says(0, &["1 bound accepted"]);
    assert_ne!(project.bounds(), known);
    let program = project.program(&["--test", "tests"]);
    program
        .test("moves", &[("SHIFT", "2"), ("FLEX_SEED", "a")])
        .says(0, &[]);

    // Without a review, on the word of whoever calibrates.
    seeded(&project, "third", &["--accept"], &[("SHIFT", "5")]).says(0, &[]);
    program
        .test("moves", &[("SHIFT", "5"), ("FLEX_SEED", "a")])
        .says(0, &[]);
}

#[test]
fn check_compares_and_writes_nothing() {
    let project = project();
    seeded(&project, "first", &[], &[]).says(0, &[]);
    let known = project.bounds();
    seeded(&project, "second", &["--check"], &[]).says(0, &["2 tests are unchanged", "0 findings"]);
    seeded(&project, "second", &["--check", "--full"], &[])
        .says(0, &["2 sites compared", "0 findings"]);
    // One standard deviation at 300 runs.
    let said = seeded(
        &project,
        "second",
        &["--check", "--runs", "300"],
        &[("SHIFT", "1")],
    );
    said.says(
        1,
        &[
            "test:tests moves: error<_: the distribution moved",
            "1 finding",
        ],
    );
    let said = seeded(&project, "second", &["--check"], &[("SHIFT", "-3")]);
    said.says(1, &["the bound would tighten"]);

    // A changed test is stale, a new site is missing, and a test that is gone leaves an entry behind.
    project.replace(
        "tests/tests.rs",
        "let error = normal(rng, 0.0);",
        "let error = normal(rng, 0.0) + 0.0;",
    );
    seeded(&project, "second", &["--check"], &[]).says(1, &["stays: stale"]);
    project.replace("tests/tests.rs", "_ < error < _", "error < _");
    seeded(&project, "second", &["--check"], &[]).says(1, &["missing: it has no entry"]);
    project.replace("tests/tests.rs", "fn stays", "fn renamed");
    seeded(&project, "second", &["--check"], &[]).says(1, &["`stays`", "the test is gone"]);
    assert_eq!(project.bounds(), known);

    let said = seeded(&project, "third", &["--prune"], &[]);
    said.says(0, &["pruned: site `_<error<_` of test `stays`"]);
    assert!(!project.bounds().contains("\"stays\""));
    seeded(&project, "second", &["--check"], &[]).says(0, &["0 findings"]);
}

#[test]
fn shells_and_manuals_know_the_commands() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let said = flex_tests::flex_harness(&["completions", shell], "");
        said.says(0, &["calibrate", "time-budget"]);
    }
    flex_tests::flex_harness(&["man"], "").says(0, &[".TH flex-harness", "calibrate"]);
    flex_tests::flex_harness(&["man", "review"], "").says(0, &["flex\\-harness\\-review"]);
    flex_tests::flex_harness(&["man", "nothing"], "").says(2, &["the commands are calibrate"]);
}
