//! What `cargo flex calibrate` finds out about tests.

use flex_tests::Said;
use flex_tests::project::{NORMAL, Project};

const TESTS: &str = r#"
use std::collections::HashMap;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use flex_harness::prelude::*;
use findings::normal;
use rand::RngExt;

#[test]
fn ordinary() {
    std::fs::write("ordinary-test-ran", "").unwrap();
}

#[stochastic_test]
fn panics_sometimes(rng: &mut TestRng) {
    let x = normal(rng, 0.0);
    assert_tail_bound!(x < _);
    assert!(x < 1.0, "x is {x}");
}

#[stochastic_test]
fn always_panics(rng: &mut TestRng) {
    let _: u64 = rng.random();
    panic!("never works");
}

#[stochastic_test]
fn deterministic() {
    let x = 3.0;
    assert_tail_bound!(x < _);
}

#[stochastic_test]
fn shares_state(rng: &mut TestRng) {
    static MODEL: OnceLock<f64> = OnceLock::new();
    let model = MODEL.get_or_init(|| normal(rng, 0.0));
    assert_tail_bound!(model + normal(rng, 0.0) < _, name = "loss");
}

#[stochastic_test]
fn draws_by_itself(_rng: &mut TestRng) {
    let x: f64 = rand::rng().random();
    assert_tail_bound!(x < _);
}

#[stochastic_test]
fn depends_on_hash_order(rng: &mut TestRng) {
    let map: HashMap<u32, f64> = (0..100).map(|i| (i, normal(rng, 0.0))).collect();
    let sum: f64 = map.values().take(10).sum();
    assert_tail_bound!(sum < _);
}

#[stochastic_test]
fn aborts(rng: &mut TestRng) {
    let x = normal(rng, 0.0);
    assert_tail_bound!(x < _);
    if x > 1.5 {
        std::process::abort();
    }
}

#[stochastic_test]
fn exits(rng: &mut TestRng) {
    let x = normal(rng, 0.0);
    assert_tail_bound!(x < _);
    if x > 1.5 {
        std::process::exit(0);
    }
}

#[stochastic_test]
fn measures_time(rng: &mut TestRng) {
    let start = Instant::now();
    std::hint::black_box(normal(rng, 0.0));
    assert_tail_bound!(start.elapsed() < _, name = "took");
    assert_tail_bound!(Duration::from_secs(2) < Duration::from_secs(3));
}

fn helper(x: f64) {
    assert_tail_bound!(x < _);
}

#[stochastic_test]
fn in_many_places(rng: &mut TestRng) {
    for _ in 0..3 {
        assert_tail_bound!(normal(rng, 0.0) < _, name = "loop");
    }
    for size in [1, 10] {
        assert_tail_bound!(f64::from(size) * normal(rng, 0.0) < _, case = size, name = "cases");
    }
    let closure = |x: f64| assert_tail_bound!(x + 0.5 < _);
    closure(normal(rng, 0.0));
    helper(normal(rng, 0.0));
    let scope = flex_harness::scope();
    let mut fork = rng.fork();
    std::thread::spawn(move || scope.enter(|| assert_tail_bound!(normal(&mut fork, 0.0) < _, name = "thread")))
        .join()
        .unwrap();
}

mod twin {
    use flex_harness::prelude::*;
    pub fn check(x: f64) {
        assert_tail_bound!(x < _, name = "same");
    }
}

#[stochastic_test]
fn has_twins(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) < _, name = "same");
    twin::check(normal(rng, 0.0));
}

#[stochastic_test]
fn hits_on_another_thread(rng: &mut TestRng) {
    let mut fork = rng.fork();
    let thread = std::thread::spawn(move || assert_tail_bound!(normal(&mut fork, 0.0) < _));
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

#[stochastic_test]
fn has_too_many_cases(rng: &mut TestRng) {
    for i in 0..101 {
        assert_tail_bound!(normal(rng, 0.0) < _, name = "x", case = i);
    }
}

#[stochastic_test]
fn has_too_many_names(rng: &mut TestRng) {
    let number: u64 = rng.random();
    assert_tail_bound!(normal(rng, 0.0) < _, name = format!("x {number}"));
}

#[stochastic_test]
fn has_an_empty_name(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) < _, name = String::new());
}

#[stochastic_test]
fn has_odd_names(rng: &mut TestRng) {
    for case in ["", "two\nlines", "\u{1f}", "a \"quoted\" word", "]"] {
        assert_tail_bound!(normal(rng, 0.0) < _, name = "it's", case = case);
    }
}

#[stochastic_test]
fn has_a_wrong_domain(rng: &mut TestRng) {
    let most = -1.0;
    assert_tail_bound!(normal(rng, 0.0) < _, name = "x", domain = 0.0..most);
}

#[stochastic_test]
fn leaves_its_domain(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) < _, name = "x", domain = 0.0..=1.0);
}

#[stochastic_test]
fn spends_too_much(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) < _, name = "x", confidence = 0.99);
}

#[stochastic_test]
fn is_sometimes_reached(rng: &mut TestRng) {
    let x = normal(rng, 0.0);
    if x > 0.0 {
        assert_tail_bound!(x < _);
    }
}

#[stochastic_test]
fn gives_nan(rng: &mut TestRng) {
    let x = normal(rng, 0.0);
    assert_tail_bound!(if x > 2.0 { f64::NAN } else { x } < _, name = "x");
}

#[stochastic_test]
fn always_gives_nan(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) * f64::NAN < _, name = "x");
}

#[stochastic_test(runs = 20, max_runs = 20)]
fn is_slow(rng: &mut TestRng) {
    std::thread::sleep(Duration::from_millis(100));
    assert_tail_bound!(normal(rng, 0.0) < _, name = "x");
}

#[ignore]
#[stochastic_test]
fn is_ignored(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) < _, name = "x");
}

#[stochastic_test]
fn breaks_a_declared_bound(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) < 1.0);
}
"#;

fn project(name: &str) -> Project {
    let tests = TESTS.replace("findings::", &format!("{name}::"));
    Project::new(
        name,
        "",
        &[("src/lib.rs", NORMAL), ("tests/findings.rs", &tests)],
    )
}

/// The part of the summary that is about one test.
fn part_of<'a>(said: &'a Said, test: &str) -> &'a str {
    let title = format!(" test:findings {test}");
    let mut parts = said.out.split("\n\n").map(str::trim_start);
    let is_it = |part: &&str| {
        part.lines()
            .next()
            .is_some_and(|line| line.ends_with(&title))
    };
    parts
        .find(is_it)
        .unwrap_or_else(|| panic!("nothing about {test}: {said}"))
}

/// The words of a text in one line: paragraphs are wrapped.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_kind_of_finding_is_reported_and_the_rest_is_learned() {
    let project = project("findings");
    let said = project.calibrate(&["--jobs", "4"], &[]);
    // Mistakes in tests come before panics in the exit code.
    assert_eq!(said.code, 3, "{said}");
    assert!(!project.path("ordinary-test-ran").exists());
    assert!(!said.all().contains("is_ignored"), "{said}");
    let about = |test: &str, words: &[&str]| {
        let part = unwrapped(part_of(&said, test));
        for words in words {
            assert!(part.contains(words), "{test}: `{words}` is not in: {part}");
        }
        part
    };

    about(
        "panics_sometimes",
        &[
            "failed by themselves: 14 of 100 runs (14%): runs 0, 1, 3, 4, 10 and 9 more",
            "5 attempts would pass with confidence 0.9999",
            "such as: x is 2.25",
            "replay: FLEX_SEED=fixed@calibrate:0 cargo test -p findings --test findings -- --exact panics_sometimes",
            "guard 0.729",
        ],
    );
    about(
        "always_panics",
        &[
            "100 of 100 runs (100%)",
            "such as: never works",
            "nothing to learn",
        ],
    );
    about(
        "deterministic",
        &["deterministic: no run drew a random number", "guard 3"],
    );
    about(
        "shares_state",
        &[
            "refuse",
            "refused: shared state: under one seed (run 0) it is ",
        ],
    );
    // These are not under the seed. Equal values twice, ten times over, have a probability far below 1e-9.
    for test in ["draws_by_itself", "depends_on_hash_order"] {
        let part = about(
            test,
            &["uncontrolled randomness: under the same seed (run "],
        );
        let values = part.split_once("<_ is ").unwrap().1;
        let (first, rest) = values.split_once(" and then ").unwrap();
        let second = rest.split_once(". ").unwrap().0;
        let [first, second] = [first, second].map(|value| value.parse::<f64>().unwrap());
        assert_ne!(first, second, "{part}");
    }
    about(
        "aborts",
        &[
            "failed by themselves: 11 of 100 runs",
            "ended the process (signal: 6",
            "guard",
        ],
    );
    about(
        "exits",
        &[
            "failed by themselves: 7 of 100 runs",
            "ended the process (exit status: 0)",
            "guard",
        ],
    );
    about(
        "measures_time",
        &[
            "took",
            "warning: the site measures time: its bound holds for this machine",
        ],
    );
    about(
        "in_many_places",
        &[
            "cases [1]",
            "cases [10]",
            "helper: x<_",
            "loop",
            "thread",
            "x+0.5<_",
        ],
    );
    about(
        "hits_on_another_thread",
        &["such as: flex: no stochastic test runs on this thread; call `flex_harness::scope()`"],
    );
    about(
        "gives_nan",
        &["guard", "no ceiling: 4 of 100 values are NaN or infinite"],
    );
    about(
        "always_gives_nan",
        &["refused: 100 of 100 values are NaN or infinite"],
    );
    about(
        "breaks_a_declared_bound",
        &[
            "14 of 100 runs break it",
            "replay: FLEX_SEED=fixed@calibrate:",
        ],
    );
    said.says(
        3,
        &[
            "has_twins: `x<_` (tests/findings.rs:",
            "have the same id `same`; give one of them a `name = \"…\"`",
            "has_too_many_cases: `normal(rng,0.0)<_` (tests/findings.rs:",
            "has more than 100 cases",
            "calibrated: ",
            " refused; wrote ",
        ],
    );

    // What was learned is in the file, for each site.
    for (test, sites) in [
        ("panics_sometimes", 1),
        ("always_panics", 0),
        ("aborts", 1),
        ("in_many_places", 6),
        ("has_twins", 0),
    ] {
        assert_eq!(project.entries(test).len(), sites, "{test}");
    }
    // 89 runs came to their end.
    assert!(project.entries("aborts")[0].contains("\nsamples = 89\n"));

    for line in said.out.lines().filter(|line| !line.contains("replay: ")) {
        assert!(line.chars().count() <= 80, "wider than 80 columns: {line}");
    }

    // The replay lines show what calibration saw: the panic again, the broken bound again.
    let (_, panicking) = said
        .out
        .split_once("test:findings panics_sometimes\n")
        .unwrap();
    let line = panicking
        .lines()
        .find_map(|line| line.trim().strip_prefix("replay: "))
        .unwrap();
    project.shell(line).says(
        101,
        &[
            "x is 2.257247539344206",
            "run 0 of phase calibrate under seed fixed",
        ],
    );
    let (_, breaking) = said
        .out
        .split_once("test:findings breaks_a_declared_bound\n")
        .unwrap();
    let line = breaking
        .lines()
        .find_map(|line| line.trim().strip_prefix("replay: "))
        .unwrap();
    project
        .shell(line)
        .says(101, &["a declared bound is broken"]);
}

#[test]
fn exit_codes_say_what_was_found() {
    let project = project("exit_codes");
    let calibrate = |args: &[&str]| project.calibrate(&[args, &["--exact"]].concat(), &[]);
    calibrate(&["deterministic"]).says(0, &["1 site learned"]);
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
    calibrate(&["nothing"]).says(
        2,
        &[
            "error: none of 25 stochastic tests has a path with `nothing`",
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
    let project = project("time_budget");
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
    let project = project("library_alone");
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
    let few = [&env[..], &[("FLEX_RUNS", "50")]].concat();
    program
        .test("deterministic", &few)
        .says(0, &["50 runs in 5 processes"]);
    // `cargo flex` listens to the same variable.
    let said = project.calibrate(&["deterministic"], &[("FLEX_RUNS", "40")]);
    said.says(0, &["40 runs in 5 processes"]);
}

#[test]
fn mistakes_in_a_test_are_explained_and_odd_names_are_not_mistakes() {
    let project = project("mistakes");
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
                "error: mistakes test:findings ",
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
