//! `gate`, `gate check` and `check` on a real package.

use flex_tests::project::Project;

use super::{DRAWS, TESTS_OF_DRAWS};

/// What the tests have beside those of all.
const TESTS: &str = r#"
use gate_check::{draw, shifted};

#[test]
fn quiet() {
    assert_eq!(gate_check::steady(), 1);
}

#[test]
fn hangs_with_a_knob() {
    if std::env::var_os("HANG").is_some() {
        std::thread::sleep(std::time::Duration::from_secs(600));
    }
}
"#;

#[test]
fn new_flakiness_blocks_and_old_is_named() {
    let library = format!("{DRAWS}\npub fn steady() -> u32 {{\n    1\n}}\n");
    let tests = [TESTS_OF_DRAWS, TESTS].concat();
    let files = [
        ("src/lib.rs", library.as_str()),
        ("tests/all.rs", tests.as_str()),
    ];
    let project = Project::new("gate-check", "", &files);
    // Cargo writes the lock file that the project has from then on.
    project.cargo(&["test", "--no-run"], &[]).says(0, &[]);
    project.begin_history();
    let flex = |args: &[&str]| project.cargo(&[&["flex"], args].concat(), &[]);
    // Nothing changed, nothing is run.
    flex(&["gate"]).says(0, &["0 tests checked"]);
    project.replace(
        "src/lib.rs",
        "rand::random::<f64>()",
        "1.0 * rand::random::<f64>()",
    );
    project.replace("tests/all.rs", "draw() < 2.0", "draw() < 0.7");
    project.replace("src/lib.rs", "    u\n", "    u + 0.5\n");
    let file = |name: &str| project.path(name).display().to_string();
    let (summary, junit) = (file("summary.md"), file("gate.xml"));
    let args = [
        "flex",
        "gate",
        "-n",
        "60",
        "-s",
        "a",
        "--compare",
        "--summary",
        &summary,
        "--junit",
        &junit,
    ];
    let top = file("");
    let server = [("GITHUB_ACTIONS", "true"), ("GITHUB_WORKSPACE", &*top)];
    let said = project.cargo(&args, &server);
    // That none of 60 runs fails happens once in 10^9; the other test failed before, too.
    said.says(
        1,
        &[
            "1 newly flaky",
            "was flaky before too",
            "before, none of 60",
            "seed: a@detect:",
            "different, worse",
            "::error file=tests/all.rs,line=16,title=gate-check test%3Aall fresh%3A flaky::",
        ],
    )
    .fits();
    assert!(!said.out.contains("quiet"), "{said}");
    // What the trials showed is there to be looked at, beside the comparison.
    let report = flex(&["report", "--format", "json"]).json();
    let mut tests = report["suites"][0]["tests"]
        .as_array()
        .into_iter()
        .flatten();
    let fresh = tests.find(|test| test["name"] == "fresh");
    let seen = &fresh.expect("its trials were kept")["sites"][0];
    assert_eq!(seen["verdict"], "flaky", "{seen}");
    let written = project.read("summary.md");
    assert!(
        written.contains("**flaky**") && written.contains("worse"),
        "{written}"
    );
    let xml = project.read("gate.xml");
    let xml = roxmltree::Document::parse(&xml).expect("it is XML");
    let failed = xml
        .descendants()
        .filter(|node| node.has_tag_name("failure"));
    let types: Vec<_> = failed.filter_map(|node| node.attribute("type")).collect();
    assert_eq!(types, ["flaky"], "{said}");
    project.git(&["commit", "-q", "-a", "-m", "changed"]);
    as_gitlab_runs_it(&project);
    // Named, and by its exit code.
    flex(&["check", "quiet", "-n", "5"]).says(0, &["at 95%"]);
    flex(&["check", "old", "-n", "60", "--json"]).says(1, &["\"blocks\":true"]);
    flex(&["check", "no_such_test"]).says(2, &["there is no test"]);
    // A run that hangs is a failure, within its limit.
    let args = [
        "flex",
        "check",
        "hangs_with_a_knob",
        "-n",
        "3",
        "--timeout",
        "1s",
    ];
    let began = std::time::Instant::now();
    let said = project.cargo(&args, &[("HANG", "1")]);
    said.says(1, &["hangs: it had not ended after 1"]);
    assert!(began.elapsed().as_secs() < 60, "it was ended long ago");
    // Nor does a time bank hide it.
    let args = [&args[..], &["--time-bank", "8s"]].concat();
    let said = project.cargo(&args, &[("HANG", "1")]);
    said.says(1, &["hangs: it had not ended after 1"]);
    let _ = std::fs::remove_dir_all(project.path(".git"));
}

/// Runs the commands of the guide's workflow for GitLab on a merge request; other tests hold its form.
fn as_gitlab_runs_it(project: &Project) {
    let guide = include_str!("../../../../docs/guide/gate.md");
    let script = guide.split("  script:\n").nth(1).expect("it has a script");
    let lines = script.lines().map_while(|line| line.strip_prefix("    - "));
    let lines: Vec<&str> = lines.collect();
    assert_eq!(lines.len(), 2, "{script}");
    let origin = project.path("target-of-merge.git");
    let _ = std::fs::remove_dir_all(&origin);
    project.git(&["clone", "-q", "--bare", ".", "target-of-merge.git"]);
    project.git(&["remote", "add", "origin", "target-of-merge.git"]);
    project.git(&["checkout", "-q", "-b", "work"]);
    project.git(&["branch", "-q", "-D", "main"]);
    project.replace("src/lib.rs", "    1\n", "    2 - 1\n");
    let _ = std::fs::remove_file(project.path("gate.xml"));
    let command = format!(
        "export CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main\n{}",
        lines.join("\n")
    );
    let said = project.shell(&command);
    said.says(0, &["1 test checked", "459 runs, < 0.65% at 95%"]);
    assert!(project.read("gate.xml").contains("quiet"), "{said}");
    let _ = std::fs::remove_dir_all(origin);
}
