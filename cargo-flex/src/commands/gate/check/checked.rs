//! What became of all tests of a check.

use flex_detect::compare::Compared;
use flex_detect::invocation::Replays;
use flex_detect::record::{ObservedRun, ObservedTest, Outcome, Record, RepeatPlace};
use flex_gate::trials::{Before, TrialVerdict};
use flex_run::model::Place;
use serde_json::{Value, json};

use super::made::Made;
use crate::exit::{Exit, Failure};

/// All tests.
#[derive(Default)]
pub struct Checked {
    pub tests: Vec<CheckedTest>,
    /// What those say about the exit code that could not be run.
    pub exits: Vec<Exit>,
    /// How they compare with what they were before the change, if that was asked.
    pub compared: Option<Compared>,
}

/// One of them.
pub struct CheckedTest {
    /// What its runner calls it.
    pub name: String,
    pub place: Option<Place>,
    pub verdict: TrialVerdict,
    /// Why a run failed, with its seed and the command that repeats it, where there is one.
    pub failure: Option<(String, String, Option<String>)>,
    /// The same of further runs that failed, the first few of them.
    pub further: Vec<(String, String, Option<String>)>,
    /// What its runs touched that can differ.
    pub touches: Vec<String>,
    /// What else is to be known.
    pub notes: Vec<String>,
    /// How long all its runs took.
    pub seconds: f64,
}

impl Checked {
    /// The verdicts on what trials showed; `before` says what a test showed before the change.
    pub fn of(
        names: &[String],
        made: Made,
        same_seed: bool,
        mut before: impl FnMut(usize) -> Before,
    ) -> Self {
        let Made { record, of, exits } = made;
        let mut tests: Vec<(usize, CheckedTest)> = Vec::new();
        for (test, of) in record.tests.iter().zip(&of) {
            let probe = test.probe.as_ref();
            let touches = probe.map_or_else(Vec::new, |probe| {
                let unseeded = probe.touches().iter().filter(|touch| !touch.seeded);
                unseeded.map(ToString::to_string).collect()
            });
            tests.push((
                *of,
                CheckedTest {
                    name: match &test.package {
                        Some(_) => names[*of].clone(),
                        None => test.name().to_owned(),
                    },
                    place: Some(test.place.clone()),
                    verdict: verdict(test, before(*of)),
                    failure: failure(&record, test, same_seed),
                    further: further(&record, test, same_seed),
                    touches,
                    notes: test.notes.clone(),
                    seconds: test.seconds_per_run * test.runs.len() as f64,
                },
            ));
        }
        for (index, name) in names.iter().enumerate() {
            if !of.contains(&index) {
                let not_begun = CheckedTest {
                    name: name.clone(),
                    place: None,
                    verdict: TrialVerdict::NotBegun,
                    failure: None,
                    further: Vec::new(),
                    touches: Vec::new(),
                    notes: Vec::new(),
                    seconds: 0.0,
                };
                tests.push((index, not_begun));
            }
        }
        tests.sort_by_key(|(index, _)| *index);
        Checked {
            tests: tests.into_iter().map(|(_, test)| test).collect(),
            exits,
            compared: None,
        }
    }

    /// Everything, for programs.
    pub fn json(&self) -> Result<Value, Failure> {
        let tests = self.tests.iter().map(|test| {
            json!({
                "test": test.name,
                "file": test.place.as_ref().map(|place| &place.file),
                "line": test.place.as_ref().map(|place| place.line),
                "result": test.verdict,
                "blocks": test.verdict.blocks(),
                "why": test.failure.as_ref().map(|failure| &failure.0),
                "seed": test.failure.as_ref().map(|failure| &failure.1),
                "replay": test.failure.as_ref().and_then(|failure| failure.2.as_ref()),
                "touches": test.touches,
                "notes": test.notes,
                "seconds": test.seconds,
            })
        });
        let mut all = json!({ "version": 1, "tests": tests.collect::<Vec<_>>() });
        if let Some(compared) = &self.compared {
            all["compared"] = serde_json::to_value(compared)?;
        }
        Ok(all)
    }
}

fn verdict(test: &ObservedTest, before: Before) -> TrialVerdict {
    let mut ran: Vec<&ObservedRun> = test.runs.iter().collect();
    ran.sort_by_key(|run| run.index);
    let counted = |outcome: Outcome| (outcome != Outcome::Skip).then_some(outcome == Outcome::Fail);
    let mut failed: Vec<bool> = ran.iter().filter_map(|run| counted(run.outcome)).collect();
    // Runs that were made again are no trials. But under other hashes, or in another process, a test can fail in which
    // nothing else varies.
    let mut again = test.repeats.iter().filter_map(|run| counted(run.outcome));
    let is_other = |again: &bool| failed.first().is_some_and(|first| first != again);
    if let Some(other) = again.find(is_other) {
        failed.push(other);
    }
    match failed.is_empty() && !ran.is_empty() {
        true => TrialVerdict::Skipped,
        false => TrialVerdict::of(&failed, test.is_shown_fixed(), before),
    }
}

/// The seed of a run, in words.
fn seed_of(record: &Record, test: &ObservedTest, same_seed: bool, run: u32) -> String {
    let usual = || format!("{}@detect", record.base);
    let seeds = test.seeds.clone().unwrap_or_else(usual);
    format!("{seeds}:{}", if same_seed { 0 } else { run })
}

/// The runs that failed, by index: why, their seed, and the command that repeats each.
fn failed_runs<'t>(
    record: &'t Record,
    test: &'t ObservedTest,
    same_seed: bool,
) -> impl Iterator<Item = (String, String, Option<String>)> + 't {
    let mut failed: Vec<&ObservedRun> = test.runs.iter().collect();
    failed.retain(|run| run.outcome == Outcome::Fail);
    failed.sort_by_key(|run| run.index);
    failed.into_iter().map(move |run| {
        let seed = seed_of(record, test, same_seed, run.index);
        let replay = Replays::new(record, test).map(|replays| replays.shown(&seed).to_string());
        (run.why.clone().unwrap_or_default(), seed, replay)
    })
}

/// Further runs that failed, the first few of them.
fn further(
    record: &Record,
    test: &ObservedTest,
    same_seed: bool,
) -> Vec<(String, String, Option<String>)> {
    const MOST: usize = 10;
    failed_runs(record, test, same_seed)
        .skip(1)
        .take(MOST)
        .collect()
}

/// Why a run failed, its seed, and the command that repeats it.
fn failure(
    record: &Record,
    test: &ObservedTest,
    same_seed: bool,
) -> Option<(String, String, Option<String>)> {
    if let Some(first) = failed_runs(record, test, same_seed).next() {
        return Some(first);
    }
    let mut again = test.repeats.iter();
    let again = again.find(|again| again.outcome == Outcome::Fail)?;
    let place = match again.place {
        RepeatPlace::SameProcess => "later in the same process",
        RepeatPlace::OtherProcess => "in another process",
        RepeatPlace::OtherHashes => {
            "in a process with another order of hashes: set PYTHONHASHSEED to see it"
        }
    };
    let why = format!("run {} passed, and failed {place}", again.index);
    let seed = seed_of(record, test, same_seed, again.index);
    Some((why, seed, None))
}
