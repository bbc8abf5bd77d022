//! `flex-harness bound`, as a user runs it: what it answers.

mod odd_values;
mod stream;
mod usage;

use flex_tests::{Said, flex_harness, program, run};
use serde_json::Value;
use std::process::Command;

/// Quantiles of an exponential with mean 1, in a fixed scrambled order: a sample without chance.
fn exponential(n: u32) -> Vec<f64> {
    let value = |i| -((f64::from(i * 37 % n) + 0.5) / f64::from(n)).ln();
    (0..n).map(value).collect()
}

fn text(values: &[f64]) -> String {
    let words: Vec<String> = values.iter().map(f64::to_string).collect();
    words.join("\n")
}

fn bound(args: &[&str], values: &[f64]) -> Said {
    flex_harness(&[&["bound"], args].concat(), &text(values))
}

fn json(args: &[&str], values: &[f64]) -> Value {
    let said = bound(&[&["--json"], args].concat(), values);
    assert_eq!(said.err, "");
    said.json()
}

#[test]
fn words_say_the_bounds_and_what_they_promise() {
    let said = bound(&[], &exponential(100));
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    for words in [
        "100 values from",
        "guard    x ≤ ",
        "beyond it, replay; rerun if something changed",
        "catches +0.85 in 69%, ",
        "ceiling  x ≤ ",
        "1 run in 10,000 (confidence 0.9999); 99% of such",
        "generalised Pareto tail",
    ] {
        assert!(said.out.contains(words), "{words}: {}", said.out);
    }
    let widest = said.out.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(80), "{}", said.out);
}

#[test]
fn json_holds_every_part_of_the_answer() {
    let answer = json(&[], &exponential(100));
    assert_eq!(answer["strategy"], "tail");
    let race = &answer["guard"]["race"];
    assert_eq!(race["cuts"].as_array().map(Vec::len), Some(9));
    assert_eq!(
        (&race["clear"], &race["fail"]),
        (&(-24).into(), &172.into())
    );
    assert_eq!(answer["guard"]["strays"]["fail"], 92);
    assert_eq!(answer["fit"]["exceedances"], 20);
    assert_eq!(answer["reason"], Value::Null);
    assert_eq!(answer["power"]["caught"].as_array().map(Vec::len), Some(3));
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    // A replay in three of ten runs, and eight reruns in one of a hundred.
    assert!((number(&answer["extra_runs"]) - 0.38).abs() < 0.005);
    assert!(number(&answer["guard"]["bound"]) < number(&answer["ceiling"]));
    assert!(number(&answer["rounded"]["ceiling"]) >= number(&answer["ceiling"]));
}

#[test]
fn both_tails_and_the_domain_are_answered_side_by_side() {
    let answer = json(&["--tail", "both", "--domain", "0.."], &exponential(100));
    assert_eq!(answer["lower"]["ceiling"], Value::Null);
    assert!(answer["lower"]["guard"]["bound"].as_f64() > Some(0.0));
    assert!(answer["upper"]["ceiling"].as_f64() > Some(4.6));
    assert!(
        answer["reason"]
            .as_str()
            .unwrap()
            .contains("end of the domain (0)")
    );
}

#[test]
fn a_light_tail_is_tighter_and_a_lower_tail_mirrors() {
    let ceiling = |args: &[&str], values: &[f64]| json(args, values)["ceiling"].as_f64().unwrap();
    let values = exponential(100);
    assert!(ceiling(&["--light"], &values) < 0.5 * ceiling(&[], &values));
    let mirrored: Vec<f64> = values.iter().map(|x| -x).collect();
    assert_eq!(
        ceiling(&["--tail", "lower"], &mirrored),
        -ceiling(&[], &values)
    );
}

#[test]
fn a_declared_bound_is_counted_with_its_interval() {
    // Five of the hundred quantiles are beyond 3; scipy's exact interval for 5 of 100.
    let answer = json(&["--declared", "3"], &exponential(100));
    assert_eq!(answer["declared"]["failures"], 5);
    let interval = &answer["declared"]["interval"];
    assert!((interval[0].as_f64().unwrap() - 0.016431879).abs() < 1e-8);
    assert!((interval[1].as_f64().unwrap() - 0.112834911).abs() < 1e-8);
    let said = bound(&["--declared", "3"], &exponential(100));
    assert!(
        said.out.contains("5 of 100 values are beyond 3"),
        "{}",
        said.out
    );
}

#[test]
fn a_declared_bound_beyond_the_data_is_read_from_the_tail() {
    let answer = json(&["--declared", "9"], &exponential(1000));
    assert_eq!(answer["declared"]["failures"], 0);
    let from_tail = &answer["declared"]["from_tail"];
    let (rate, limit) = (
        from_tail[0].as_f64().unwrap(),
        from_tail[1].as_f64().unwrap(),
    );
    let truth = (-9.0f64).exp();
    assert!(rate > truth / 5.0 && rate < 5.0 * truth, "{rate}");
    assert!(limit > truth, "{limit}");
}

#[test]
fn equal_samples_give_equal_bytes() {
    let input = text(&exponential(300));
    let first = flex_harness(&["bound", "--json"], &input);
    let again = flex_harness(&["bound", "--json"], &input);
    assert_eq!(first.out, again.out);
}
