//! Tests behind features: commands name them, and their entries are not taken for stale.

use flex_tests::project::{MOVES, NORMAL, Project};

#[test]
fn features_are_in_replays_and_hints_and_what_they_hide_is_not_gone() {
    let tests = format!(
        "use flex_harness::prelude::*;\nuse gates::{{knob, normal}};\n{}\n#[cfg(feature = \"slow\")]{MOVES}",
        MOVES.replace("moves", "stays").replace("SHIFT", "OTHER")
    );
    let manifest = "[features]\ndefault = [\"std\"]\nstd = []\nslow = []\n";
    let files = [("src/lib.rs", NORMAL), ("tests/moves.rs", tests.as_str())];
    let project = Project::new("gates", manifest, &files);
    let built = ["--features", "slow"];
    project
        .calibrate(&built, &[])
        .says(0, &["2 tests calibrated"]);
    let replay = "cargo test -p gates --features slow --test moves -- --exact moves";
    let hint = "cargo flex calibrate -p gates --features slow --test moves --exact moves";
    project
        .cargo(&[&["test"], &built[..]].concat(), &[("SHIFT", "9")])
        .says(101, &[replay, hint]);

    // Without the feature, the test is not built; nobody calls it gone.
    let said = project.calibrate(&["--check"], &[]);
    said.says(
        0,
        &[
            "note: test `moves` in `test:moves` was not built",
            "0 findings",
        ],
    );
    let said = project.calibrate(&["--prune"], &[]);
    assert!(!said.all().contains("pruned"), "{said}");
    assert_eq!(project.entries("moves").len(), 1);

    // What is gone is pruned, and only if it is named.
    project.replace("tests/moves.rs", "fn moves(", "fn moved(");
    let prune = |name: &str| project.calibrate(&["--prune", "--exact", name], &[]);
    let said = prune("stays");
    assert!(!said.all().contains("pruned"), "{said}");
    prune("moves").says(0, &["pruned: "]);
    assert_eq!(project.entries("moves").len(), 0);
}
