//! What `cargo flex calibrate` leaves for `fix` and the gate: a record for each workspace, also where several share a target
//! folder.

use std::fs;
use std::path::PathBuf;

use flex_tests::project::{NORMAL, Project};
use serde_json::Value;

#[test]
fn calibration_leaves_what_declared_sites_showed() {
    let project = Project::new(
        "left",
        "",
        &[
            ("src/lib.rs", NORMAL),
            (
                "tests/both.rs",
                "use flex_harness::prelude::*;\n\n#[stochastic_test]\nfn both(rng: &mut TestRng) {\n    let error = left::normal(rng, 0.0);\n    assert_tail_bound!(error < _);\n    assert_tail_bound!(error < 1.0);\n}\n\n#[stochastic_test]\nfn learned(rng: &mut TestRng) {\n    assert_tail_bound!(left::normal(rng, 0.0) < _);\n}\n",
            ),
        ],
    );
    let of_all = project.path("../../e2e/flex");
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("left-")
    };
    let ours = || -> Vec<PathBuf> {
        let entries = fs::read_dir(&of_all).into_iter().flatten();
        entries
            .map(|entry| entry.unwrap().path())
            .filter(is_ours)
            .collect()
    };
    // What an earlier run left there.
    ours()
        .iter()
        .for_each(|folder| fs::remove_dir_all(folder).unwrap());
    let calibrate = ["flex", "calibrate", "--seed", "fixed"];
    project.cargo(&calibrate, &[]).says(0, &[]);
    let [folder] = &ours()[..] else {
        panic!("{:?}", ours())
    };
    let file = folder.join("detect.json");
    let record = || -> Value {
        let text = fs::read_to_string(&file).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let first = record();
    assert_eq!(first["tests"].as_array().unwrap().len(), 1);
    let test = &first["tests"][0];
    assert_eq!(
        (test["name"].as_str(), test["seeds"].as_str()),
        (Some("both"), Some("fixed@calibrate"))
    );
    let site = &test["sites"][0];
    assert_eq!(
        (site["line"].as_u64(), site["series"][0]["bound"].as_f64()),
        (Some(7), Some(1.0))
    );
    assert_eq!(site["series"][0]["values"].as_array().unwrap().len(), 100);
    let failing = &site["failed"][0];
    assert_eq!(
        (&test["replay"]["by"], &test["replay"]["target"]),
        (&"cargo".into(), &"both".into()),
        "facts, and no command"
    );
    let command =
        format!("FLEX_SEED=fixed@calibrate:{failing} cargo test --test both -- --exact both");
    let mut shell = project.command("sh", &[]);
    flex_tests::run(shell.args(["-c", &command]), "").says(101, &["1 failed"]);

    what_failed_is_selected(&project);

    // A search of another test keeps it; a record that cannot be read is no reason to learn nothing.
    let detect = [
        "flex",
        "detect",
        "--seed",
        "fixed",
        "--max-runs",
        "30",
        "learned",
    ];
    project
        .cargo(&detect, &[])
        .says(0, &["wrote ", "/flex/left-", "/detect.json"]);
    assert_eq!(record()["tests"].as_array().unwrap().len(), 2);
    fs::write(&file, "[]").unwrap();
    let anew = ["flex", "calibrate", "--seed", "fixed", "--full"];
    project.cargo(&anew, &[]).says(
        0,
        &[
            "warning: ",
            "detect.json: not a record of flex",
            "hint: delete the file",
        ],
    );
    fs::remove_file(&file).unwrap();
}

/// Nothing changed, so that nothing else is selected.
fn what_failed_is_selected(project: &Project) {
    let script = "rm -rf .git && git init -q -b main && git add -A && git -c user.name=tests -c user.email=tests@localhost \
                  -c commit.gpgsign=false commit -q -m begin";
    let mut shell = project.command("sh", &[]);
    flex_tests::run(shell.args(["-c", script]), "").says(0, &[]);
    let select = ["flex", "gate", "select", "--last-failed"];
    let words = ["1 of 2 tests selected", "failed when it was run last"];
    project.cargo(&select, &[]).says(0, &words);
    let _ = fs::remove_dir_all(project.path(".git"));
}
