//! The tests of a trace as a campaign of reruns sees them: how their runs may end, and which of them are selected.

use std::collections::BTreeMap;

use flex_bounds::config::CharacteristicRule;
use flex_core::search::reruns::{NoTrials, OutcomeRates};
use flex_core::search::strategies::StrategyTest;
use flex_run::model::Variability;

use super::learn::{cause_of, key};
use super::{Trace, TracedTest};
use crate::record::{ObservedTest, Outcome, Record};

/// How often runs fail.
#[derive(Debug, Clone, Copy)]
pub enum Rates<'a> {
    /// As often as in the runs of these records; a test without runs never does.
    Measured(&'a [Record]),
    /// Not known: so large a share of all tests is flaky, each of those that are not fixed with the same probability, and
    /// a flaky test fails with this probability.
    Assumed {
        /// The share of flaky tests.
        share: f64,
        /// The failure rate of a flaky test.
        fail: f64,
    },
}

/// The tests of a trace, for the price of a campaign, and how many of them no record knows.
pub fn campaign_tests(
    trace: &Trace,
    rules: &[CharacteristicRule],
    rates: Rates<'_>,
) -> Result<(Vec<StrategyTest>, usize), NoTrials> {
    let steady = OutcomeRates::new(1.0, 0.0)?;
    let known = match rates {
        Rates::Measured(records) => outcomes_of(records)?,
        Rates::Assumed { .. } => BTreeMap::new(),
    };
    let is_fixed = |test: &TracedTest| test.variability() == Some(Variability::Fixed);
    let can_differ = trace.tests.iter().filter(|test| !is_fixed(test)).count();
    let telling = trace.is_full.then(|| {
        let functions = trace.functions.iter();
        let tells = functions.map(|function| cause_of(function, rules).is_some());
        tells.collect::<Vec<bool>>()
    });
    let mut unknown = 0;
    let mut tests = Vec::with_capacity(trace.tests.len());
    for test in &trace.tests {
        let (flaky, outcomes) = match rates {
            Rates::Measured(_) => match known.get(&key(test.package.as_deref(), &test.id)) {
                Some(outcomes) => (1.0, *outcomes),
                None => {
                    unknown += 1;
                    (0.0, steady)
                }
            },
            Rates::Assumed { share, fail } => {
                let even = share * trace.tests.len() as f64 / can_differ.max(1) as f64;
                let flaky = if is_fixed(test) { 0.0 } else { even.min(1.0) };
                (flaky, OutcomeRates::new(1.0 - fail, fail)?)
            }
        };
        tests.push(StrategyTest {
            flaky,
            outcomes,
            otherwise: steady,
            seconds: test.seconds.max(0.0),
            is_selected: is_selected(test, &telling),
            is_fixed: is_fixed(test),
        });
    }
    Ok((tests, unknown))
}

/// Whether a test calls a function that tells of variation; where calls were not traced, whether it touched anything.
fn is_selected(test: &TracedTest, telling: &Option<Vec<bool>>) -> bool {
    let tells = |telling: &[bool]| test.calls.iter().any(|calls| telling[calls.function]);
    match telling {
        Some(telling) => tells(telling),
        None => test.variability() != Some(Variability::Fixed),
    }
}

/// How the runs of each test ended.
fn outcomes_of(records: &[Record]) -> Result<BTreeMap<String, OutcomeRates>, NoTrials> {
    let tests = records.iter().flat_map(|record| &record.tests);
    let tests = tests.filter(|test| !test.runs.is_empty());
    let outcomes = |test: &ObservedTest| {
        let share = |outcome| {
            let runs = test.runs.iter().filter(|run| run.outcome == outcome);
            runs.count() as f64 / test.runs.len() as f64
        };
        let outcomes = OutcomeRates::new(share(Outcome::Pass), share(Outcome::Fail))?;
        Ok((key(test.package.as_deref(), &test.id), outcomes))
    };
    tests.map(outcomes).collect()
}

#[cfg(test)]
mod tests {
    use flex_run::model::{Cause, Place, Probe, Runner, TestId, Touch};

    use super::super::learn::characteristics;
    use super::*;
    use crate::trace::{Calls, Function, VERSION};

    fn trace(is_full: bool) -> Trace {
        let touch = Touch {
            cause: Cause::Time,
            what: "wall clock".to_owned(),
            seeded: false,
            count: 1,
            place: None,
        };
        let function = |name: &str| Function {
            function: name.to_owned(),
            ..Function::default()
        };
        let test = |name: &str, probe: Probe, function: usize| TracedTest {
            id: TestId::pytest(name),
            package: None,
            place: Place::new("a.py", 1),
            outcome: Outcome::Pass,
            seconds: 0.5,
            probe: Some(probe),
            calls: vec![Calls { function, count: 1 }],
        };
        Trace {
            version: VERSION,
            runner: Runner::Pytest,
            root: "/p".into(),
            is_full,
            files: Vec::new(),
            functions: ["perf_counter", "open"].map(function).to_vec(),
            tests: vec![
                test("timed", [touch].into_iter().collect(), 0),
                test("opening", Probe::default(), 1),
            ],
        }
    }

    #[test]
    fn what_may_be_flaky_is_what_is_not_fixed() {
        let rates = Rates::Assumed {
            share: 0.1,
            fail: 0.25,
        };
        let (tests, unknown) = campaign_tests(&trace(true), &characteristics(&[]), rates).unwrap();
        assert_eq!(unknown, 0);
        let flaky: Vec<f64> = tests.iter().map(|test| test.flaky).collect();
        assert_eq!(
            flaky,
            [0.2, 0.0],
            "a tenth of two tests, of which one can be"
        );
        assert_eq!((tests[0].is_selected, tests[1].is_selected), (false, true));
        assert_eq!((tests[0].is_fixed, tests[1].is_fixed), (false, true));
        let (tests, _) = campaign_tests(&trace(false), &characteristics(&[]), rates).unwrap();
        assert_eq!((tests[0].is_selected, tests[1].is_selected), (true, false));
    }

    #[test]
    fn rates_that_are_no_probabilities_are_refused() {
        let rates = Rates::Assumed {
            share: 0.1,
            fail: 1.5,
        };
        assert!(campaign_tests(&trace(true), &[], rates).is_err());
    }
}
