//! Records from elsewhere, as an artifact of a build is one: whatever they say, nothing in them is run, and nothing is
//! changed outside of the project.

use std::fs;
use std::path::{Path, PathBuf};

use flex_detect::record::{CargoReplay, ObservedTest, PytestReplay, Record, RunnerReplay};
use flex_run::model::{Runner, TestId};
use serde_json::{Value, json};

use super::support::{Folder, Told};
use super::{FILE, PYTEST, SOURCE, flaky, repository};

const APPLY: [&str; 2] = ["--apply", "--allow-dirty"];

/// Writes the record of a flaky test, changed as JSON, and applies what `fix` makes of it.
fn applied(folder: &Folder, change: impl FnOnce(&mut Value)) -> Told {
    let mut record: Value = serde_json::from_str(&folder.read("record.json")).expect("a record");
    change(&mut record);
    folder.write("record.json", &record.to_string());
    folder.fix(&APPLY)
}

#[test]
fn no_command_of_a_record_is_run() {
    let marker = "import pathlib; pathlib.Path('pwned').touch()";
    let commands = [
        json!(format!("python3 -c \"{marker}\" {{seed}}")),
        json!("LD_PRELOAD=./evil.so cargo test {seed}"),
        json!({"by": "shell", "command": "touch pwned"}),
        json!({"by": "pytest", "options": [["flex-isolate; touch pwned", null]]}),
        json!({"by": "pytest", "config": "-ppwned"}),
        json!({"by": "pytest", "hash_seed": "0; touch pwned"}),
        json!({"by": "cargo", "target": "--config=target.x.runner='touch pwned'"}),
    ];
    for command in commands {
        let folder = repository(vec![flaky()]);
        folder.write("pwned.py", marker);
        let told = applied(&folder, |record| {
            record["tests"][0]["replay"] = command.clone();
        });
        told.says(2, &["record.json: not a record of flex", "hint: "]);
        assert!(!folder.path().join("pwned").exists(), "{command}");
        assert_eq!(folder.read(FILE), SOURCE);
    }
    // The first edition of the format had commands.
    let folder = repository(vec![flaky()]);
    let told = applied(&folder, |record| record["version"] = json!(1));
    told.says(2, &["older than what this flex reads", "writes it anew"]);
}

#[test]
fn names_that_would_be_options_are_refused() {
    let check = |change: fn(&mut Value), said: &str| {
        let folder = repository(vec![flaky()]);
        applied(&folder, |record| change(&mut record["tests"][0])).says(2, &[said]);
        assert_eq!(folder.read(FILE), SOURCE);
    };
    let not_a_test = "is not the name of a test";
    check(|test| test["name"] = json!("-pevil"), not_a_test);
    check(|test| test["name"] = json!("@arguments"), not_a_test);
    check(
        |test| test["replay"]["options"] = json!([["flex-record", "/tmp/x"]]),
        "is not the name of an option",
    );
    let of_cargo = |test: &mut Value| {
        test["target"] = json!("lib");
        test["replay"] = json!({"by": "cargo"});
        test["package"] = json!("a");
    };
    let folder = repository(vec![flaky()]);
    let told = applied(&folder, |record| {
        of_cargo(&mut record["tests"][0]);
        record["tests"][0]["package"] = json!("--config=x");
    });
    told.says(2, &["is not the name of a package"]);
    let told = applied(&folder, |record| {
        of_cargo(&mut record["tests"][0]);
        record["tests"][0]["name"] = json!("--logfile=/tmp/x");
    });
    told.says(2, &[not_a_test]);
}

#[test]
fn a_test_outside_of_the_project_is_not_run() {
    let outside = Folder::plain(&[(
        "test_evil.py",
        "import pathlib\n\ndef test_x():\n    pathlib.Path(__file__).with_name('pwned').touch()\n",
    )]);
    let evil = outside.path().join("test_evil.py");
    let evil = evil.to_str().unwrap();
    let check = |change: &dyn Fn(&mut ObservedTest)| {
        let folder = Folder::repository(&[(FILE, SOURCE), ("pytest.py", PYTEST)]);
        std::os::unix::fs::symlink(evil, folder.path().join("test_link.py")).unwrap();
        let mut test = flaky();
        change(&mut test);
        folder.record(Runner::Pytest, vec![test]);
        folder
            .fix(&APPLY)
            .says(0, &["wrote", "hint: see whether", "passes now: pytest"]);
        assert!(!outside.path().join("pwned").exists());
    };
    check(&|test| test.id = TestId::pytest(format!("{evil}::test_x")));
    check(&|test| test.id = TestId::pytest(format!("tests/../../../../../../..{evil}::test_x")));
    check(&|test| test.id = TestId::pytest("test_link.py::test_x"));
    check(&|test| {
        test.replay = Some(RunnerReplay::Pytest(PytestReplay {
            config: Some(evil.to_owned()),
            ..PytestReplay::default()
        }));
    });
}

#[test]
fn files_outside_of_the_project_are_left_alone() {
    let outside = Folder::repository(&[("victim.py", SOURCE)]);
    let victim = outside.path().join("victim.py");
    let check = |file: &str, root: Option<&str>, code: i32, said: &str| {
        let folder = repository(vec![flaky()]);
        std::os::unix::fs::symlink(&victim, folder.path().join("tests/link.py")).unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.path().join("folder")).unwrap();
        let mut test = flaky();
        test.place.file = file.to_owned();
        test.sites[0].place.file = file.to_owned();
        folder.record_with(Runner::Pytest, vec![test], |record| {
            record.root = root.map_or(record.root.clone(), Into::into);
        });
        for args in [&APPLY[..], &[]] {
            let told = folder.fix(args);
            told.says(code, &[said]);
            assert!(!told.out.contains("+++ b/"), "{told}");
        }
        assert_eq!(outside.read("victim.py"), SOURCE, "{file} in {root:?}");
    };
    let name = outside.path().file_name().unwrap().to_owned();
    let beside = format!("../{}/victim.py", name.to_str().unwrap());
    let absolute = victim.to_str().unwrap();
    let is_outside = "is outside of";
    check(&beside, None, 1, is_outside);
    check(absolute, None, 1, is_outside);
    check("tests/link.py", None, 1, is_outside);
    check("folder/victim.py", None, 1, is_outside);
    let is_another = "is the record of another project";
    check(absolute, Some("/"), 2, is_another);
    check(&absolute[1..], Some("/"), 2, is_another);
    check("victim.py", outside.path().to_str(), 2, is_another);
}

#[test]
fn a_record_from_another_machine_is_about_this_project() {
    let folder = repository(Vec::new());
    let change = |record: &mut Record| record.root = "/gone/build/project".into();
    folder.record_with(Runner::Pytest, vec![flaky()], change);
    folder.fix(&[]).says(0, &["+++ b/tests/test_a.py"]);
    // Named or not, it is not that of a folder above.
    let program = flex_tests::program("flex-harness");
    let program = program.to_str().unwrap();
    let below = folder.path().join("tests");
    let mut above = folder.command(program);
    above.args(["fix", "--record", "../record.json"]);
    folder.record(Runner::Pytest, vec![flaky()]);
    flex_tests::run(above.current_dir(below), "").says(2, &["is the record of another project"]);
}

#[test]
fn workspaces_that_share_a_target_folder_do_not_mend_each_other() {
    let source = "#[test]\nfn works() {\n    assert!(x() < 2.5);\n}\n";
    let workspace = || Folder::package(&[("tests/a.rs", source)]);
    let (searched, other) = (workspace(), workspace());
    let mut test = flaky();
    test.id = TestId::cargo("test:a", "works");
    test.package = Some("a".to_owned());
    test.place.file = "tests/a.rs".to_owned();
    test.sites[0].place = flex_run::model::Place::new("tests/a.rs", 3);
    test.sites[0].text = "x()<2.5".to_owned();
    test.sites[0].series[0].knob = Some(super::support::in_source("2.5"));
    test.replay = Some(RunnerReplay::Cargo(CargoReplay {
        target: Some("a".to_owned()),
        ..CargoReplay::default()
    }));
    searched.record(Runner::Cargo, vec![test]);
    let target = Folder::plain(&[]);
    let program = flex_tests::program("flex-harness");
    let fix = |folder: &Folder, args: &[&str]| {
        let mut command = folder.command(program.to_str().unwrap());
        command.env("CARGO_TARGET_DIR", target.path()).arg("fix");
        flex_tests::run(command.args(args), "")
    };
    // Each has a record of its own in the shared folder.
    let place = |folder: &Folder| {
        let said = fix(folder, &APPLY);
        said.says(
            2,
            &["cannot read ", "`flex-harness detect` searches the tests"],
        );
        let (_, rest) = said.err.split_once("cannot read ").unwrap();
        PathBuf::from(rest.split(": ").next().unwrap())
    };
    let write = |place: &Path| {
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, searched.read("record.json")).unwrap();
    };
    let [mine, theirs] = [&searched, &other].map(place);
    assert!(
        mine.starts_with(target.path()) && mine != theirs,
        "{mine:?}"
    );
    write(&mine);
    fix(&searched, &["--choose", "bound"]).says(0, &["+++ b/tests/a.rs"]);
    assert_eq!(place(&other), theirs);
    // And what somebody copied is refused.
    write(&theirs);
    fix(&other, &APPLY).says(
        2,
        &["is the record of another project", "`flex-harness detect`"],
    );
    assert_eq!(other.read("tests/a.rs"), source);
    fs::remove_dir_all(searched.path()).unwrap();
    // What is gone may have been anywhere.
    fix(&other, &APPLY).says(2, &["is the record of another project"]);
}

/// Signs that would clear the screen, begin a patch, end a block of code, and be a tag.
const NASTY: &str = "\x1b[2J\u{9b}31m\n--- a/evil\n+++ b/evil\n@@ -0,0 +1 @@\n+pwned\n```\n# `x` </title><script>\u{202e}\r::error::x\u{ffff}";

#[test]
fn whatever_a_record_says_breaks_no_format() {
    let folder = repository(Vec::new());
    let mut test = flaky();
    test.id = TestId::pytest(format!("{FILE}::test_error[{NASTY}]"));
    test.sites[0].text = format!("assert x < 2.5{NASTY}");
    test.notes.push(NASTY.to_owned());
    for run in &mut test.runs {
        run.why = run.why.as_ref().map(|_| NASTY.to_owned());
    }
    folder.record(Runner::Pytest, vec![test]);
    let told = folder.fix(&["--pr-text"]);
    told.says(
        0,
        &["1 patch for 1 assertion", "\\u{1b}[2J", "\\n--- a/evil"],
    );
    let is_harmless = |text: &str| {
        let obeyed = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!text.contains(obeyed), "{text:?}");
    };
    is_harmless(&told.err);
    is_harmless(&told.out);
    // The patch is one of one file.
    assert_eq!(told.out.matches("\n+++ ").count(), 1, "{told}");
    folder.pipe(&["git", "apply"], &told.out).says(0, &[]);
    assert!(!folder.path().join("evil").exists());
    for file in fs::read_dir(folder.path().join("flex-fix")).unwrap() {
        let path = file.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        is_harmless(&text);
        if path.extension().is_some_and(|ending| ending == "svg") {
            let picture = roxmltree::Document::parse(&text).unwrap();
            let tags = picture
                .descendants()
                .filter(|node| node.has_tag_name("script"));
            assert_eq!(tags.count(), 0);
        } else {
            // The only headings are ours, and nothing in them ends a block of code.
            let headings = text.lines().filter(|line| line.starts_with('#'));
            assert_eq!(headings.count(), 3, "{text}");
            assert_eq!(text.matches("\n```").count() % 2, 0, "{text}");
        }
    }
    // Programs have it as it is.
    let value: Value = serde_json::from_str(&folder.fix(&["--json"]).out).unwrap();
    let name = value["assertions"][0]["test"].as_str().unwrap();
    assert!(name.contains(NASTY));
}
