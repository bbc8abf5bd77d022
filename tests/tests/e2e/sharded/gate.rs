//! `gate check --shard` and `--from`.

use std::fs;

use flex_tests::Said;
use flex_tests::project::Project;

use super::{CONTROLLED, FURTHER, WITHOUT_THE_THIRD, without_times};
use crate::gate::{DRAWS, TESTS_OF_DRAWS};

/// What the tests have beside those of all.
const TESTS: &str = r#"
use sharded_gate::{draw, shifted};

#[test]
fn quiet() {
    assert!(shifted(0.0) < 1.0);
}
"#;

#[test]
fn shards_find_what_one_machine_finds_and_a_lost_one_is_named() {
    let tests = [TESTS_OF_DRAWS, TESTS].concat();
    let files = [
        ("src/lib.rs", DRAWS),
        ("tests/all.rs", tests.as_str()),
        (".gitignore", "Cargo.lock\nparts\ntwice\n*.json\n"),
    ];
    let project = Project::new("sharded-gate", CONTROLLED, &files);
    let _ = fs::remove_dir_all(project.path("parts"));
    let _ = fs::remove_dir_all(project.path("twice"));
    project.begin_history();
    project.replace("src/lib.rs", "rand::random", "1.0 * rand::random");
    project.replace("tests/all.rs", "draw() < 2.0", "draw() < 0.7");
    project.replace("src/lib.rs", "    u\n", "    u + 0.5\n");
    let gate = |args: &[&str]| -> Said {
        let all = [&["flex", "gate", "check", "-n", "40", "--compare"], args].concat();
        project.cargo(&all, &[])
    };
    let one_machine = gate(&["--seed", "s", "--json"]);
    let found = without_times(one_machine.json());
    assert_eq!(
        found["tests"].as_array().map(Vec::len),
        Some(4),
        "{found:#}"
    );
    one_machine.says(1, &["\"blocks\":true", "\"compared\"", "worse"]);
    let selected = project.cargo(&["flex", "gate", "select", "--json"], &[]);
    project.write("selected.json", &selected.out);
    for number in ["1/3", "2/3"] {
        let making = [
            "--shard",
            number,
            "--out",
            "parts",
            "--seed",
            "s",
            "--from",
            "selected.json",
        ];
        gate(&making).says(0, &[&format!("shard {number}: "), "seed s; wrote parts/"]);
    }
    gate(&["--from", "parts"]).says(5, &WITHOUT_THE_THIRD);
    gate(&FURTHER).says(0, &["seed s"]);
    // A selection and a folder of shards are told apart.
    for more in [&[][..], &["--from", "selected.json"]] {
        let together = gate(&[&["--from", "parts", "--json"], more].concat());
        assert_eq!(together.code, 1, "{together}");
        assert_eq!(without_times(together.json()), found);
    }
    let both = gate(&[
        "--shard", "1/3", "--out", "twice", "--seed", "s", "--from", "parts",
    ]);
    both.says(2, &["give --shard, or --from with a folder"]);
    gate(&[
        "--from",
        "parts",
        "--from",
        "selected.json",
        "--from",
        "other.json",
    ])
    .says(2, &["two files", "selected.json", "other.json"]);
    let other = ["flex", "gate", "check", "-n", "50", "--from", "parts"];
    project
        .cargo(&other, &[])
        .says(2, &["the shards have 40 trials", "asks for 50"]);
    gate(&["--from", "parts", "--time-bank", "9s"]).says(2, &["leave it out"]);
}
