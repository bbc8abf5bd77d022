//! The bounds file through the eyes of those who calibrate: nothing is lost, whatever happens.

use std::fs;

use flex_tests::project::{NORMAL, Project};

const TESTS: &str = r#"
use flex_harness::prelude::*;
use stored::normal;

macro_rules! tests {
    ($($name:ident)*) => {$(
        #[stochastic_test]
        fn $name(rng: &mut TestRng) {
            let _ = std::fs::write("a-test-ran", "");
            assert_tail_bound!(normal(rng, 0.0) < _);
        }
    )*};
}
tests!(one two three four five six);
"#;

fn project() -> Project {
    Project::new(
        "stored",
        "",
        &[("src/lib.rs", NORMAL), ("tests/tests.rs", TESTS)],
    )
}

/// The tests that have an entry.
fn known(project: &Project) -> Vec<&'static str> {
    let all = ["one", "two", "three", "four", "five", "six"];
    let mut known = all.to_vec();
    known.retain(|test| !project.entries(test).is_empty());
    known
}

#[test]
fn calibrations_at_the_same_time_all_get_into_the_file() {
    let project = project();
    // Built once, so that the calibrations really overlap.
    project.program(&["--test", "tests"]);
    for _ in 0..3 {
        project.forget();
        std::thread::scope(|scope| {
            for tests in [["one", "two"], ["three", "four"], ["five", "six"]] {
                let project = &project;
                scope.spawn(move || {
                    project
                        .calibrate(&tests, &[])
                        .says(0, &["2 tests calibrated"]);
                });
            }
        });
        assert_eq!(known(&project).len(), 6, "{}", project.bounds());
    }
    let together = project.undated_bounds();
    project.forget();
    project.calibrate(&[], &[]).says(0, &["6 sites learned"]);
    assert_eq!(project.undated_bounds(), together);

    // The same without the command line, with many test threads.
    project.forget();
    let env = [("FLEX_MODE", "calibrate"), ("FLEX_SEED", "fixed")];
    project
        .cargo(&["test", "--", "--test-threads=8"], &env)
        .says(0, &["6 passed"]);
    assert_eq!(project.undated_bounds(), together);
}

#[test]
fn what_people_write_into_the_file_survives_a_calibration() {
    let project = project();
    project.calibrate(&[], &[]).says(0, &["6 sites learned"]);
    let commented = project
        .bounds()
        .replace("test = \"one\"", "test = \"one\" # ours")
        .replace("test = \"two\"", "# agreed on 3 May\ntest = \"two\"")
        .replacen("reached", "accept = \"unenforced\"\nreached", 1)
        .replace('\n', "\r\n");
    project.write("flex-bounds.toml", &commented);
    project
        // Twice as many runs are worth new numbers.
        .cargo(
            &["flex", "calibrate", "one", "--runs", "200"],
            &[("FLEX_SEED", "other")],
        )
        .says(0, &["1 site learned", "was     guard "]);
    let after = project.bounds();
    let line_by_line = |text: &str| text.split("\r\n").map(str::to_owned).collect::<Vec<_>>();
    let (before, after) = (line_by_line(&commented), line_by_line(&after));
    assert_eq!(before.len(), after.len());
    assert!(
        after.iter().all(|line| !line.contains('\n')),
        "every line ends as before"
    );
    assert!(after.iter().any(|line| line == "test = \"one\" # ours"));
    let is_of_one = |place: usize| {
        let from = before[..place].iter().rposition(|line| line == "[[bound]]");
        from.is_some_and(|from| {
            before[from..place]
                .iter()
                .any(|line| line.contains("\"one\""))
        })
    };
    for place in 0..before.len() {
        assert!(
            before[place] == after[place] || is_of_one(place),
            "{}",
            before[place]
        );
    }
    assert_ne!(before, after);
    // `unenforced` is a decision of people too, and outlives a calibration of its own test.
    project.calibrate(&["five"], &[]).says(0, &["1 kept"]);
    assert!(project.bounds().contains("accept = \"unenforced\""));
}

#[test]
fn a_site_that_is_gone_loses_its_entry() {
    let project = project();
    project.calibrate(&[], &[]).says(0, &["6 sites learned"]);
    project.replace(
        "tests/tests.rs",
        "normal(rng, 0.0) < _",
        "normal(rng, 1.0) < _",
    );
    let said = project.calibrate(&["one"], &[]);
    said.says(
        0,
        &["entry removed: normal(rng,0.0)<_: the site was not hit any more"],
    );
    let entries = project.entries("one");
    assert_eq!(entries.len(), 1);
    assert!(
        entries[0].contains("site = \"normal(rng,1.0)<_\""),
        "{entries:?}"
    );
    assert_eq!(known(&project).len(), 6, "other tests keep theirs");
}

#[test]
fn a_file_that_cannot_be_used_is_left_alone_and_nothing_is_run() {
    let project = project();
    project
        .calibrate(&["one"], &[])
        .says(0, &["1 site learned"]);
    let good = project.bounds();
    let check = |text: &str, words: &[&str]| {
        project.write("flex-bounds.toml", text);
        let _ = fs::remove_file(project.path("a-test-ran"));
        let said = project.calibrate(&[], &[]);
        said.says(
            2,
            &["error: ", "flex-bounds.toml:", "hint: nothing was run"],
        )
        .says(2, words);
        let said = project.cargo(&["test", "one"], &[("FLEX_MODE", "calibrate")]);
        said.says(101, &["error: ", "flex-bounds.toml:"])
            .says(101, words);
        assert!(!project.path("a-test-ran").exists(), "nothing was run");
        let said = project.cargo(&["test", "one"], &[]);
        said.says(101, &["error: ", "flex-bounds.toml:"])
            .says(101, words);
        assert_eq!(project.bounds(), text);
    };
    let conflict = good.replacen("[[bound]]", "<<<<<<< HEAD\n[[bound]]", 1);
    check(&conflict, &[":4: `<<<<<<<` marks a merge conflict"]);
    let newer = good.replacen("version = 2", "version = 3", 1);
    check(
        &newer,
        &[":2: version 3 was written by a newer flex", "upgrade flex"],
    );
    check("nonsense", &[":1: "]);

    project.write("flex-bounds.toml", &good);
    let path = project.path("flex-bounds.toml");
    let set_read_only = |read_only: bool| {
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(read_only);
        fs::set_permissions(&path, permissions).unwrap();
    };
    set_read_only(true);
    let _ = fs::remove_file(project.path("a-test-ran"));
    let words = [
        "error: ",
        "the file is read-only and was not changed",
        "chmod u+w",
    ];
    project.calibrate(&[], &[]).says(2, &words);
    let said = project.cargo(&["test", "one"], &[("FLEX_MODE", "calibrate")]);
    said.says(101, &words);
    assert!(!project.path("a-test-ran").exists(), "nothing was run");
    assert_eq!(project.bounds(), good);
    // Reading is enough to enforce.
    project
        .cargo(&["test", "one"], &[("FLEX_SEED", "s1")])
        .says(0, &["1 passed"]);
    set_read_only(false);
}

#[cfg(unix)]
#[test]
fn what_cannot_be_written_in_the_end_is_kept_elsewhere() {
    let project = project();
    project.calibrate(&[], &[]).says(0, &["6 sites learned"]);
    // Too large for the limit below, whatever the shell's unit is; one entry is not.
    let padding = "# a comment of some length\n".repeat(10_000);
    project.write(
        "flex-bounds.toml",
        &format!("{padding}{}", project.bounds()),
    );
    let full = project.bounds();
    let no_room = "trap '' XFSZ; ulimit -f 128; exec ";
    let line = format!("{no_room} cargo flex calibrate one --seed other --runs 200");
    let said = project.shell(&line);
    said.says(
        2,
        &[
            "error: stored test:tests one: ",
            "cannot be written and is as it was",
            "hint: make room",
        ],
    );
    assert_eq!(project.bounds(), full);
    let kept = said.line("note: its entries can be copied from ");
    let kept = fs::read_to_string(kept).unwrap();
    for words in [
        "version = 2\n",
        "test = \"one\"\n",
        "base = \"other\"\n",
        "guard = ",
    ] {
        assert!(kept.contains(words), "{kept}");
    }
    let line =
        format!("{no_room} env FLEX_MODE=calibrate FLEX_RUNS=200 FLEX_SEED=other cargo test one");
    project.shell(&line).says(
        101,
        &[
            "error: ",
            "hint: make room",
            "note: its entries can be copied from ",
        ],
    );
    assert_eq!(project.bounds(), full);
}
