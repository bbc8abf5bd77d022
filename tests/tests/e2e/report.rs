//! `cargo flex report`: a crate is calibrated, enforced and broken, and what it showed is there to be looked at.

use flex_tests::project::{MOVES, NORMAL, Project};

const TESTS: &str = r#"
#[cfg(test)]
mod tests {
    use super::*;
    use flex_harness::{assert_tail_bound, stochastic_test};
"#;

#[test]
fn what_runs_showed_is_there_to_be_looked_at() {
    let library = format!("{NORMAL}{TESTS}{MOVES}}}\n");
    let project = Project::new("e2e-report", "", &[("src/lib.rs", library.as_str())]);
    let report = ["flex", "report", "--format", "json"];
    // All seeds are fixed.
    project
        .cargo(&["flex", "calibrate", "--seed", "a", "--runs", "60"], &[])
        .says(0, &["1 test calibrated"]);
    project.cargo(&["test"], &[("FLEX_SEED", "b")]).says(0, &[]);
    let kept = |of: &str| {
        let report = project.cargo(&report, &[]).json();
        report["suites"][0]["tests"][0]["sites"][0][of].clone()
    };
    let values = kept("series")[0]["values"].as_array().map(Vec::len);
    assert!(values >= Some(60), "{values:?}");
    // Half of all values are beyond this guard, and a replay clears them.
    let verdict = kept("verdict");
    assert!(verdict == "passed" || verdict == "cleared", "{verdict}");
    // Whoever wants nothing kept says so; earlier runs of this test may have left something.
    let known = kept("history").as_array().map(Vec::len);
    assert!(known >= Some(1));
    project
        .cargo(&["test"], &[("FLEX_SEED", "c"), ("FLEX_KEEP", "0")])
        .says(0, &[]);
    assert_eq!(kept("history").as_array().map(Vec::len), known);
    project
        .cargo(&["test"], &[("FLEX_KEEP", "no")])
        .says(101, &["FLEX_KEEP=no is not one of 1, 0"]);

    let page = project.path("report.html");
    let out = page.to_str().expect("a path of ours is text");
    project
        .cargo(&["flex", "report", "--out", out], &[])
        .says(0, &["report.html: 1 test"]);
    let html = project.read("report.html");
    assert!(html.starts_with("<!doctype html>") && html.contains("default-src 'none'"));

    #[cfg(target_os = "linux")]
    shows_it_in_a_browser(&project, out);

    // A race is lost, the verdict is kept with its walk, and the failure names the page.
    project.cargo(&["flex", "report"], &[]).says(0, &["wrote"]);
    let red = project.cargo(&["test"], &[("FLEX_SEED", "d"), ("SHIFT", "3")]);
    red.says(
        101,
        &[
            "regression",
            "report.html, which `cargo flex report` makes anew",
        ],
    );
    assert_eq!(kept("verdict"), "failed");
    let race = kept("race");
    let sums = race["sums"].as_array().expect("sums are a list");
    let last = sums.last().and_then(serde_json::Value::as_i64);
    assert!(last >= race["fail"].as_i64() && last.is_some(), "{race}");
    let markdown = project.cargo(&["flex", "report", "--format", "markdown"], &[]);
    markdown.says(
        0,
        &[
            "**1 failing**",
            "| failed | `tests::moves` |",
            "FLEX_SEED=d",
        ],
    );
}

/// What the desktop would open is a program of ours, which says what it was given.
#[cfg(target_os = "linux")]
fn shows_it_in_a_browser(project: &Project, out: &str) {
    use std::os::unix::fs::PermissionsExt as _;

    let browsers = project.path("browsers");
    let (program, given) = (browsers.join("xdg-open"), browsers.join("given"));
    let write = |exit: u8| {
        let script = format!(
            "#!/bin/sh\necho \"$@\" > '{}'\nexit {exit}\n",
            given.display()
        );
        project.write("browsers/xdg-open", &script);
        let runs = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&program, runs).expect("it is ours");
    };
    let line = format!(
        "PATH='{}':\"$PATH\" cargo flex report --open --out '{out}'",
        browsers.display()
    );
    let open = || project.shell(&line);
    write(0);
    let said = open();
    said.says(0, &["report.html: 1 test"]);
    assert!(!said.to_string().contains("in a browser"), "{said}");
    assert_eq!(project.read("browsers/given").trim(), out);
    write(3);
    open().says(
        0,
        &["warning: xdg-open does not show it; open", "in a browser"],
    );
}
