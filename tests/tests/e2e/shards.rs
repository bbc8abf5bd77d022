//! Runs that are made in many places and put together: what is learned is what one machine learns, whatever is lost on the
//! way. All seeds are fixed.

use std::fs;
use std::path::{Path, PathBuf};

use flex_tests::Said;
use flex_tests::project::{NORMAL, Project};

use crate::sharded::file_of;

const TESTS: &str = r#"
use flex_harness::prelude::*;
use sharded::{knob, normal};

#[stochastic_test]
fn both_sides(rng: &mut TestRng) {
    let x = normal(rng, knob("SHIFT"));
    assert_tail_bound!(_ < x < _);
}

#[stochastic_test(runs = 40)]
fn few(rng: &mut TestRng) {
    let x = normal(rng, knob("SHIFT"));
    assert_tail_bound!(x > _);
}

#[stochastic_test]
fn average(rng: &mut TestRng) {
    let x = normal(rng, 0.0);
    assert_mean!(x < _);
}

#[stochastic_test]
fn still() {
    let x = 3.5;
    assert_tail_bound!(x < _);
}
"#;

fn project(name: &str) -> Project {
    let tests = TESTS.replace("sharded", name);
    let files = [
        ("src/lib.rs", NORMAL),
        ("tests/tests.rs", tests.as_str()),
        ("flex.toml", ""),
    ];
    Project::new(name, "", &files)
}

fn calibrate(project: &Project, args: &[&str], env: &[(&str, &str)]) -> Said {
    project.cargo(&[&["flex", "calibrate"], args].concat(), env)
}

/// Makes a shard in the folder of the project.
fn shard(
    project: &Project,
    shard: &str,
    folder: &str,
    args: &[&str],
    env: &[(&str, &str)],
) -> Said {
    let all = [&["--shard", shard, "--out", folder], args].concat();
    calibrate(project, &all, env)
}

fn clear(folder: &Path) {
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn shards_of_which_one_is_cut_and_one_is_lost_teach_what_one_machine_learns() {
    let project = project("sharded");
    clear(&project.path("parts"));
    let seed: &[(&str, &str)] = &[("FLEX_SEED", "s")];
    calibrate(&project, &[], seed).says(0, &["4 tests calibrated"]);
    let one_machine = project.undated_bounds();
    project.forget();
    for number in ["1/4", "2/4", "3/4"] {
        let made = shard(&project, number, "parts", &["--seed", "s"], &[]);
        made.says(
            0,
            &[
                &format!("shard {number}: "),
                "of 4 tests, seed s; wrote parts/",
            ],
        );
    }
    // The second was killed in the middle of a record, and the fourth never began.
    let cut = file_of(&project, "parts", "2-of-4");
    let bytes = fs::read(&cut).unwrap();
    fs::write(&cut, &bytes[..bytes.len() * 2 / 3]).unwrap();
    let from = |args: &[&str]| calibrate(&project, &[&["--from", "parts"], args].concat(), &[]);
    let missing = from(&[]);
    missing.says(
        5,
        &[
            "missing: shard 4/4; to make it:",
            "--shard 4/4 --out parts --seed s",
            "not whole: shard 2/4",
            "nothing was written but parts/plan.json",
        ],
    );
    assert_eq!(project.bounds(), "");
    // A further round, by fewer.
    for number in ["1/2", "2/2"] {
        let made = shard(
            &project,
            number,
            "parts",
            &["--plan", "parts/plan.json"],
            &[],
        );
        made.says(0, &["seed s"]);
    }
    from(&["--full"]).says(0, &["4 tests calibrated: 4 sites learned"]);
    assert_eq!(project.undated_bounds(), one_machine);
    // The same shards once more, and all files a second time under other names: a union.
    for name in ["1-of-4", "3-of-4", "1-of-2"] {
        let file = file_of(&project, "parts", name);
        fs::copy(&file, file.with_extension("copy.shard")).unwrap();
    }
    project.forget();
    from(&[]).says(0, &["4 sites learned"]);
    assert_eq!(project.undated_bounds(), one_machine);
    // With that file in place, shards see that nothing has changed, and a merge leaves it as it is.
    let before = project.bounds();
    for number in ["1/2", "2/2"] {
        let made = shard(&project, number, "again", &["--seed", "t"], &[]);
        let runs: u32 = made
            .line(&format!("shard {number}: "))
            .split(' ')
            .next()
            .unwrap()
            .parse()
            .unwrap();
        assert!(runs < 40, "{made}");
    }
    let unchanged = calibrate(&project, &["--from", "again"], &[]);
    unchanged.says(0, &["4 tests are unchanged"]);
    assert_eq!(project.bounds(), before);
    // Two starts are not mixed.
    let mixed = calibrate(&project, &["--from", "parts", "--from", "again"], &[]);
    mixed.says(2, &["shards of different base seeds", " has s", " has t"]);
}

#[test]
fn a_run_that_two_machines_see_differently_is_named_with_both() {
    let project = project("disputed");
    clear(&project.path("here"));
    clear(&project.path("there"));
    let args = ["--seed", "s", "--runs", "40", "both_sides"];
    for number in ["1/2", "2/2"] {
        shard(&project, number, "here", &args, &[]).says(0, &[]);
    }
    shard(&project, "1/2", "there", &args, &[("SHIFT", "0.5")]).says(0, &[]);
    let both = calibrate(
        &project,
        &["--from", "here", "--from", "there", "both_sides"],
        &[],
    );
    both.says(
        1,
        &[
            "both_sides: randomness is not controlled: under one seed, run ",
            "`_<x<_`: ",
            " on ",
            " more",
        ],
    );
    // A shard that is made again where it is makes nothing twice.
    let again = shard(&project, "1/2", "here", &args, &[]);
    again.says(0, &["shard 1/2: 0 runs"]);
    // What all shards must have in common is asked for, and what only decides is refused.
    shard(&project, "1/2", "none", &[], &[]).says(2, &["no base seed"]);
    shard(&project, "auto", "none", &["--seed", "s"], &[]).says(2, &["FLEX_SHARD"]);
    shard(&project, "1/2", "none", &["--seed", "s", "--accept"], &[]).says(2, &["--accept"]);
    calibrate(&project, &["--from", "none"], &[]).says(2, &["none"]);
    // What there is to do about a plan depends on what is wrong with it.
    let plan = |text: &str, said: &[&str]| {
        project.write("plan.json", text);
        let asked = ["--seed", "s", "--plan", "plan.json"];
        shard(&project, "1/2", "none", &asked, &[]).says(2, said);
    };
    plan("no plan", &["it is no plan", "--from DIR` writes plans"]);
    plan(
        "{\"version\":9}",
        &["it has version 9", "one version of flex"],
    );
    let of_detect = r#"{"version":1,"command":"detect","phase":"detect","base":"s","round":2,"runs":0,"seconds":0,"tests":[]}"#;
    plan(
        of_detect,
        &["it is a plan for detect", "give it to `detect`"],
    );
}

#[test]
fn kinds_of_machines_that_differ_are_a_warning_and_no_finding() {
    let project = project("mixed");
    for folder in ["one", "same", "other", "rounded"] {
        clear(&project.path(folder));
    }
    // How many threads numerical code has is a part of what a machine is.
    let kind = |threads: &'static str, shift: &'static str| {
        [("OMP_NUM_THREADS", threads), ("SHIFT", shift)]
    };
    let args = ["--seed", "s", "--runs", "40", "both_sides"];
    let make = |number: &str, folder: &str, env: &[(&str, &str)]| {
        shard(&project, number, folder, &args, env).says(0, &[]);
    };
    make("1/2", "one", &kind("1", "0"));
    make("2/2", "one", &kind("1", "0"));
    make("1/2", "same", &kind("2", "0"));
    make("1/2", "other", &kind("2", "0.5"));
    // Values of one side are off by rounding, those that are made again too.
    make("2/2", "rounded", &kind("2", "1e-13"));
    make("1/2", "rounded", &kind("1", "0"));
    let merge = |folders: &[&str]| {
        project.forget();
        let from: Vec<&str> = folders
            .iter()
            .flat_map(|folder| ["--from", *folder])
            .collect();
        let said = calibrate(&project, &[&from[..], &["both_sides"]].concat(), &[]);
        let words = "warning: the shards come from 2 kinds of machines:";
        said.says(
            0,
            &[words, "1 site learned", "  kind 2: ", "OMP_NUM_THREADS=2"],
        );
        assert!(!said.err.contains("not controlled"), "{said}");
        assert!(!said.out.contains("under the same seed"), "{said}");
        said
    };
    let same = merge(&["one", "same"]);
    same.says(0, &[" runs that were made on two of them showed the same"]);
    let learned = project.undated_bounds();
    let differ = [
        "both_sides: values differ between kinds 1 and 2: run ",
        "`_<x<_`: ",
        "variant",
    ];
    merge(&["one", "other"]).says(0, &differ);
    assert_eq!(project.undated_bounds(), learned);
    merge(&["rounded"]).says(0, &differ);
}

#[test]
fn gitlab_says_which_shard_this_is_and_shards_of_different_code_are_refused() {
    let project = project("gitlab");
    clear(&project.path("parts"));
    let make = |index: &str| {
        let env = [
            ("CI_NODE_INDEX", index),
            ("CI_NODE_TOTAL", "2"),
            ("CI_PIPELINE_ID", "77"),
        ];
        let made = shard(&project, "auto", "parts", &["--runs", "40", "few"], &env);
        made.says(0, &[&format!("shard {index}/2: "), "of 1 test, seed 77"]);
    };
    make("1");
    // Somebody pushed in between.
    let moved = TESTS
        .replace("sharded", "gitlab")
        .replace("x > _", "x - 1.0 > _");
    project.write("tests/tests.rs", &moved);
    make("2");
    let merged = calibrate(&project, &["--from", "parts", "few"], &[]);
    let words = [
        "few",
        "shards are of different code: on ",
        "from one checkout",
    ];
    merged.says(3, &words);
    assert_eq!(project.bounds(), "");
}

#[test]
fn what_was_built_once_runs_where_it_was_moved_to_without_cargo() {
    let project = project("relocated");
    let list = project.path("programs.json").display().to_string();
    let seed = ["--seed", "s", "both_sides"];
    calibrate(&project, &seed, &[]).says(0, &[]);
    let one_machine = project.undated_bounds();
    project.forget();
    let only = ["--test", "tests", "--build-only", &list];
    calibrate(&project, &only, &[]).says(0, &["built 1 test program; wrote "]);
    // The program is somewhere else, and no cargo is there.
    let moved = tempfile::tempdir().unwrap();
    let exe = &fs::read_to_string(&list).unwrap();
    let exe: serde_json::Value = serde_json::from_str(exe).unwrap();
    let target = PathBuf::from(exe["target"].as_str().unwrap());
    let exe = PathBuf::from(exe["programs"][0]["exe"].as_str().unwrap());
    let there = moved.path().join(exe.strip_prefix(&target).unwrap());
    fs::create_dir_all(there.parent().unwrap()).unwrap();
    fs::copy(&exe, &there).unwrap();
    fs::write(moved.path().join("CACHEDIR.TAG"), "").unwrap();
    let without_cargo = [("CARGO", "/no/cargo"), ("RUSTC", "/no/rustc")];
    let folder = moved.path().display().to_string();
    let parts = moved.path().join("parts").display().to_string();
    let programs = ["--programs", &list, "--target-dir", &folder];
    let flex = |args: &[&str]| {
        let mut command = project.command("flex-harness", &without_cargo);
        command.arg("calibrate").args(programs).args(args);
        flex_tests::run(&mut command, "")
    };
    for number in ["1/2", "2/2"] {
        let made = flex(&[&["--shard", number, "--out", &parts][..], &seed].concat());
        made.says(0, &[&format!("shard {number}: ")]);
    }
    flex(&["--from", &parts, "both_sides"]).says(0, &["1 test calibrated: 1 site learned"]);
    assert_eq!(project.undated_bounds(), one_machine);
    fs::remove_file(&there).unwrap();
    let gone = flex(&["--from", &parts]);
    gone.says(2, &["is not there", "--target-dir"]);
}
