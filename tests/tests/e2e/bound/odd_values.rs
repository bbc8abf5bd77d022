//! Values that are no ordinary sample: what `flex-harness bound` makes of them, or why it refuses.

use super::*;

#[test]
fn odd_values_are_explained() {
    let line = |args: &[&str], values: &[f64]| bound(args, values).out.replace('\n', " ");
    let mut values = vec![f64::NEG_INFINITY; 90];
    values.extend((1..=10).map(f64::from));
    let said = line(&[], &values);
    assert!(
        said.contains("100 values, 10 of them finite, from 1 to 10"),
        "{said}"
    );
    assert!(
        said.contains("guard    x ≤ 2 ") && said.contains("90 of 100 values are NaN or infinite"),
        "{said}"
    );
    let said = line(&[], &[f64::NAN; 30]);
    assert!(said.contains("so no finite guard exists"), "{said}");
    let said = line(&["--light"], &exponential(100));
    assert!(
        said.contains("takes your word that the tail is light"),
        "{said}"
    );
    let said = line(&["--confidence", "0.6"], &exponential(100));
    assert!(said.contains("at most 40% of runs"), "{said}");
    let said = line(&[], &[1.0]);
    assert!(
        said.contains("1 value from 1 to 1") && said.contains("1 run is too few"),
        "{said}"
    );
    assert!(line(&[], &[]).starts_with("no values"));
}

#[test]
fn counts_are_recognised_and_their_bounds_are_counts() {
    let counts: Vec<f64> = exponential(100).iter().map(|x| (4.0 * x).floor()).collect();
    let answer = json(&[], &counts);
    assert_eq!(answer["lattice_step"], 1.0);
    for bound in [
        &answer["ceiling"],
        &answer["guard"]["bound"],
        &answer["rounded"]["ceiling"],
    ] {
        let bound = bound.as_f64().unwrap();
        assert_eq!(bound, bound.floor());
    }
    assert!(bound(&[], &counts).out.contains("on a lattice of step 1\n"));
    assert_eq!(json(&[], &exponential(100))["lattice_step"], Value::Null);
}

#[test]
fn numbers_of_any_size_fit_the_page() {
    for factor in [1e-13, 1e-300, 1e300] {
        let values: Vec<f64> = exponential(100).iter().map(|x| x * factor).collect();
        let out = bound(&[], &values).out;
        let widest = out.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(80), "{out}");
    }
    let help = flex_harness(&["bound", "--help"], "").out;
    assert!(
        help.lines().all(|line| line.chars().count() <= 80),
        "{help}"
    );
}

#[test]
fn a_refusal_has_a_reason_and_exit_code_4() {
    let said = bound(&[], &[1.0, 2.0, 3.0]);
    assert_eq!(said.code, 4);
    assert!(
        said.out.contains("refused: 3 runs are too few for a guard"),
        "{}",
        said.out
    );
    assert_eq!(bound(&["--json"], &[]).code, 4);
}

#[test]
fn a_second_cluster_names_its_runs() {
    let mut values = exponential(100);
    values[3] = 600.0;
    values[57] = 601.0;
    let reason = json(&[], &values)["reason"].as_str().unwrap().to_owned();
    assert!(
        reason.contains("2 largest of 100 values form a second cluster"),
        "{reason}"
    );
    assert!(reason.ends_with("look at runs 57 and 3"), "{reason}");
}
