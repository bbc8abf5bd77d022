//! The bounds file in version control: branches that learned something merge, and what git cannot merge one calibration
//! does.

mod repository;

use flex_tests::project::Project;

use repository::{Repository, tests};

#[test]
fn tests_that_two_branches_added_merge_by_themselves() {
    let repository = Repository::new("merges", &["alpha", "kappa", "omega"]);
    let with = |after: &'static str, test: &'static str| {
        move |project: &Project| {
            let all = tests("merges", &[after, test]);
            let both = &all[all.find("#[stoch").unwrap()..];
            let one = tests("merges", &[after]);
            let one = &one[one.find("#[stoch").unwrap()..];
            project.replace("tests/tests.rs", one, both);
            project.calibrate(&[test], &[]).says(0, &["1 site learned"]);
        }
    };
    repository.branch("left", with("alpha", "beta"));
    repository.branch("right", with("kappa", "lambda"));
    assert!(repository.merge());
    for test in ["alpha", "beta", "kappa", "lambda", "omega"] {
        assert_eq!(repository.project.entries(test).len(), 1, "{test}");
    }
    repository.is_green();
    // The same file as if one person had learned all of it.
    let merged = repository.project.undated_bounds();
    repository.project.forget();
    repository.calibrate(&[]).says(0, &["5 sites learned"]);
    assert_eq!(repository.project.undated_bounds(), merged);
}

#[test]
fn a_conflict_between_new_neighbours_resolves_with_one_calibration() {
    let repository = Repository::new("neighbours", &["omega"]);
    let project = &repository.project;
    let add = |file: &'static str, test: &'static str| {
        move |project: &Project| {
            let path = format!("tests/{file}.rs");
            project.write(&path, &tests("neighbours", &[test]));
            project.calibrate(&[test], &[]).says(0, &["1 site learned"]);
            let bounds = project.bounds();
            let test = format!("test = {test:?}");
            let commented = bounds.replace(&test, &format!("{test} # from {file}"));
            project.write("flex-bounds.toml", &commented);
        }
    };
    repository.branch("left", add("left", "beta"));
    repository.branch("right", add("right", "gamma"));
    assert!(!repository.merge());

    for style in ["merge", "diff3", "zdiff3"] {
        let conflict = format!("--conflict={style}");
        repository.git(&["checkout", "--quiet", &conflict, "flex-bounds.toml"]);
        let conflicted = project.bounds();
        assert_eq!(conflicted.contains("\n|||||||"), style != "merge");
        // Enforcement does not guess; it says where the conflict is, and what resolves it.
        let mark = conflicted.lines().position(|line| line.starts_with("<<<<"));
        let place = format!("flex-bounds.toml:{}: `<<<<<<<` marks", mark.unwrap() + 1);
        let said = project.cargo(&["test", "--test", "tests"], &[("FLEX_SEED", "fixed")]);
        said.says(101, &[&place, "run `cargo flex calibrate`"]);
        let said = repository.calibrate(&["--check"]);
        said.says(2, &[&place]);

        // Nothing is in dispute, so the calibration of any test will do.
        let said = repository.calibrate(&["omega"]);
        said.says(0, &["resolved the merge conflict in ", "flex-bounds.toml"]);
        let resolved = project.bounds();
        for (branch, test) in [("left", "beta"), ("right", "gamma")] {
            let theirs = repository.git(&["show", &format!("{branch}:flex-bounds.toml")]);
            let entry = |text: &str| {
                let is_it = |entry: &&str| entry.contains(&format!("test = {test:?} # from"));
                let mut entries = text.split("[[bound]]");
                entries.find(is_it).unwrap().trim_end().to_owned()
            };
            assert_eq!(entry(&resolved), entry(&theirs.out), "{style}");
        }
    }
    repository.is_green();

    // The library does it too, without the command line.
    let resolved = project.bounds();
    repository.git(&["checkout", "--quiet", "--merge", "flex-bounds.toml"]);
    assert!(project.bounds().contains("\n>>>>>>> "));
    let env = [("FLEX_MODE", "calibrate"), ("FLEX_SEED", "fixed")];
    project
        .cargo(&["test", "--test", "tests"], &env)
        .says(0, &["1 passed"]);
    assert_eq!(project.bounds(), resolved);
    repository.commit();
}

#[test]
fn what_both_branches_learned_anew_is_learned_once_more() {
    let repository = Repository::new("disputed", &["alpha", "omega"]);
    let project = &repository.project;
    let turn = |knob: &'static str, shift: &'static str| {
        move |project: &Project| {
            project.replace(&format!("src/{knob}.rs"), "0.0", shift);
            let seed = ["--accept", "--seed", knob];
            let args = [&["flex", "calibrate", "alpha"][..], &seed].concat();
            project.cargo(&args, &[]).says(0, &["1 site learned"]);
            let alpha = "test = \"alpha\"";
            project.replace("flex-bounds.toml", alpha, &format!("# {knob}\n{alpha}"));
        }
    };
    repository.branch("left", turn("left", "20.0"));
    repository.branch("right", turn("right", "300.0"));
    assert!(!repository.merge());

    // A calibration that leaves the dispute open does not begin.
    let conflicted = project.bounds();
    let said = repository.calibrate(&["omega"]);
    said.says(
        2,
        &[
            "a merge conflict: both sides changed",
            "site `x<_` of test `alpha` in `test:tests`",
            "hint: `cargo flex calibrate` resolves the conflict",
            "nothing was run",
        ],
    );
    assert_eq!(project.bounds(), conflicted);
    let env = [("FLEX_MODE", "calibrate"), ("FLEX_SEED", "fixed")];
    let said = project.cargo(&["test", "omega"], &env);
    said.says(101, &["site `x<_` of test `alpha`"]);
    assert_eq!(project.bounds(), conflicted);

    // What is gone from the code is not in dispute any more.
    project.replace("tests/tests.rs", "fn alpha", "fn renamed");
    let said = repository.calibrate(&["--accept"]);
    said.says(0, &["resolved the merge conflict in "]);
    assert_eq!(project.entries("alpha").len(), 0);
    assert_eq!(project.entries("renamed").len(), 1);
    project.replace("tests/tests.rs", "fn renamed", "fn alpha");
    project.write("flex-bounds.toml", &conflicted);

    let said = repository.calibrate(&["--accept"]);
    said.says(0, &["resolved the merge conflict in "]);
    let bounds = project.bounds();
    for comment in ["# left\n", "# right\n"] {
        assert_eq!(bounds.matches(comment).count(), 1, "{bounds}");
    }
    let entries = project.entries("alpha");
    assert_eq!(entries.len(), 1, "{bounds}");
    let guard = entries[0].split("guard = ").nth(1).unwrap();
    let guard: f64 = guard.lines().next().unwrap().parse().unwrap();
    assert!((320.0..321.0).contains(&guard), "both shifts: {guard}");
    repository.is_green();
    repository.commit();
}

#[test]
fn a_conflict_that_cannot_be_taken_apart_stays() {
    let repository = Repository::new("odd", &["alpha"]);
    let project = &repository.project;
    let whole = project.bounds();
    for (marks, line, words) in [
        ("<<<<<<< a\n", 3, "cannot take apart"),
        (
            "<<<<<<< a\n<<<<<<< b\n=======\n>>>>>>> c\n",
            4,
            "cannot take apart",
        ),
        (
            "<<<<<<< a\nnonsense\n=======\n>>>>>>> c\n",
            4,
            "on one side of a merge conflict",
        ),
    ] {
        let odd = whole.replacen("version = 2\n", &format!("version = 2\n{marks}"), 1);
        project.write("flex-bounds.toml", &odd);
        let said = repository.calibrate(&[]);
        let place = format!("flex-bounds.toml:{line}: ");
        said.says(2, &[&place, words, "nothing was run"]);
        assert_eq!(project.bounds(), odd);
    }
}
