//! `cargo flex compare`: a changed constant, over a real repository.

use flex_tests::project::{MOVES, NORMAL, Project};

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
"#;

#[test]
fn a_changed_constant_is_worse_and_nothing_else_is() {
    let library = format!("{NORMAL}{TESTS}{MOVES}}}\n");
    // The lock file is not committed, and lent to the old version.
    let files = [
        ("src/lib.rs", library.as_str()),
        (".gitignore", "Cargo.lock\n"),
    ];
    let project = Project::new("e2e-compare", "", &files);
    project.begin_history();
    project.replace("src/lib.rs", "- 6.0 + shift", "- 5.6 + shift");
    // The seed is fixed.
    let compare = [
        "flex",
        "compare",
        "--base",
        "HEAD",
        "--seed",
        "a",
        "--max-pairs",
        "60",
    ];
    let said = project.cargo(&compare, &[]);
    said.says(1, &["different, worse after", "1 worse, 1 identical"]);
    let compared = project
        .cargo(&[&compare[..], &["--json"]].concat(), &[])
        .json();
    assert_eq!(compared["version"], 1);
    let tests = compared["tests"].as_array().expect("tests are a list");
    let verdict = |name: &str| {
        let test = tests
            .iter()
            .find(|test| test["name"] == name)
            .expect("it is there");
        (
            test["series"][0]["verdict"].as_str().unwrap().to_owned(),
            test["pairs"].as_u64(),
        )
    };
    assert_eq!(verdict("tests::moves").0, "worse");
    assert_eq!(verdict("tests::steady"), ("identical".to_owned(), Some(3)));
    let status = project.git(&["status", "--porcelain"]);
    assert_eq!(status, " M src/lib.rs\n");
    project
        .cargo(&["flex", "compare", "--base", "nonsense"], &[])
        .says(2, &["no commit here"]);
}
