//! What became of all tests of a check.

use flex_detect::invocation::Replays;
use flex_detect::record::{ObservedRun, Outcome};
use flex_gate::trials::{Before, Verdict};
use flex_run::model::Place;
use serde_json::{Value, json};

use super::Made;
use crate::exit::Exit;

/// All tests.
#[derive(Default)]
pub struct Checked {
    pub tests: Vec<CheckedTest>,
    /// What those say about the exit code that could not be run.
    pub exits: Vec<Exit>,
}

/// One of them.
pub struct CheckedTest {
    /// What its runner calls it.
    pub name: String,
    pub place: Option<Place>,
    pub verdict: Verdict,
    /// Why a run failed, with its seed and the command that repeats it, where there is one.
    pub failure: Option<(String, String, Option<String>)>,
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
            let mut ran: Vec<&ObservedRun> = test.runs.iter().collect();
            ran.sort_by_key(|run| run.index);
            let counted = ran.iter().filter(|run| run.outcome != Outcome::Skip);
            let failed: Vec<bool> = counted.map(|run| run.outcome == Outcome::Fail).collect();
            let verdict = match failed.is_empty() && !ran.is_empty() {
                true => Verdict::Skipped,
                false => Verdict::of(&failed, test.is_shown_fixed(), before(*of)),
            };
            let failure = ran
                .iter()
                .find(|run| run.outcome == Outcome::Fail)
                .map(|run| {
                    let usual = || format!("{}@detect", record.base);
                    let seed = format!(
                        "{}:{}",
                        test.seeds.clone().unwrap_or_else(usual),
                        if same_seed { 0 } else { run.index }
                    );
                    let replay =
                        Replays::new(&record, test).map(|replays| replays.shown(&seed).to_string());
                    (run.why.clone().unwrap_or_default(), seed, replay)
                });
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
                    verdict,
                    failure,
                    touches,
                    notes: test.notes.clone(),
                    seconds: test.seconds_per_run * ran.len() as f64,
                },
            ));
        }
        for (index, name) in names.iter().enumerate() {
            if !of.contains(&index) {
                let not_begun = CheckedTest {
                    name: name.clone(),
                    place: None,
                    verdict: Verdict::NotBegun,
                    failure: None,
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
        }
    }

    /// Everything, for programs.
    pub fn json(&self) -> Value {
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
        json!({ "version": 1, "tests": tests.collect::<Vec<_>>() })
    }
}
