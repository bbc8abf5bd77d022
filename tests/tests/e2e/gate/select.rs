//! `gate select` on a real workspace of cargo.

use flex_tests::project::{NORMAL, Project};

const TESTS: &str = r#"
use flex_harness::{TestRng, assert_tail_bound, stochastic_test};
use gate_select::{knob, normal, other};

#[test]
fn plain() {
    assert_eq!(other(1), 2);
}

#[test]
fn unconcerned() {
    assert_eq!(1 + 1, 2);
}

#[stochastic_test]
fn moves(rng: &mut TestRng) {
    let error = normal(rng, knob("SHIFT"));
    assert_tail_bound!(error < _);
}
"#;

#[test]
fn tests_are_selected_with_their_reasons_and_stochastic_ones_by_replay() {
    let lib = format!(
        "{NORMAL}\npub fn other(x: u32) -> u32 {{\n    inner(x)\n}}\n\nfn inner(x: u32) -> u32 {{\n    x + 1\n}}\n"
    );
    let files = [("src/lib.rs", lib.as_str()), ("tests/all.rs", TESTS)];
    let project = Project::new("gate-select", "", &files);
    project.forget();
    project.calibrate(&[], &[]).says(0, &["1 test calibrated"]);
    project.begin_history();
    let select = |args: &[&str]| {
        let args = [&["flex", "gate", "select"], args].concat();
        project.cargo(&args, &[])
    };
    let said = select(&[]);
    said.says(0, &["0 of 3 tests selected"]);
    // A function that one test reaches through another.
    project.replace("src/lib.rs", "    x + 1\n", "    1 + x\n");
    let said = select(&[]);
    said.says(0, &["1 of 3 tests selected"]);
    assert_eq!(
        said.out,
        "gate-select test:all plain\n    reaches tests/all.rs:import of other → src/lib.rs:other → src/lib.rs:inner\n"
    );
    assert_eq!(select(&["src/lib.rs:inner"]).out, said.out);
    // The code of a stochastic test in other words, and then to other effect.
    project.replace(
        "src/lib.rs",
        ".sum::<f64>() - 6.0 + shift",
        ".sum::<f64>() + shift - 6.0 + 0.0 * shift",
    );
    let said = select(&[]);
    said.says(
        0,
        &["1 of 3 tests selected", "1 stochastic test not affected"],
    );
    let said = select(&["--no-replay", "--json"]);
    assert_eq!(said.json()["tests"][0]["id"], "gate-select test:all moves");
    project.replace("src/lib.rs", "+ 0.0 * shift", "+ 0.5");
    select(&[]).says(0, &["2 of 3 tests selected"]);
    select(&["--only-new"]).says(0, &["0 of 3 tests selected"]);
    project.write(
        "flex.toml",
        "[[depends]]\nfile = \"tests/all.rs\"\non = \"notes/*.txt\"\n",
    );
    project.commit("more");
    project.write("notes/a.txt", "x");
    select(&[]).says(0, &["depends on notes/a.txt", "3 of 3 tests selected"]);
    let _ = std::fs::remove_dir_all(project.path(".git"));
}
