//! Verdicts of small records, each a case of `check`.

use flex_run::model::{Cause, Probe, Touch};

use super::*;
use crate::record::{
    ObservedRun, ObservedSite, PytestReplay, Reader, Repeat, RepeatPlace, Role, RunnerReplay,
    Series, VERSION,
};

/// Evenly spread values in [0, 1), in no order.
pub(crate) fn spread(run: u32) -> f64 {
    (f64::from(run) * 0.618_033_988_749_895).fract()
}

/// A test with one hard assertion `x < bound` that saw `value` in each of `runs` runs.
pub(crate) fn test(runs: u32, bound: f64, value: impl Fn(u32) -> f64) -> ObservedTest {
    let values: Vec<(u32, f64)> = (0..runs).map(|run| (run, value(run))).collect();
    let fails = |value: f64| value.is_nan() || bound.is_nan() || value >= bound;
    let failed = values.iter().filter(|(_, value)| fails(*value));
    ObservedTest {
        replay: Some(RunnerReplay::Pytest(PytestReplay::default())),
        seconds_per_run: 0.001,
        runs: values
            .iter()
            .map(|(run, value)| ran(*run, fails(*value).then_some(0)))
            .collect(),
        sites: vec![ObservedSite {
            id: "x<b".into(),
            place: Place::new("tests/test_a.py", 5),
            span: None,
            text: "assert x < b".to_owned(),
            form: "assert".to_owned(),
            within: None,
            is_hard: true,
            failed: failed.map(|(run, _)| *run).collect(),
            series: vec![Series {
                values,
                ..Series::new(Role::Upper, bound)
            }],
        }],
        ..ObservedTest::new(
            TestId::pytest("tests/test_a.py::test_x"),
            Place::new("tests/test_a.py", 3),
        )
    }
}

pub(crate) fn ran(index: u32, failed_site: Option<usize>) -> ObservedRun {
    ObservedRun {
        index,
        outcome: match failed_site {
            Some(_) => Outcome::Fail,
            None => Outcome::Pass,
        },
        why: failed_site.map(|_| "AssertionError".to_owned()),
        failed_site,
    }
}

pub(crate) fn judged(tests: Vec<ObservedTest>, rule: JudgeRule) -> Findings {
    judge(&judged_record(tests), &rule)
}

pub(crate) fn judged_record(tests: Vec<ObservedTest>) -> Record {
    Record {
        version: VERSION,
        runner: Runner::Pytest,
        base: "k3J9".to_owned(),
        root: "".into(),
        rerun_marker: None,
        tests,
        reader: Reader::default(),
    }
}

/// Checks the words of all verdicts, with a star for those that the exit code tells; and returns the first finding.
fn check(test: ObservedTest, expected: &[&str]) -> Finding {
    let found = judged(vec![test], JudgeRule::default());
    let star = |finding: &Finding| if finding.is_finding() { "*" } else { "" };
    let words: Vec<String> = found
        .iter()
        .map(|finding| format!("{}{}", finding.word(), star(finding)))
        .collect();
    assert_eq!(words, expected);
    assert_eq!(
        found.has_findings(),
        expected.iter().any(|word| word.ends_with('*'))
    );
    found.tests[0].findings[0].clone()
}

fn repeat(index: u32, place: RepeatPlace, outcome: Outcome, value: f64) -> Repeat {
    Repeat {
        index,
        place,
        outcome,
        values: vec![(0, 0, value)],
    }
}

#[test]
fn failures_decide_and_are_counted() {
    let constant = check(test(230, 1.0, |_| 0.5), &["constant"]);
    assert_eq!(constant.figures.tail, None);
    let steady = check(test(230, 4.0, spread), &["steady"]);
    let tail = steady.figures.tail.unwrap().unwrap();
    assert!(tail.estimate < 1e-4 && tail.estimate <= tail.upper_limit);
    // 1 - 0.025 ** (1 / 230) in Python
    assert!((steady.figures.interval.1 - 0.015_910_672_747_766_8).abs() < 1e-12);
    let flaky = check(
        test(30, 1.0, |run| if run % 6 == 4 { 2.0 } else { spread(run) }),
        &["flaky*"],
    );
    assert_eq!(flaky.figures.failed, [4, 10, 16, 22, 28]);
    // scipy.stats.binomtest(5, 30).proportion_ci(0.95, "exact")
    assert!((flaky.figures.interval.0 - 0.056_421_696_468).abs() < 1e-9);
    assert!((flaky.figures.interval.1 - 0.347_211_698_834).abs() < 1e-9);
    assert_eq!(flaky.figures.why.as_deref(), Some("AssertionError"));
    check(test(30, -1.0, spread), &["broken*"]);
    check(test(30, f64::NAN, spread), &["broken*"]);
    check(test(0, 1.0, spread), &["skipped"]);
    let mut skipped = test(30, 1.0, |_| 0.5);
    skipped
        .runs
        .iter_mut()
        .for_each(|run| run.outcome = Outcome::Skip);
    check(skipped, &["skipped"]);
}

#[test]
fn golden_tests_pass_only_as_written() {
    let written = |rate: f64| {
        let value = move |run| if run == 0 { 0.5 } else { spread(run) / rate };
        ObservedTest {
            first_as_written: true,
            ..test(60, 1.0, value)
        }
    };
    // Of the varied runs, the part 1 − rate fails.
    let golden = check(written(0.05), &["golden*"]);
    assert_eq!(golden.figures.runs, 59, "the first run is none of them");
    let as_written = AsWritten {
        failed: false,
        value: Some(0.5),
    };
    assert_eq!(golden.figures.as_written, Some(as_written));
    check(written(0.7), &["flaky*"]);
    check(written(0.3), &["flaky*"]);
    let fails_anyway = ObservedTest {
        first_as_written: true,
        ..test(60, -1.0, spread)
    };
    check(fails_anyway, &["broken*"]);
    let fails_only_as_written = ObservedTest {
        first_as_written: true,
        ..test(60, 1.0, |run| if run == 0 { 2.0 } else { 0.5 })
    };
    let found = check(fails_only_as_written, &["flaky*"]);
    assert_eq!(found.remarks, [Remark::FailsAsWritten]);
    assert!(found.figures.failed.is_empty());
    // Too few to tell.
    let few = ObservedTest {
        first_as_written: true,
        ..test(4, 1.0, |run| f64::from(run) + 0.5)
    };
    check(few, &["flaky*"]);
}

#[test]
fn failures_without_an_assertion_are_those_of_the_test() {
    let mut raises = test(100, 4.0, spread);
    for run in [17, 60] {
        raises.runs[run].outcome = Outcome::Fail;
    }
    check(raises.clone(), &["steady", "flaky*"]);
    raises.sites.clear();
    let found = check(raises.clone(), &["flaky*"]);
    assert_eq!((found.site, found.figures.failed), (None, vec![17, 60]));
    raises
        .runs
        .iter_mut()
        .for_each(|run| run.outcome = Outcome::Pass);
    check(raises.clone(), &["constant"]);
    raises
        .runs
        .iter_mut()
        .for_each(|run| run.outcome = Outcome::Fail);
    check(raises.clone(), &["broken*"]);
    raises.first_as_written = true;
    raises.runs[0].outcome = Outcome::Pass;
    check(raises, &["golden*"]);
}

#[test]
fn rates_are_out_of_the_runs_that_reached_the_assertion() {
    let mut both = test(100, 0.5, spread);
    let mut second = both.sites[0].clone();
    second.series[0].values.retain(|(_, value)| *value < 0.5);
    second.series[0].bound = Some(0.25);
    let fails = |value: f64| value >= 0.25;
    let values = second.series[0].values.clone();
    second.failed = values
        .iter()
        .filter(|(_, value)| fails(*value))
        .map(|(run, _)| *run)
        .collect();
    for run in &second.failed {
        both.runs[*run as usize] = ran(*run, Some(1));
    }
    let (reached, failed) = (values.len(), second.failed.clone());
    both.sites.push(second);
    let found = judged(vec![both.clone()], JudgeRule::default());
    let later = &found.tests[0].findings[1];
    assert_eq!(
        (later.figures.runs, &later.figures.failed),
        (reached, &failed)
    );
    assert!((reached as f64 - 50.0).abs() < 3.0);
    // Where it fails whenever it is reached, but is not always reached, it is flaky and not broken.
    both.sites[1].failed = values.iter().map(|(run, _)| *run).collect();
    both.runs
        .iter_mut()
        .for_each(|run| *run = ran(run.index, None));
    for run in &both.sites[1].failed {
        both.runs[*run as usize] = ran(*run, Some(1));
    }
    both.sites.remove(0);
    both.runs.iter_mut().for_each(|run| {
        run.failed_site = run.failed_site.map(|_| 0);
    });
    let found = check(both, &["flaky*"]);
    let whenever = Remark::FailsWhenReached { reached, of: 100 };
    assert_eq!(found.remarks, [whenever]);
}

#[test]
fn an_assertion_that_something_caught_failed_nothing() {
    let mut caught = test(100, 0.9, spread);
    caught
        .runs
        .iter_mut()
        .for_each(|run| *run = ran(run.index, None));
    let found = check(caught.clone(), &["steady"]);
    assert!(matches!(&found.remarks[..], [Remark::Caught(runs)] if runs.len() == 10));
    // A run that another assertion failed.
    caught.sites.push(caught.sites[0].clone());
    let run = caught.sites[0].failed[0];
    caught.runs[run as usize] = ran(run, Some(1));
    check(caught, &["steady", "flaky*"]);
}

#[test]
fn a_far_cluster_is_a_second_mode_whether_it_fails_or_not() {
    let far = |run: u32| match run % 50 {
        7 => 100.0 + spread(run),
        _ => spread(run),
    };
    let found = check(test(230, 50.0, far), &["second mode*"]);
    let Diagnosis::SecondMode(cluster) = &found.verdict else {
        panic!("{found:?}");
    };
    assert_eq!(cluster.runs, found.figures.failed);
    let passes = check(test(230, 200.0, far), &["second mode"]);
    assert!(matches!(passes.figures.tail, Some(Err(_))));
    check(test(230, 1e6, far), &["steady"]);
    let rare = |run| if run == 7 { 100.0 } else { spread(run) };
    check(test(230, 50.0, rare), &["flaky*"]);
}

#[test]
fn what_the_same_seed_does_not_repeat_is_uncontrolled() {
    use Outcome::{Fail, Pass};
    use RepeatPlace::{OtherHashes, OtherProcess, SameProcess};
    let with = |repeats: &[Repeat]| ObservedTest {
        repeats: repeats.to_vec(),
        ..test(100, 2.0, spread)
    };
    let source = |test: ObservedTest, word: &str| match check(test, &[word]).verdict {
        Diagnosis::Uncontrolled(source) => source,
        other => panic!("{other:?}"),
    };
    let same = |run, place| repeat(run, place, Pass, spread(run));
    let other = |run, place| repeat(run, place, Pass, 0.99 - spread(run));
    let equal = [
        same(1, SameProcess),
        same(2, OtherProcess),
        same(3, OtherHashes),
    ];
    check(with(&equal), &["steady"]);
    let hashes = with(&[
        same(1, SameProcess),
        same(2, OtherProcess),
        other(3, OtherHashes),
    ]);
    assert_eq!(
        source(hashes.clone(), "uncontrolled"),
        Randomness::HashOrder
    );
    let shared = with(&[same(1, SameProcess), other(2, OtherProcess)]);
    assert_eq!(
        source(shared.clone(), "uncontrolled"),
        Randomness::SharedState
    );
    let later = with(&[other(1, SameProcess), same(2, OtherProcess)]);
    assert_eq!(source(later, "uncontrolled"), Randomness::SharedState);
    let both = with(&[other(1, SameProcess), other(2, OtherProcess)]);
    assert_eq!(source(both.clone(), "uncontrolled"), Randomness::Unknown);
    let named = vec!["numpy.random.default_rng() at a.py:3".to_owned()];
    // What probes saw is more than a guess, and says no less than that.
    let touch = |cause, what: &str, seeded| Touch {
        cause,
        what: what.to_owned(),
        seeded,
        count: 1,
        place: None,
    };
    let touching = |test: ObservedTest| ObservedTest {
        probe: Some(Probe::from_iter([
            touch(Cause::Randomness, "random.random()", true),
            touch(Cause::Time, "wall clock", false),
            touch(Cause::Concurrency, "thread start", false),
        ])),
        ..test
    };
    let what_touched = |test| source(touching(test), "uncontrolled").to_string();
    assert_eq!(what_touched(both.clone()), "wall clock, or thread start");
    assert_eq!(
        what_touched(shared),
        "wall clock, or thread start, or state shared between runs"
    );
    assert_eq!(
        source(touching(hashes), "uncontrolled"),
        Randomness::HashOrder
    );
    let unseeded = ObservedTest {
        unseeded: named.clone(),
        ..both
    };
    assert_eq!(
        source(unseeded, "uncontrolled"),
        Randomness::Unseeded(named)
    );
    let fails = with(&[repeat(1, OtherProcess, Fail, 3.0)]);
    assert_eq!(source(fails, "uncontrolled*"), Randomness::Unknown);

    // Little beside what seeds do is a remark; the last bits are nothing; a run that is unknown is not compared.
    let slight = check(
        with(&[repeat(1, SameProcess, Pass, spread(1) + 1e-4)]),
        &["steady"],
    );
    assert!(matches!(slight.remarks[..], [Remark::Uncontrolled { .. }]));
    let bits = check(
        with(&[repeat(1, SameProcess, Pass, spread(1) + 1e-12)]),
        &["steady"],
    );
    assert!(bits.remarks.is_empty());
    check(with(&[repeat(1000, SameProcess, Pass, 77.0)]), &["steady"]);

    // An outcome that no value explains is the test's.
    let outcome = with(&[repeat(1, SameProcess, Fail, spread(1))]);
    check(outcome, &["steady", "uncontrolled*"]);
    let silent = Repeat {
        values: Vec::new(),
        ..same(1, SameProcess)
    };
    check(with(&[silent]), &["steady"]);
    // A test that failed and passes when made again is not broken.
    let passes = ObservedTest {
        repeats: vec![repeat(1, SameProcess, Pass, -7.0)],
        ..test(30, -1.0, spread)
    };
    check(passes, &["uncontrolled*"]);
}

#[test]
fn remarks_name_the_runs_that_look_like_bugs() {
    let nan = |run: u32| if run == 9 { f64::NAN } else { spread(run) };
    let found = check(test(100, 4.0, nan), &["flaky*"]);
    assert_eq!(found.remarks, [Remark::NotFinite(vec![9])]);
    let one = |run: u32| if run == 9 { 1.0 } else { 0.5 * spread(run) };
    let found = check(test(100, 0.9, one), &["flaky*"]);
    let at_end = Remark::AtEnd {
        end: 1.0,
        runs: vec![9],
    };
    assert_eq!(found.remarks, [at_end]);
    let switch = |run: u32| f64::from(run % 10 / 9);
    assert!(
        check(test(100, 0.5, switch), &["flaky*"])
            .remarks
            .is_empty()
    );
}

#[test]
fn an_asked_probability_makes_steady_ones_risky() {
    let at = |bound: f64, probability: Option<f64>| {
        let value = |run: u32| -(1.0 - spread(run)).ln();
        let found = judged(vec![test(230, bound, value)], JudgeRule { probability });
        let first = &found.tests[0].findings[0];
        assert_eq!(found.has_findings(), first.is_risky);
        first.word()
    };
    assert_eq!(at(7.0, Some(1e-4)), "risky");
    assert_eq!(at(7.0, None), "steady");
    assert_eq!(at(100.0, Some(1e-4)), "steady");
}

#[test]
fn both_ends_of_a_chain_can_fail_and_tolerances_are_one_condition() {
    let value = |run: u32| -(1.0 - spread(run)).ln();
    let mut one = test(230, 9.0, value);
    let estimate = |test: ObservedTest| {
        let found = check(test, &["steady"]);
        found.figures.tail.unwrap().unwrap().estimate
    };
    let alone = estimate(one.clone());
    let mut second = one.sites[0].series[0].clone();
    one.sites[0].series.push(second.clone());
    let twice = estimate(one.clone());
    assert!((twice / alone - 2.0).abs() < 1e-9, "{twice} {alone}");
    second.role = Role::Relative;
    one.sites[0].series[1] = second;
    assert_eq!(estimate(one), alone);
}

#[test]
fn a_record_that_contradicts_itself_is_judged_all_the_same() {
    let mut nonsense = test(40, 1.0, |run| if run % 3 == 0 { f64::NAN } else { 1e308 });
    nonsense.first_as_written = true;
    nonsense.runs[5].failed_site = Some(99);
    nonsense.runs.push(ran(7, None));
    nonsense.sites[0].failed.extend([7, 7, 4000]);
    nonsense.sites[0].series[0]
        .values
        .extend([(7, -1e308), (9000, 0.0)]);
    let mut empty = nonsense.sites[0].clone();
    empty.series.clear();
    nonsense.sites.push(empty);
    nonsense.repeats = vec![Repeat {
        values: vec![(77, 3, 0.0), (0, 9, f64::NAN)],
        ..repeat(7, RepeatPlace::SameProcess, Outcome::Skip, 0.0)
    }];
    nonsense.replay = Some(RunnerReplay::Pytest(PytestReplay {
        hash_seed: Some(u32::MAX),
        ..PytestReplay::default()
    }));
    let found = judged(
        vec![nonsense],
        JudgeRule {
            probability: Some(f64::NAN),
        },
    );
    assert_eq!(found.tests[0].findings.len(), 3, "two sites, and run 5");
    for verbose in [false, true] {
        assert!(
            crate::report::text(&found, verbose, Default::default())
                .ends_with("in 1 test, 41 runs\n")
        );
    }
    assert!(crate::report::json(&found).contains("\"version\": 1"));
}

#[test]
fn a_bound_at_the_end_of_what_values_can_be_never_fails() {
    let at_most = |role: Role, bound: f64, text: &str, value: fn(u32) -> f64| {
        let mut one = test(300, 1e9, value);
        one.sites[0].series[0].role = role;
        one.sites[0].series[0].bound = Some(bound);
        text.clone_into(&mut one.sites[0].text);
        let found = judged(vec![one], JudgeRule::default());
        let figures = &found.tests[0].findings[0].figures;
        figures.tail.clone().unwrap().unwrap().upper_limit
    };
    let count = |run: u32| (-2.0 * (1.0 - spread(run)).ln()).floor();
    assert_eq!(at_most(Role::Lower, 0.0, "assert n >= 0", count), 0.0);
    // A count that equals the bound fails, or does not.
    let strict = at_most(Role::Upper, 20.0, "assert n < 20", count);
    let loose = at_most(Role::Upper, 20.0, "assert n <= 20", count);
    assert!(strict > loose, "{strict} {loose}");
    assert_eq!(loose, at_most(Role::Upper, 21.0, "assert n < 21", count));
}
