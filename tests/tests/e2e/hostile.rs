//! Names that test code, bounds files and the environment give, wherever they are shown: on a terminal, in JUnit files, in
//! annotations of GitHub. None is obeyed, and none is a command. All seeds are fixed.

use flex_bounds::file::{BoundsFile, Key};
use flex_tests::Said;
use flex_tests::project::{NORMAL, Project};

const TESTS: &str = r#"
use flex_harness::prelude::*;
use hostile::{knob, normal};

#[stochastic_test]
fn named(rng: &mut TestRng) {
    let name = std::env::var("NAME").unwrap_or_default();
    assert_tail_bound!(normal(rng, knob("SHIFT")) < _, case = name);
}
"#;

/// Signs that would clear the screen, begin an annotation, end a tag, turn the text, and be a command of a shell.
const NASTY: &str = "\x1b[2J\u{9b}31m\n::error::x\r]]></failure><script/>&amp;\u{202e}\u{7}'\"`$(touch pwned)`;%0A\\";

fn project() -> Project {
    let files = [("src/lib.rs", NORMAL), ("tests/tests.rs", TESTS)];
    Project::new("hostile", "", &files)
}

/// Runs cargo as GitHub does, and asserts that what it shows is harmless.
#[track_caller]
fn cargo(project: &Project, args: &[&str], env: &[(&str, &str)]) -> Said {
    let top = project
        .path("..")
        .canonicalize()
        .expect("the folder is there");
    let github = [
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_WORKSPACE", top.to_str().expect("its name is text")),
    ];
    let said = project.cargo(args, &[&github, env].concat());
    let all = said.all();
    let is_obeyed = |c: char| c.is_control() && !matches!(c, '\n' | '\t') || c == '\u{202e}';
    assert!(!all.contains(is_obeyed), "{all:?}");
    for line in all.lines().filter(|line| line.starts_with("::")) {
        assert!(line.starts_with("::error file="), "{line}\n{said}");
    }
    for folder in ["", "tests", ".."] {
        assert!(!project.path(folder).join("pwned").exists(), "{said}");
    }
    said
}

/// The key of the only entry.
fn key(project: &Project) -> Key {
    let file: BoundsFile = project.bounds().parse().expect("flex wrote it");
    file.entries()[0].key.clone()
}

#[test]
fn cases_that_a_test_names_are_text_everywhere() {
    let project = project();
    let env = |seed, shift| [("NAME", NASTY), ("FLEX_SEED", seed), ("SHIFT", shift)];
    let calibrate = ["flex", "calibrate", "--junit", "junit.xml"];
    cargo(&project, &calibrate, &env("a", "0")).says(0, &["[2J"]);
    assert_eq!(key(&project).site.case.as_deref(), Some(NASTY));

    let failed = cargo(&project, &["test"], &env("b", "9"));
    failed.says(101, &["::error file=", "replay: ", "named"]);
    let full = [&calibrate[..], &["--full"]].concat();
    let moved = cargo(&project, &full, &env("c", "9"));
    moved.says(1, &["1 new bound waits for a review"]);
    let junit = project.read("junit.xml");
    let junit =
        roxmltree::Document::parse(&junit).unwrap_or_else(|error| panic!("{error}\n{junit}"));
    assert!(junit.descendants().all(|node| !node.has_tag_name("script")));
    cargo(&project, &["flex", "review"], &[]).says(1, &["[2J"]);
    let accept = [&full[..], &["--accept"]].concat();
    cargo(&project, &accept, &env("d", "9")).says(0, &[]);
    assert_eq!(key(&project).site.case.as_deref(), Some(NASTY));
}

#[test]
fn names_of_a_bounds_file_are_text_everywhere() {
    let project = project();
    // What is a text in JSON is one in TOML.
    let quoted = serde_json::to_string(NASTY).unwrap();
    let entry = format!(
        "[[bound]]\ntarget = {quoted}\ntest = {quoted}\nsite = {quoted}\ncase = {quoted}\nvariant = {quoted}\n\
         tail = \"upper\"\nconfidence = 0.9\nstrategy = \"refuse\"\nreason = {quoted}\nsamples = 9\nreached = \"always\"\n"
    );
    let file = format!("version = 2\n\n{entry}");
    project.write("flex-bounds.toml", &file);
    cargo(&project, &["flex", "review"], &[]);
    cargo(&project, &["flex", "budget"], &[]);
    cargo(&project, &["test"], &[("FLEX_SEED", "a")]);
    let calibrate = ["flex", "calibrate", "--junit", "junit.xml"];
    cargo(&project, &calibrate, &[("FLEX_SEED", "a")]).says(0, &[]);
    let junit = project.read("junit.xml");
    assert!(roxmltree::Document::parse(&junit).is_ok(), "{junit}");

    for wrong in [
        format!("{file}{quoted} = 1\n"),
        format!("{file}\n{entry}"),
        file.replace("\"upper\"", &quoted),
        format!("{file}calibrated = {quoted}\n"),
        format!("{file}accept = {quoted}\n"),
        format!("{file}{NASTY}"),
    ] {
        project.write("flex-bounds.toml", &wrong);
        let said = cargo(&project, &["flex", "review"], &[]);
        said.says(2, &["flex-bounds.toml:"]);
        cargo(&project, &["test"], &[]).says(101, &["flex-bounds.toml:"]);
    }
}

#[test]
fn environment_variables_are_text_everywhere() {
    let project = project();
    let calibrate = ["flex", "calibrate"];
    let said = cargo(
        &project,
        &calibrate,
        &[("FLEX_SEED", "a"), ("FLEX_VARIANT", NASTY)],
    );
    said.says(0, &[]);
    assert_eq!(key(&project).variant.as_deref(), Some(NASTY));
    // The line that repeats a run repeats it, whatever its seed is, and runs nothing else.
    let seed = "'\"$(touch pwned)`touch pwned`;\\";
    let failed = cargo(
        &project,
        &["test"],
        &[("FLEX_SEED", seed), ("SHIFT", "9"), ("FLEX_VARIANT", NASTY)],
    );
    failed.says(101, &["replay: "]);
    let line = format!("SHIFT=9 {}", failed.line("replay:"));
    project.shell(&line).says(101, &["replay: "]);
    assert!(!project.path("pwned").exists(), "{line}");
    for name in [
        "FLEX_SEED",
        "FLEX_MODE",
        "FLEX_RUNS",
        "FLEX_TIMEOUT",
        "FLEX_UNCALIBRATED",
        "FLEX_STALE",
        "FLEX_BOUNDS",
        "FLEX_LOG",
    ] {
        cargo(&project, &["test"], &[(name, NASTY)]);
        cargo(&project, &calibrate, &[(name, NASTY)]);
    }
}
