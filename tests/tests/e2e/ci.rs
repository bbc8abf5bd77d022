//! What CI shows of flex: a file for its server, annotations beside the source; and what somebody decides afterwards.
//! All seeds are fixed.

use flex_tests::project::{MOVES, NORMAL, Project};

const IMPORTS: &str = "
use flex_harness::prelude::*;
use shown::{knob, normal};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
";

const TESTS: &str = r#"
#[stochastic_test]
fn panics(rng: &mut TestRng) {
    let error = normal(rng, 0.0);
    assert_tail_bound!(error < _);
    assert!(error < 9.0 - knob("SHIFT"), "too large & \"far\" <beyond>");
}

#[stochastic_test]
fn shares(rng: &mut TestRng) {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let error = normal(rng, f64::from(RUNS.fetch_add(1, Relaxed)));
    assert_tail_bound!(error < _);
}
"#;

fn project() -> Project {
    let tests = format!("{IMPORTS}{MOVES}{TESTS}");
    let files = [("src/lib.rs", NORMAL), ("tests/tests.rs", &tests)];
    Project::new("shown", "", &files)
}

#[test]
fn a_file_for_ci_says_what_came_of_each_test() {
    let project = project();
    let env = |seed, shift| [("FLEX_SEED", seed), ("SHIFT", shift)];
    let calibrate = [
        "flex",
        "calibrate",
        "--junit",
        "junit.xml",
        "moves",
        "panics",
    ];
    project.cargo(&calibrate, &env("a", "0")).says(0, &[]);
    let read = || {
        let text = project.read("junit.xml");
        roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        text
    };
    let fine = read();
    let fine = roxmltree::Document::parse(&fine).unwrap();
    let suite = fine
        .descendants()
        .find(|n| n.has_tag_name("testsuite"))
        .unwrap();
    assert_eq!(suite.attribute("name"), Some("shown test:tests"));
    assert_eq!(suite.attribute("tests"), Some("2"));
    assert_eq!(suite.attribute("failures"), Some("0"));
    let names: Vec<_> = suite
        .children()
        .filter_map(|n| n.attribute("name"))
        .collect();
    assert_eq!(names, ["moves", "panics"]);

    let full = [&calibrate[..], &["--full"]].concat();
    project
        .cargo(&full, &env("b", "8"))
        .says(1, &["1 new bound waits for a review"]);
    let bad = read();
    let bad = roxmltree::Document::parse(&bad).unwrap();
    let failures: Vec<_> = bad
        .descendants()
        .filter(|n| n.has_tag_name("failure"))
        .collect();
    let kinds: Vec<_> = failures
        .iter()
        .filter_map(|n| n.attribute("type"))
        .collect();
    assert_eq!(kinds, ["waits for a review", "failed by itself"]);
    assert!(
        failures[0]
            .text()
            .unwrap()
            .contains("the distribution moved")
    );
    assert!(
        failures[1]
            .text()
            .unwrap()
            .contains("too large & \"far\" <beyond>")
    );

    let check = [&full[..], &["--check"]].concat();
    project
        .cargo(&check, &env("c", "8"))
        .says(1, &["2 findings"]);
    let checked = read();
    assert!(checked.contains("type=\"contradiction\""), "{checked}");
    let said = project.cargo(
        &["flex", "calibrate", "--junit", "no/such/folder.xml"],
        &env("d", "0"),
    );
    said.says(2, &["cannot write no/such/folder.xml", "--junit"]);
}

#[test]
fn github_shows_findings_beside_the_source() {
    let project = project();
    let top = project.path("..");
    let top = top.canonicalize().unwrap();
    let github = |seed, shift| {
        vec![
            ("FLEX_SEED", seed),
            ("SHIFT", shift),
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_WORKSPACE", top.to_str().unwrap()),
        ]
    };
    let said = project.cargo(&["flex", "calibrate", "moves"], &github("a", "0"));
    assert!(!said.all().contains("::error"), "{said}");
    let said = project.cargo(&["flex", "calibrate", "moves"], &github("b", "4"));
    let annotation =
        "::error file=shown/tests/tests.rs,line=6,title=flex%3A moves%3A waits for a review::";
    said.says(1, &[annotation]);

    let said = project.cargo(&["test", "--test", "tests", "moves"], &github("c", "4"));
    let annotation = "\n::error file=shown/tests/tests.rs,line=9,title=flex%3A moves::flex: moves: regression%0A";
    said.says(101, &[annotation]);
    // The whole report, in one line.
    assert!(
        said.line("::error").contains("replay: FLEX_SEED=c"),
        "{said}"
    );
    let said = project.cargo(
        &["test", "--test", "tests", "moves"],
        &[("FLEX_SEED", "c"), ("SHIFT", "4")],
    );
    assert!(!said.all().contains("::error"), "{said}");
}

#[test]
fn a_terminal_can_decide_that_a_refused_site_is_not_enforced() {
    let project = project();
    let env = [("FLEX_SEED", "a")];
    project
        .cargo(&["flex", "calibrate", "shares"], &env)
        .says(4, &["1 refused"]);
    let program = project.program(&["--test", "tests"]);
    program.test("shares", &env).says(101, &["refused"]);
    let said = project.cargo(&["flex", "review"], &[]);
    said.says(
        1,
        &[
            "0 bounds wait for a review, 1 site is refused",
            "`cargo flex review unenforced NAME` marks a refused site as unenforced",
        ],
    );
    let listed = project.cargo(&["flex", "review", "--json"], &[]).json();
    assert_eq!(listed[0]["pending"], false);
    project
        .cargo(&["flex", "review", "accept", "--all"], &[])
        .says(0, &["0 bounds accepted"]);
    program.test("shares", &env).says(101, &["refused"]);

    let said = project.at_a_terminal("cargo flex review", "what?\na\nu\n");
    said.says(0, &["refused: ", "[s]kip or mark as [u]nenforced?"]);
    assert!(
        project.bounds().contains("accept = \"unenforced\""),
        "{}",
        project.bounds()
    );
    program.test("shares", &env).says(0, &[]);
    project
        .cargo(&["flex", "review"], &[])
        .says(0, &["0 bounds wait"]);
}

#[test]
fn a_terminal_shows_old_beside_new_and_asks() {
    let project = project();
    let env = |seed, shift| [("FLEX_SEED", seed), ("SHIFT", shift)];
    let calibrate = ["flex", "calibrate", "moves"];
    project.cargo(&calibrate, &env("a", "0")).says(0, &[]);
    let known = project.bounds();
    project.cargo(&calibrate, &env("b", "3")).says(1, &[]);
    let shown = [
        "old  guard",
        "new  guard",
        "values old",
        "moved       the median by",
        "times as wide",
        "power  old  92%, 99.9%, 99.9% of runs caught, if moved by 1, 2, 3 sd",
        "[a]ccept, [r]eject, [s]kip or mark as [u]nenforced?",
    ];
    let review = project.at_a_terminal("cargo flex review", "s\n");
    review.says(0, &shown);
    pictures_beside_each_other(&review.fits().out);
    assert_eq!(project.bounds(), known);
    assert!(project.path("flex-bounds.pending.toml").exists());
    project
        .at_a_terminal("cargo flex review", "a\n")
        .says(0, &shown);
    assert_ne!(project.bounds(), known);
    assert!(!project.path("flex-bounds.pending.toml").exists());
    project
        .at_a_terminal("cargo flex review", "")
        .says(0, &["nothing waits for a review"]);
}

/// Both distributions are drawn over the same values, the old one at the left; what has moved up has its bulk further right.
#[track_caller]
fn pictures_beside_each_other(out: &str) {
    let line = |beginning: &str, sign: char| -> String {
        let is_it = |line: &&str| line.trim_start().starts_with(beginning) && line.contains(sign);
        let line = out.lines().find(is_it);
        line.unwrap_or_else(|| panic!("no line of {beginning}{sign}:\n{out}"))
            .to_owned()
    };
    let drawn = line("old ", '▁');
    let (old, new) = drawn.split_once("new ").expect("the new one is beside it");
    let old = old.trim_start().trim_start_matches("old ");
    let bulk = |picture: &str| -> f64 {
        let heights = picture
            .chars()
            .enumerate()
            .filter(|(_, sign)| ('▁'..='█').contains(sign));
        let heights =
            heights.map(|(at, sign)| (at as f64, f64::from(sign as u32 - '▁' as u32 + 1)));
        let (sum, all) = heights.fold((0.0, 0.0), |(sum, all), (at, height)| {
            (sum + at * height, all + height)
        });
        sum / all
    };
    assert!(bulk(old) + 4.0 < bulk(new), "{out}");
    let below = out.lines().skip_while(|line| **line != drawn).nth(1);
    let ends: Vec<&str> = below.unwrap_or_default().split_whitespace().collect();
    assert!(ends.len() == 4 && ends[..2] == ends[2..], "{out}");
}
