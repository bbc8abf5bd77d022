//! `compare --shard` and `--from`.

use std::fs;

use flex_tests::Said;
use flex_tests::project::{MOVES, NORMAL, Project};
use serde_json::Value;

use super::{FURTHER, WITHOUT_THE_THIRD, file_of, without_times};

const TESTS: &str = r#"
#[cfg(test)]
mod tests {
    use super::*;
    use flex_harness::{assert_tail_bound, stochastic_test};

    #[stochastic_test]
    fn steady(rng: &mut TestRng) {
        let value = rng.random::<f64>();
        assert_tail_bound!(value > -20.0);
    }

    #[stochastic_test]
    fn moves_as_well(rng: &mut TestRng) {
        let error = normal(rng, 1.0).abs();
        assert_tail_bound!(error < 20.0);
    }
"#;

fn compare(project: &Project, args: &[&str]) -> Said {
    let all = [&["flex", "compare", "--base", "HEAD"], args].concat();
    project.cargo(&all, &[])
}

fn compared(said: &Said) -> Value {
    without_times(said.json())
}

#[test]
fn shards_of_which_one_is_cut_and_one_is_lost_decide_what_one_machine_decides() {
    let library = format!("{NORMAL}{TESTS}{MOVES}}}\n");
    let files = [
        ("src/lib.rs", library.as_str()),
        (".gitignore", "Cargo.lock\nparts\n"),
    ];
    let project = Project::new("sharded-compare", "", &files);
    let _ = fs::remove_dir_all(project.path("parts"));
    project.begin_history();
    project.replace("src/lib.rs", "- 6.0 + shift", "- 5.6 + shift");
    let one_machine = compare(&project, &["--seed", "s", "--json"]);
    one_machine.says(1, &["worse"]);
    for number in ["1/3", "2/3"] {
        let making = ["--shard", number, "--out", "parts", "--seed", "s"];
        let made = compare(&project, &making);
        made.says(
            0,
            &[
                &format!("shard {number}: "),
                "of 1 test, seed s; wrote parts/",
            ],
        );
    }
    let from = |args: &[&str]| compare(&project, &[&["--from", "parts"], args].concat());
    from(&[]).says(5, &WITHOUT_THE_THIRD);
    // Of the first, a half is left; a further round makes what is missing of it, too.
    let cut = file_of(&project, "parts", "1-of-3");
    let bytes = fs::read(&cut).unwrap();
    fs::write(&cut, &bytes[..bytes.len() * 3 / 4]).unwrap();
    let mut rounds = 0;
    while from(&[]).code == 5 {
        rounds += 1;
        assert!(rounds < 9);
        compare(&project, &FURTHER).says(0, &["seed s"]);
    }
    let together = from(&["--json"]);
    assert_eq!(together.code, 1);
    assert_eq!(compared(&together), compared(&one_machine));
    // What is compared with another commit is something else.
    project.git(&["commit", "-q", "-a", "-m", "new"]);
    from(&[]).says(2, &["the shards are compared with", "--base"]);
    let timed = compare(&project, &["--time", "--from", "parts"]);
    timed.says(2, &["leave out --time"]);
}
