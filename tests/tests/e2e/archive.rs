//! What `cargo nextest archive` packed makes shards where it is unpacked, and nothing is built there. All seeds are fixed.

use flex_tests::project::{MOVES, NORMAL, Project};

#[test]
fn an_archive_of_nextest_makes_shards_without_cargo() {
    let heading = "use archive::{knob, normal};\nuse flex_harness::prelude::*;\n";
    let tests = format!("{heading}{MOVES}");
    let files = [("src/lib.rs", NORMAL), ("tests/tests.rs", tests.as_str())];
    let project = Project::new("archive", "", &files);
    if project.cargo(&["nextest", "--version"], &[]).code != 0 {
        println!("SKIPPED: cargo-nextest is not installed, so no archive was tested");
        return;
    }
    project.calibrate(&[], &[]).says(0, &[]);
    let one_machine = project.undated_bounds();
    project.forget();

    let elsewhere = tempfile::tempdir().expect("temporary folders can be made");
    let path = |name: &str| elsewhere.path().join(name).display().to_string();
    let archive = ["--archive-file", &path("tests.tar.zst")];
    project
        .cargo(&[&["nextest", "archive"][..], &archive].concat(), &[])
        .says(0, &[]);
    std::fs::create_dir(path("unpacked")).expect("it can be written to");
    let unpacks = [
        "--extract-to",
        &path("unpacked"),
        "--list-type",
        "binaries-only",
    ];
    project
        .cargo(
            &[&["nextest", "list"][..], &archive, &unpacks].concat(),
            &[],
        )
        .says(0, &[]);

    // Neither cargo nor a compiler is there.
    let list = path("unpacked/target/nextest/binaries-metadata.json");
    let flex = |args: &[&str]| {
        let nothing = [("CARGO", "/no/cargo"), ("RUSTC", "/no/rustc")];
        let mut command = project.command("flex-harness", &nothing);
        command.args(["calibrate", "--programs", &list]).args(args);
        flex_tests::run(&mut command, "")
    };
    let parts = path("parts");
    for number in ["1/2", "2/2"] {
        let made = flex(&["--shard", number, "--out", &parts, "--seed", "fixed"]);
        made.says(0, &[&format!("shard {number}: "), "of 1 test"]);
    }
    flex(&["--from", &parts]).says(0, &["1 test calibrated: 1 site learned"]);
    assert_eq!(project.undated_bounds(), one_machine);
}
