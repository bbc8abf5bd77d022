//! `flex-harness plan`: runs that are needed, what they can show, and what they cost.

use flex_tests::flex_harness;

#[test]
fn plans_say_runs_power_and_cost() {
    let plan = |args: &[&str]| flex_harness(&[&["plan"], args, &["--json"]].concat(), "").json();
    assert_eq!(
        plan(&["catch", "--rate", "0.01", "--confidence", "0.99"])["runs"],
        459
    );
    assert_eq!(plan(&["catch", "--rate", "0.02"])["runs"], 228);
    let calibrate = plan(&["calibrate", "--confidence", "0.9999"]);
    let at = calibrate["at"].as_array().unwrap();
    assert_eq!(
        at[0]["runs"], calibrate["guard_needs"],
        "what the fewest runs catch is said"
    );
    let hundred = at.iter().find(|row| row["runs"] == 100).unwrap();
    assert!((0.64..0.66).contains(&hundred["power"][1].as_f64().unwrap()));
    assert!((0.21..0.23).contains(&hundred["power_without_replay"][1].as_f64().unwrap()));
    let no_guard = plan(&["calibrate", "--confidence", "0.99", "--effort", "0"]);
    assert_eq!(no_guard["order_statistic_needs"].as_f64(), Some(459.0));
    assert_eq!(calibrate["order_statistic_needs"].as_f64(), Some(57563.0));
    // A broken test costs all its runs, which the published formula leaves out.
    let broken = plan(&["campaign", "--runs", "20", "--fail", "1", "--seconds", "3"]);
    assert_eq!(
        (&broken["expected_runs"], &broken["expected_seconds"]),
        (&20.0.into(), &60.0.into())
    );
    assert_eq!(broken["expected_reruns_after_failure"].as_f64(), Some(19.0));
    for args in [
        &["catch", "--rate", "0.01"][..],
        &["calibrate"],
        &["campaign", "--runs", "9"],
    ] {
        let said = flex_harness(&[&["plan"], args].concat(), "");
        assert_eq!((said.code, said.err.as_str()), (0, ""));
        let widest = said.out.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(80), "{}", said.out);
    }
}

#[test]
fn plans_say_how_many_runs_decide_a_claim() {
    let plan = |args: &[&str]| flex_harness(&[&["plan", "claim"], args].concat(), "");
    let rate = plan(&["--at-least", "0.95", "--json"]).json();
    let runs = |row: usize| rate["at"][row]["runs"].as_f64().unwrap();
    // A rate of 1 is fine after 62 runs or so; at 0.92, 0.86 and 0.65 it is found sooner and sooner.
    assert_eq!(rate["at"][0]["truth"], 1.0);
    assert!((55.0..75.0).contains(&runs(0)), "{rate}");
    assert!(
        runs(3) > runs(4) && runs(4) > runs(5) && runs(5) < 40.0,
        "{rate}"
    );
    let said = plan(&["--at-most", "0.1", "--sd", "0.03", "--domain", "0..1"]);
    let words = "called broken by chance once in 10,667 tests at most";
    assert!(said.out.replace('\n', " ").contains(words), "{}", said.out);
    let widest = said.out.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(80), "{}", said.out);
    assert_eq!(plan(&["--at-least", "1.5"]).code, 2);
    assert_eq!(plan(&["--at-most", "0.5", "--sd", "0.1"]).code, 2);
    assert_eq!(
        plan(&["--at-most", "5", "--sd", "0.1", "--domain", "0..1"]).code,
        2
    );
    assert_eq!(plan(&[]).code, 2);
}

#[test]
fn plans_repeat_what_was_asked_and_count_in_english() {
    let said = |args: &[&str]| {
        let out = flex_harness(&[&["plan"], args].concat(), "").out;
        out.replace('\n', " ")
    };
    let out = said(&["catch", "--rate", "0.01", "--confidence", "0.9999"]);
    assert!(out.contains("917 runs with probability 99.99%"), "{out}");
    let out = said(&["catch", "--rate", "0.07", "--confidence", "0.001"]);
    assert!(
        out.contains("fails in 7% of its runs shows it within 1 run with"),
        "{out}"
    );
}

#[test]
fn impossible_plans_are_errors_with_hints() {
    for (args, words) in [
        (
            &["plan", "catch", "--rate", "0"][..],
            "a failure rate of 0 is never seen",
        ),
        (&["plan", "catch", "--rate", "2"], "2 is not a probability"),
        (
            &[
                "plan", "campaign", "--runs", "3", "--fail", "0.7", "--skip", "0.7",
            ],
            "cannot fail with probability",
        ),
    ] {
        let said = flex_harness(args, "");
        said.says(2, &[words, "hint: "]);
        assert_eq!(said.out, "", "{args:?}");
    }
}
