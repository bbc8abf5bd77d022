//! `gate`, `gate check` and `check` on a real package.

use flex_tests::project::Project;

use super::git;

const LIB: &str = "
/// Draws from what the operating system gives.
pub fn draw() -> f64 {
    rand::random::<f64>()
}

pub fn steady() -> u32 {
    1
}
";

const TESTS: &str = r#"
use gate_check::{draw, steady};

#[test]
fn old() {
    assert!(draw() < 0.7);
}

#[test]
fn fresh() {
    assert!(draw() < 2.0);
}

#[test]
fn quiet() {
    assert_eq!(steady(), 1);
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
    let files = [("src/lib.rs", LIB), ("tests/all.rs", TESTS)];
    let project = Project::new("gate-check", "", &files);
    let _ = std::fs::remove_dir_all(project.path(".git"));
    // Cargo writes the lock file that the project has from then on.
    project.cargo(&["test", "--no-run"], &[]).says(0, &[]);
    for words in [
        &["init", "-q", "-b", "main"][..],
        &["add", "-A"],
        &["commit", "-q", "-m", "begin"],
    ] {
        git(&project, words);
    }
    let flex = |args: &[&str]| project.cargo(&[&["flex"], args].concat(), &[]);
    // Nothing changed, nothing is run.
    flex(&["gate"]).says(0, &["0 tests checked"]);
    project.replace(
        "src/lib.rs",
        "rand::random::<f64>()",
        "1.0 * rand::random::<f64>()",
    );
    project.replace("tests/all.rs", "draw() < 2.0", "draw() < 0.7");
    let summary = project.path("summary.md").display().to_string();
    let said = flex(&["gate", "-n", "60", "-s", "a", "--summary", &summary]);
    // That none of 60 runs fails happens once in 10^9; the other test failed before, too.
    said.says(
        1,
        &[
            "1 newly flaky",
            "was flaky before too",
            "before, none of 60",
            "seed: a@detect:",
        ],
    );
    assert!(!said.out.contains("quiet"), "{said}");
    assert!(project.read("summary.md").contains("**flaky**"), "{said}");
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
