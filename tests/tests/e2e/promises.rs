//! Where a promise could be broken in silence: each of these is said, refused, or confirmed by reruns.

use flex_tests::project::{NORMAL, Project};

const TESTS: &str = r#"
use std::sync::{LazyLock, OnceLock};
use std::time::Duration;

use flex_harness::prelude::*;
use promises::{knob, normal};
use rand::RngExt;

// So far apart that two processes overlap once in 10^7 runs, and enough of them to matter once in 10^14.
static DRAWN_ONCE: LazyLock<f64> = LazyLock::new(|| 1e9 * rand::rng().random::<f64>());

#[stochastic_test(runs = 20)]
fn few_runs_share_a_draw(rng: &mut TestRng) {
    let x = *DRAWN_ONCE + normal(rng, 0.0);
    assert_tail_bound!(x < _);
}

#[stochastic_test(runs = 4)]
fn too_few_runs_to_tell() {
    let x: f64 = rand::rng().random();
    assert_tail_bound!(x < _);
}

#[stochastic_test]
fn slow_and_shared(rng: &mut TestRng) {
    static FIRST: OnceLock<f64> = OnceLock::new();
    std::thread::sleep(Duration::from_millis(10));
    let x = FIRST.get_or_init(|| normal(rng, 0.0)) + normal(rng, 0.0);
    assert_tail_bound!(x < _);
}

#[stochastic_test]
fn declared_and_shared(rng: &mut TestRng) {
    static FIRST: OnceLock<f64> = OnceLock::new();
    let x = FIRST.get_or_init(|| normal(rng, 0.0)) + normal(rng, 0.0);
    assert_tail_bound!(x < 100.0);
}

#[stochastic_test]
fn mostly_reached(rng: &mut TestRng) {
    let x = normal(rng, 0.0);
    if rng.random::<f64>() >= knob("MISSES") {
        assert_tail_bound!(x < _);
    }
}

#[stochastic_test]
fn depends_on_the_variant(rng: &mut TestRng) {
    let x = normal(rng, 0.0);
    assert_tail_bound!(x < _);
    if knob("GPU") == 0.0 {
        assert_tail_bound!(x > _, name = "cpu only");
    }
}

#[stochastic_test]
fn breaks(rng: &mut TestRng) {
    assert!(knob("BROKEN") == 0.0);
    std::thread::sleep(Duration::from_millis((knob("SLOW") * 1000.0) as u64));
    let x = normal(rng, 0.0);
    assert_tail_bound!(x < _);
}

#[stochastic_test]
fn has_no_tolerance(rng: &mut TestRng) {
    let tolerance = f64::NAN;
    assert_close!(normal(rng, 0.0), 0.0, abs = tolerance);
}

#[stochastic_test]
fn needs_the_environment(rng: &mut TestRng) {
    let scale: f64 = std::env::var("FROM_CARGO").unwrap().parse().unwrap();
    let x = normal(rng, 0.0) * scale;
    assert_tail_bound!(x < _);
}

#[stochastic_test]
fn asserts_in_a_message(rng: &mut TestRng) {
    let x = normal(rng, 0.0);
    let words = || {
        assert_tail_bound!(x < _, name = "inner");
        "words"
    };
    assert_tail_bound!(x < _, name = "outer", "{}", words());
}
"#;

fn project() -> Project {
    let config = "[env]\nFROM_CARGO = \"2.0\"\n";
    Project::new(
        "promises",
        "",
        &[
            ("src/lib.rs", NORMAL),
            ("tests/promises.rs", TESTS),
            (".cargo/config.toml", config),
        ],
    )
}

#[test]
fn few_runs_are_spread_over_processes_too() {
    let project = project();
    let said = project.calibrate(&["few_runs_share_a_draw"], &[]);
    said.says(
        4,
        &["20 runs in 5 processes", "20 values from 5 processes are"],
    );
    let said = project.calibrate(&["few_runs_share_a_draw", "--runs", "40"], &[]);
    said.says(4, &["40 runs in 5 processes", "refused: shared state"]);
    let said = project.calibrate(&["too_few_runs_to_tell", "--max-runs", "4"], &[]);
    said.says(4, &["4 values from 4 processes are"]);
}

#[test]
fn shared_state_is_looked_for_when_time_is_short_and_at_declared_sites() {
    let project = project();
    let said = project.calibrate(&["slow_and_shared", "--time-budget", "0.3s"], &[]);
    said.says(4, &["the time was up", "refused: shared state"]);
    let said = project.calibrate(&["declared_and_shared"], &[]);
    said.says(0, &["warning: x<100.0: shared state: under one seed"]);
}

#[test]
fn a_site_that_is_missed_by_chance_is_confirmed_by_reruns() {
    let project = project();
    let said = project.calibrate(&["mostly_reached"], &[]);
    said.says(0, &[]);
    let entry = &project.entries("mostly_reached")[0];
    assert!(entry.contains("reached = \"always\""), "{entry}");
    let program = project.program(&["--test", "promises"]);
    let mut cleared = 0;
    for seed in 0..300 {
        let seed = seed.to_string();
        // As rare as a calibration may have overlooked.
        let env = [("MISSES", "0.02"), ("FLEX_SEED", &seed), ("FLEX_LOG", "1")];
        let said = program.test("mostly_reached", &env);
        said.says(0, &[]);
        cleared += usize::from(said.all().contains("x<_ was not reached in 1 run"));
    }
    assert!(cleared > 0, "one run in fifty misses the site");
    let said = program.test("mostly_reached", &[("MISSES", "1")]);
    said.says(
        101,
        &[
            "not reached",
            "by every calibration run, and not in 6 runs now",
        ],
    );
}

#[test]
fn a_variant_has_all_its_entries_to_itself() {
    let project = project();
    let test = "depends_on_the_variant";
    let gpu = [("FLEX_VARIANT", "gpu"), ("GPU", "1")];
    project.calibrate(&[test], &[]).says(0, &[]);
    project.calibrate(&[test], &gpu).says(0, &[]);
    assert_eq!(project.entries(test).len(), 3);
    let program = project.program(&["--test", "promises"]);
    program.test(test, &[("FLEX_SEED", "b")]).says(0, &[]);
    let seeded = [&gpu[..], &[("FLEX_SEED", "b")]].concat();
    program.test(test, &seeded).says(0, &[]);
    // A variant without entries is judged by those without one.
    let other = [("FLEX_VARIANT", "tpu"), ("FLEX_SEED", "b")];
    program.test(test, &other).says(0, &[]);
}

#[test]
fn what_a_broken_or_hurried_calibration_shows_does_not_replace_what_is_known() {
    let project = project();
    project.calibrate(&["breaks"], &[]).says(0, &[]);
    let known = project.bounds();
    let said = project.calibrate(&["breaks"], &[("BROKEN", "1")]);
    said.says(1, &["not written: every run failed by itself"]);
    assert_eq!(project.bounds(), known);
    let hurried = [("SLOW", "0.2")];
    let said = project.calibrate(&["breaks", "--full", "--time-budget", "0.3s"], &hurried);
    said.says(4, &["not written: there was no time for enough runs"]);
    assert_eq!(project.bounds(), known);
}

#[test]
fn small_traps_are_closed() {
    let project = project();
    // A tolerance that is not a number is kept by nothing.
    let said = project.calibrate(&["has_no_tolerance"], &[]);
    said.says(0, &["100 of 100 runs break it"]);
    // Tests run as cargo would run them.
    let said = project.calibrate(&["needs_the_environment"], &[]);
    said.says(0, &["1 site learned"]);
    // An assertion in a message could never be calibrated.
    project
        .calibrate(&["asserts_in_a_message"], &[])
        .says(0, &[]);
    let program = project.program(&["--test", "promises"]);
    let said = program.test("asserts_in_a_message", &[]);
    said.says(101, &["stands in the message of another assertion"]);
    // A mistyped filter is named, and what is ignored is said.
    let said = project.calibrate(&["needs_the_environment", "mistyped"], &[]);
    said.says(0, &["warning: `mistyped` names no stochastic test"]);
    // The replay of one run is replayed as one run.
    let said = program.test("has_no_tolerance", &[("FLEX_SEED", "a@calibrate:7")]);
    said.says(101, &["replay: FLEX_SEED=a@calibrate:7 cargo test"]);
    assert!(said.line("margin").contains("left − right"), "{said}");
}
