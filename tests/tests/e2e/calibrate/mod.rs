//! What `cargo flex calibrate` finds out about tests.

mod endings;
mod not_finite;
mod options;
mod package;

use flex_tests::Said;
use package::project;

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
    let project = project();
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
            "guard 0.47",
            "extra runs: 1.09 a run (",
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
    for test in [
        "draws_by_itself",
        "depends_on_hash_order",
        "depends_on_the_schedule",
    ] {
        let part = about(
            test,
            &[
                "uncontrolled randomness: under the same seed (run ",
                "time or threads do that",
            ],
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
            "cases [2]",
            "cases [10]",
            "helper: x<_",
            "loop",
            "thread",
            "x+0.5<_",
        ],
    );
    // Cases are in the order of numbers, in whatever order they were hit.
    let places = part_of(&said, "in_many_places");
    assert!(places.find("cases [2]") < places.find("cases [10]"));
    about(
        "has_thirty_sites",
        &[
            "bias guard lower ",
            "guard upper ",
            "30 sites share the test's false alarms and extra runs: split it",
            "`cargo flex plan calibrate --sites 30`",
        ],
    );
    about(
        "hits_on_another_thread",
        &["such as: flex: no stochastic test runs on this thread; call `flex_harness::scope()`"],
    );
    about(
        "gives_nan",
        &[
            "refused: 4 of 100 values are NaN or infinite, which is often a bug; look at runs ",
            "hint: if the values are as they should be, --accept learns a bound",
        ],
    );
    // A second cluster is one only on strong evidence, and every run that is named can be looked at.
    about(
        "has_a_second_mode",
        &["refused: 5 of 100 values form a second cluster, 52 to 52.63, far from the rest"],
    );
    let replays = part_of(&said, "has_a_second_mode").matches("replay: FLEX_SEED=fixed@calibrate:");
    assert_eq!(replays.count(), 5);
    assert!(part_of(&said, "is_uniform").contains("guard"), "{said}");
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

    let few = project.calibrate(&["--runs", "5", "--full", "is_uniform"], &[]);
    assert!(
        few.out.contains("5 runs were asked for to begin with"),
        "{few}"
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
