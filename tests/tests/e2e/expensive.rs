//! Runs that are expensive or leave this machine: those that tell nothing are not counted, several are under way at once,
//! an interrupted test goes on where it was, and there is an end to it.
//!
//! All seeds are fixed.

use flex_tests::Said;
use flex_tests::project::{NORMAL, Project, TestProgram};

const TESTS: &str = r#"
use expensive::{knob, normal};
use flex_harness::prelude::*;

/// Asks a service that is down in one run of six, and always if `DOWN` says so.
fn solves(rng: &mut TestRng) -> bool {
    let solves = normal(rng, 2.0) > 0.0;
    if normal(rng, 1.0 - knob("DOWN")) < 0.0 {
        inconclusive!("no route to {}", "host");
    }
    solves
}

#[stochastic_test]
fn rate(rng: &mut TestRng) {
    assert_rate!(solves(rng) > 0.8, margin = 0.1);
}

#[stochastic_test]
fn thread(rng: &mut TestRng) {
    let (scope, mut rng) = (flex_harness::scope(), rng.fork());
    let solved = std::thread::spawn(move || scope.enter(|| solves(&mut rng))).join();
    assert_rate!(solved.unwrap() > 0.8, margin = 0.1);
}

#[stochastic_test]
fn learned(rng: &mut TestRng) {
    let _ = solves(rng);
    assert_tail_bound!(normal(rng, 0.0) < _, name = "x");
}

#[test]
fn plain() {
    inconclusive!("outside");
}

/// Says how many runs this process made, and whether two of them overlapped.
fn slow(rng: &mut TestRng) -> f64 {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    static NOW: AtomicUsize = AtomicUsize::new(0);
    static MADE: AtomicUsize = AtomicUsize::new(0);
    let now = NOW.fetch_add(1, SeqCst) + 1;
    let made = MADE.fetch_add(1, SeqCst) + 1;
    std::thread::sleep(std::time::Duration::from_millis(4));
    NOW.fetch_sub(1, SeqCst);
    let line = format!("{made} {now}\n");
    if let Ok(path) = std::env::var("LOG") {
        use std::io::Write;
        let mut log = std::fs::File::options().create(true).append(true).open(path).unwrap();
        log.write_all(line.as_bytes()).unwrap();
    }
    if made as f64 == knob("DIE") {
        std::process::exit(7);
    }
    (0.1 + knob("SHIFT") + 0.03 * normal(rng, 0.0)).clamp(0.0, 1.0)
}

#[stochastic_test]
fn mean(rng: &mut TestRng) {
    assert_mean!(slow(rng) < 0.11, domain = 0.0..=1.0);
}

#[stochastic_test(keep_runs = true)]
fn kept(rng: &mut TestRng) {
    assert_mean!(slow(rng) < 0.11, domain = 0.0..=1.0);
}

#[stochastic_test(time_limit = 0.1)]
fn limited(rng: &mut TestRng) {
    assert_mean!(slow(rng) < 0.1, domain = 0.0..=1.0, margin = 1e-5);
}

#[stochastic_test(time_limit = 0.1)]
fn limited_fails(rng: &mut TestRng) {
    assert_mean!(slow(rng) < 0.1, domain = 0.0..=1.0, margin = 1e-5, undecided = fail);
}
"#;

fn project() -> Project {
    Project::new(
        "expensive",
        "",
        &[("src/lib.rs", NORMAL), ("tests/runs.rs", TESTS)],
    )
}

fn run(program: &TestProgram<'_>, test: &str, env: &[(&str, &str)]) -> Said {
    program.test(test, &[&[("FLEX_SEED", "s1")], env].concat())
}

fn in_one_line(said: &Said) -> String {
    let words = said.all();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn runs_that_tell_nothing_are_not_counted() {
    let project = project();
    let program = project.program(&["--test", "runs"]);
    let noted = " runs were inconclusive and do not count: no route to host (";
    for test in ["rate", "thread"] {
        let said = run(&program, test, &[("FLEX_LOG", "1")]);
        let words = said.all();
        assert!(said.code == 0 && words.contains(noted), "{words}");
        assert!(words.contains(": fine after "), "{words}");
        // They do not count, and are not silent: whatever the mode, nothing is decided by none.
        for mode in ["enforce", "off"] {
            let said = run(&program, test, &[("DOWN", "9"), ("FLEX_MODE", mode)]);
            let words = said.all();
            assert!(said.code != 0, "{words}");
            assert!(words.contains(": could not be decided"), "{words}");
            assert!(words.contains("10 of 10 runs were"), "{words}");
        }
    }
    let said = run(&program, "plain", &[]);
    assert!(said.code != 0 && said.all().contains("inconclusive: outside"));
    let said = run(
        &program,
        "rate",
        &[("DOWN", "9"), ("FLEX_SEED", "s1@enforce:4")],
    );
    let words = said.all();
    assert!(
        words.contains("error: the run is inconclusive: no route to host"),
        "{words}"
    );
}

#[test]
fn bounds_are_learned_from_the_other_runs() {
    let project = project();
    let said = project.calibrate(&["learned"], &[]);
    let words = in_one_line(&said);
    assert!(said.code == 0, "{words}");
    assert!(words.contains(" inconclusive: "), "{words}");
    assert!(words.contains("no route to host ("), "{words}");
    let program = project.program(&["--test", "runs"]);
    let said = run(&program, "learned", &[]);
    assert!(said.code == 0, "{}", said.all());
    let said = project.cargo(&["flex", "detect", "--seed", "s1", "learned"], &[]);
    let words = in_one_line(&said);
    assert!(
        said.code == 0 && words.contains("runs were inconclusive and do not count"),
        "{words}"
    );
}

/// The verdict, without the last line, which says how long it took.
fn verdict(said: &Said) -> String {
    let words = said.all();
    let before = words.split_once("test result");
    before.map_or(words.clone(), |(before, _)| before.to_owned())
}

/// What runs said of themselves: how many were made, and how many were under way at once.
fn logged(project: &Project) -> (usize, usize) {
    let log = project.read("log");
    std::fs::remove_file(project.path("log")).expect("it was read");
    let most = log
        .lines()
        .filter_map(|line| line.split(' ').next_back()?.parse().ok());
    (log.lines().count(), most.max().unwrap_or(0))
}

#[test]
fn runs_that_overlap_give_the_verdict_of_one_after_the_other() {
    let project = project();
    let program = project.program(&["--test", "runs"]);
    let log = project.path("log").display().to_string();
    for shift in ["0", "0.05"] {
        let run = || {
            run(
                &program,
                "mean",
                &[("SHIFT", shift), ("LOG", &log), ("FLEX_LOG", "1")],
            )
        };
        project.write("flex.toml", "");
        let alone = run();
        let (made, most) = logged(&project);
        assert_eq!(most, 1);
        for flex_toml in [
            "runs-in-parallel = 4",
            "overlap = true\nruns-in-parallel = 3",
        ] {
            project.write("flex.toml", flex_toml);
            let together = run();
            let (now, most) = logged(&project);
            assert!(most > 1, "runs overlap");
            assert!((made..made + 4).contains(&now), "{made} {now}");
            assert_eq!(verdict(&together), verdict(&alone));
        }
    }
}

#[test]
fn an_interrupted_test_goes_on_where_it_was() {
    let project = project();
    let program = project.program(&["--test", "runs"]);
    let log = project.path("log").display().to_string();
    let whole = program.test(
        "kept",
        &[("LOG", &log), ("FLEX_SEED", "s1"), ("FLEX_LOG", "1")],
    );
    assert_eq!(whole.code, 0, "{}", whole.all());
    let (all, _) = logged(&project);
    let died = program.test("kept", &[("LOG", &log), ("FLEX_SEED", "s1"), ("DIE", "9")]);
    assert_eq!(died.code, 7, "{}", died.all());
    assert_eq!(logged(&project).0, 9);
    // Of the seed, the runs before the last are there; nobody has to state it again.
    let on = program.test("kept", &[("LOG", &log), ("FLEX_LOG", "1")]);
    let words = on.all();
    assert!(
        words.contains("note: kept: goes on after 8 runs under seed s1"),
        "{words}"
    );
    assert_eq!(logged(&project).0, all - 8);
    let of = |words: String| {
        words
            .lines()
            .find(|line| line.contains("fine after"))
            .map(str::to_owned)
    };
    assert_eq!(of(words), of(whole.all()));
    // The verdict is there, so that nothing is left; nor is anything used under another seed.
    let again = program.test("kept", &[("LOG", &log), ("FLEX_SEED", "s1"), ("DIE", "9")]);
    assert_eq!(again.code, 7, "{}", again.all());
    logged(&project);
    let other = program.test("kept", &[("LOG", &log), ("FLEX_SEED", "s2")]);
    assert!(
        other.code == 0 && !other.all().contains("goes on"),
        "{}",
        other.all()
    );
    assert!(logged(&project).0 > 9);
}

#[test]
fn there_is_an_end_to_it() {
    let project = project();
    let program = project.program(&["--test", "runs"]);
    let late = "the time limit of 100 ms was up";
    let said = run(&program, "limited", &[]);
    let words = said.all();
    assert!(said.code == 0 && words.contains(late), "{words}");
    assert!(words.contains(": undecided after "), "{words}");
    let said = run(&program, "limited_fails", &[]);
    let words = said.all();
    assert!(said.code != 0 && words.contains(late), "{words}");
}
