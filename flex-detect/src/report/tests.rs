//! Reports, as people and programs read them.

use flex_core::paint::Paint;
use serde_json::Value;

use super::*;
use flex_run::model::{Cause, Place, TestId, Touch};

use crate::record::{ObservedTest, Outcome, Repeat, RepeatPlace};
use crate::verdict::JudgeRule;
use crate::verdict::tests::{judged, spread, test};

fn sometimes(run: u32) -> f64 {
    if run % 6 == 4 { 2.0 } else { spread(run) }
}

/// A flaky test, a golden one, a constant one, and one with a second mode that panics, too, and takes no seed.
fn tests() -> Vec<ObservedTest> {
    let golden = ObservedTest {
        id: TestId::pytest("tests/test_a.py::test_golden"),
        first_as_written: true,
        notes: vec!["draws at import time are not varied".to_owned()],
        ..test(30, 0.0, |run| if run == 0 { -1.0 } else { 1.0 })
    };
    let constant = ObservedTest {
        id: TestId::pytest("tests/test_a.py::test_constant"),
        notes: vec!["draws at import time are not varied".to_owned()],
        ..test(230, 1.0, |_| 0.25)
    };
    let far = |run: u32| if run % 20 == 3 { 1e3 } else { spread(run) };
    let mut panics = ObservedTest {
        id: TestId::pytest("tests/test_a.py::test_far"),
        replay: None,
        ..test(100, 50.0, far)
    };
    panics.runs[7].outcome = Outcome::Fail;
    vec![test(30, 1.0, sometimes), golden, constant, panics]
}

#[test]
fn people_read_blocks_a_table_and_a_last_line() {
    let found = judged(tests(), JudgeRule::default());
    let text = text(&found, false, Paint::Plain);
    assert_eq!(text, TEXT, "{text}");
    for line in text.lines().filter(|line| !line.contains("replay")) {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

const TEXT: &str = "\
flaky: tests/test_a.py:5: assert x < b
    test  tests/test_a.py::test_x
   fails  in 5 of 30 runs, 17% (95% interval: 5.6% to 35%)
  values  0 to 2; the bound is 1
     why  AssertionError
   seeds  k3J9@detect:4, k3J9@detect:10, k3J9@detect:16 and 2 more
  replay  pytest tests/test_a.py::test_x --flex-seed=k3J9@detect:4

golden: tests/test_a.py:5: assert x < b
    test  tests/test_a.py::test_golden
          passes only under the seeds that the source states
   fails  in 29 of 29 runs, 100% (95% interval: 88% to 100%)
  values  1; the bound is 0; as written -1
     why  AssertionError
   seeds  k3J9@detect:1, k3J9@detect:2, k3J9@detect:3 and 26 more
  replay  pytest tests/test_a.py::test_golden --flex-seed=k3J9@detect:1

second mode: tests/test_a.py:5: assert x < b
    test  tests/test_a.py::test_far
          5 values (1000) far from the rest (0 to 0.9919), which is probably a
          bug; look there first
   fails  in 5 of 100 runs, 5.0% (95% interval: 1.6% to 11%)
  values  0 to 1000; the bound is 50
     why  AssertionError
  replay  no seed controls this test, so no run can be repeated

flaky: tests/test_a.py:3: outcome
    test  tests/test_a.py::test_far
   fails  in 1 of 100 runs, 1.0% (95% interval: 0.025% to 5.4%)
  replay  no seed controls this test, so no run can be repeated

note: tests/test_a.py::test_golden and 1 more: draws at import time are not
varied

assertions  varied  constant  pass  fail  skip  runs: mean  most  range
tests/test_a.py::test_x
         1       1         0    25     5     0        30.0    30  0..2
tests/test_a.py::test_golden
         1       0         1     1    29     0        29.0    29  1
tests/test_a.py::test_far
         2       2         0    94     6     0       100.0   100  0..1000
all 4 tests
         5       3         2   350    40     0        97.8   230
varied, constant: assertions whose values differ from run to run, or do not;
pass, fail, skip: runs of the test; runs: how many reached an assertion, on
average and at most; range: values of the assertion to look at first
1 more test in which nothing varies or fails, 230 runs; -v lists them

2 flaky, 1 golden, 1 second mode of 5 assertions in 4 tests, 390 runs
";

#[test]
fn nothing_found_is_one_line_and_verbose_says_more() {
    let steady = judged(vec![test(230, 4.0, spread)], JudgeRule::default());
    let short = text(&steady, false, Paint::Plain);
    assert!(!short.contains("steady"), "{short}");
    assert!(
        short.ends_with("nothing found in 1 assertion in 1 test, 230 runs\n"),
        "{short}"
    );
    let long = text(&steady, true, Paint::Plain);
    for words in [
        "steady: tests/test_a.py:5: assert x < b",
        "fails with probability",
        "in 0 of 230 runs",
    ] {
        assert!(long.contains(words), "{words}: {long}");
    }
    let none = judged(Vec::new(), JudgeRule::default());
    assert!(
        text(&none, true, Paint::Plain)
            .ends_with("nothing found in 0 assertions in 0 tests, 0 runs\n")
    );
}

#[test]
fn every_finding_can_be_replayed() {
    let value = |run: u32| -(1.0 - spread(run)).ln();
    let rule = JudgeRule {
        probability: Some(1e-4),
    };
    let calibrated = ObservedTest {
        seeds: Some("two words@calibrate".to_owned()),
        ..test(30, 1.0, sometimes)
    };
    let found = judged(vec![test(230, 7.0, value), calibrated], rule);
    let text = text(&found, false, Paint::Plain);
    let commands: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("replay"))
        .collect();
    assert_eq!(commands.len(), 2, "{text}");
    assert!(
        commands[1].ends_with("pytest tests/test_a.py::test_x '--flex-seed=two words@calibrate:4'"),
        "{text}"
    );
    assert!(
        text.contains("risky: ") && text.contains("1 flaky, 1 risky of 2 assertions"),
        "{text}"
    );
}

#[test]
fn programs_read_everything_and_no_number_is_lost() {
    let mut all = tests();
    all.push(test(40, f64::INFINITY, |run| {
        if run == 3 { f64::INFINITY } else { spread(run) }
    }));
    let nan = |run| if run == 3 { f64::NAN } else { spread(run) };
    all.push(test(40, 2.0, nan));
    let found = judged(
        all,
        JudgeRule {
            probability: Some(1e-3),
        },
    );
    let value: Value = serde_json::from_str(&json(&found)).unwrap();
    assert_eq!(
        (value["version"].as_u64(), value["has_findings"].as_bool()),
        (Some(1), Some(true))
    );
    let first = &value["tests"][0]["assertions"][0];
    assert_eq!(first["verdict"], "flaky");
    assert_eq!(first["seeds"][1], "k3J9@detect:10");
    assert_eq!(
        first["replay"],
        "pytest tests/test_a.py::test_x --flex-seed=k3J9@detect:4"
    );
    assert_eq!(
        first["interval"][0],
        found.tests[0].findings[0].figures.interval.0
    );
    assert_eq!(value["tests"][1]["verdict"], "golden");
    assert_eq!(
        value["tests"][1]["assertions"][0]["as_written"]["value"],
        -1.0
    );
    assert_eq!(
        value["tests"][3]["assertions"][0]["cluster"]["range"][1],
        1e3
    );
    assert_eq!(
        value["tests"][3]["assertions"][0]["seeds"]
            .as_array()
            .map(Vec::len),
        Some(0)
    );
    assert_eq!(value["tests"][4]["assertions"][0]["bound"], "inf");
    assert_eq!(
        value["tests"][5]["assertions"][0]["remarks"][0],
        "NaN or infinite in run 3"
    );
}

#[test]
fn what_was_touched_is_said_first_what_no_seed_decides() {
    let touch = |cause, what: &str, seeded, line| Touch {
        cause,
        what: what.to_owned(),
        seeded,
        count: 3,
        place: Some(Place::new("pool.py", line)),
    };
    let draw = touch(Cause::Randomness, "random.random()", true, 2);
    let clock = touch(Cause::Time, "wall clock", false, 17);
    let flaky = ObservedTest {
        probe: Some([draw, clock].into_iter().collect()),
        ..test(60, 1.0, sometimes)
    };
    let found = judged(vec![flaky], JudgeRule::default());
    let line = " touches  wall clock at pool.py:17, random.random() at pool.py:2\n";
    assert!(text(&found, false, Paint::Plain).contains(line));
    let value: Value = serde_json::from_str(&json(&found)).unwrap();
    let told = &value["tests"][0];
    assert_eq!(told["variability"], "can vary");
    assert_eq!(told["touches"][1]["cause"], "time");
    assert_eq!(told["touches"][1]["line"], 17);
}

#[test]
fn tests_in_which_nothing_happens_are_counted() {
    let quiet = || test(2, 1.0, |_| 0.25);
    let found = judged(vec![quiet(), quiet()], JudgeRule::default());
    let short = text(&found, false, Paint::Plain);
    assert!(
        short.starts_with("2 tests in which nothing varies or fails, 4 runs; -v lists them\n"),
        "{short}"
    );
    let long = text(&found, true, Paint::Plain);
    assert!(
        long.contains("assertions  varied") && !long.contains("-v lists"),
        "{long}"
    );
}

#[test]
fn a_condition_is_called_one_and_has_a_rate() {
    let mut tried = test(30, 1.0, sometimes);
    let site = &mut tried.sites[0];
    site.series.clear();
    site.form = "condition".to_owned();
    site.text = "assert not f(x)".to_owned();
    site.failed = (0..30).filter(|run| run % 6 == 4).collect();
    for run in &mut tried.runs {
        run.failed_site = (run.outcome == Outcome::Fail).then_some(0);
    }
    let again = ObservedTest {
        repeats: vec![Repeat {
            index: 4,
            place: RepeatPlace::SameProcess,
            outcome: Outcome::Pass,
            values: Vec::new(),
        }],
        ..tried.clone()
    };
    let differs = text(
        &judged(vec![again], JudgeRule::default()),
        false,
        Paint::Plain,
    );
    assert!(
        differs.starts_with("uncontrolled: tests/test_a.py:5: assert not f(x)")
            && !differs.contains("outcome"),
        "{differs}"
    );
    let text = text(
        &judged(vec![tried], JudgeRule::default()),
        false,
        Paint::Plain,
    );
    for words in [
        "flaky: tests/test_a.py:5: assert not f(x)",
        "a condition: it holds or not, and compares no numbers",
        "fails  in 5 of 30 runs, 17%",
        "         1       1         0    25     5     0        30.0    30\n",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains("outcome"), "{text}");
}

#[test]
fn a_range_that_does_not_fit_stands_below_whole() {
    let wide = |run: u32| 0.001234 + 0.1 * spread(run) / 3.0;
    let told = text(
        &judged(vec![test(230, 0.05, wide)], JudgeRule::default()),
        false,
        Paint::Plain,
    );
    let lines: Vec<&str> = told.lines().collect();
    let longest = lines.iter().map(|line| line.chars().count()).max();
    assert!(longest <= Some(80), "{told}");
    let range = lines
        .iter()
        .find(|line| line.trim_start().starts_with("0.001234.."));
    assert_eq!(range.map(|line| line.len()), Some(80), "{told}");
}

#[test]
fn long_names_keep_their_end() {
    let long = "tests/a/very/long/path/of/folders/that/goes/on/and/on/test_it.py::TestIt::test_of_one[the-last]";
    let tests = vec![ObservedTest {
        id: TestId::pytest(long),
        ..test(30, 1.0, sometimes)
    }];
    let text = text(&judged(tests, JudgeRule::default()), false, Paint::Plain);
    let line = text.lines().find(|line| line.starts_with('…')).unwrap();
    assert_eq!(line.chars().count(), 80);
    assert!(
        line.ends_with("test_it.py::TestIt::test_of_one[the-last]"),
        "{line}"
    );
}
