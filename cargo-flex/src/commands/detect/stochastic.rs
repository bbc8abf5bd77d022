//! Annotated tests: recording processes make their runs, and tell what declared sites saw.

use std::time::Instant;

use flex_core::search::convergence::Limits;
use flex_core::seed::Phase;
use flex_core::tail::Side;
use flex_detect::record::{ObservedTest, Outcome, Repeated};
use flex_detect::search::{Search, SearchStep, SearchedRun};
use flex_run::calibrate::{CalibrationError, Observed, Progress, Recorded, Worker, parts_of};
use flex_run::model::{Asks, Comparison};

use super::search::{Searching, note_of, to_repeat};
use crate::cargo::FoundTest;
use crate::record::replay::Replay;

/// Runs are spread over so many processes at least, since some depend on what ran before.
const PROCESSES: u32 = 2;

/// A test whose runs take longer than this many seconds is repeated less.
const SLOW: f64 = 5.0;

/// Searches an annotated test.
pub fn search(
    searching: &Searching<'_>,
    test: &FoundTest<'_>,
    deadline: Option<Instant>,
    alone: bool,
) -> Result<ObservedTest, CalibrationError> {
    let worker = Worker {
        program: &test.program.program,
        test: &test.name,
        base: searching.base,
        phase: Phase::Detect,
        deadline,
        gate: &searching.gate,
    };
    let bar = searching.display.begin(&test.label());
    let mut search = Search::new(searching.rule);
    let mut observed: Option<Observed> = None;
    let mut notes = Vec::new();
    let end = loop {
        let wanted = match search.step() {
            SearchStep::Done(end) => break end,
            SearchStep::Collect(_) if worker.time_is_up() => {
                search.out_of_time();
                continue;
            }
            SearchStep::Collect(wanted) => wanted,
        };
        let until = wanted.last().map_or(0, |last| last + 1);
        let progress = |done| {
            bar.show(Progress {
                done,
                wanted: until,
            });
        };
        let processes = observed.as_ref().map_or(0, |o| o.processes.len() as u32);
        let parts = parts_of(&wanted, PROCESSES.saturating_sub(processes).max(1));
        let overlap = |observed: &Observed| observed.test.options.may_overlap();
        let overlap = observed.as_ref().is_some_and(overlap);
        for part in worker.record_all(parts, overlap, &progress)? {
            let Some(record) = part.records.first() else {
                continue;
            };
            let observed = observed.get_or_insert_with(|| Observed::new(record.test.clone()));
            observed.take(&part)?;
            if observed.measures_time() && !alone {
                return Err(CalibrationError::NotAlone);
            }
            for run in searched(&part) {
                if let Err(note) = search.push(run) {
                    notes.push(note);
                }
            }
        }
    };
    notes.extend(note_of(end));
    let observed = observed.filter(|observed| !observed.runs().is_empty());
    let observed = observed.ok_or(CalibrationError::NoTime)?;
    let repeated = repeat(&worker, &observed)?;
    let replay = Replay {
        base: searching.base,
        phase: Phase::Detect,
        cargo: &searching.args.cargo,
        root: searching.root,
    };
    let mut found = replay.observed(&test.program.package_folder, &observed, &repeated);
    notes.dedup();
    found.notes.extend(notes);
    bar.done(
        "searched",
        found.runs.len() as u32,
        observed.processes.len(),
    );
    Ok(found)
}

/// What runs showed, for the rule that ends the search.
fn searched(recorded: &Recorded) -> Vec<SearchedRun> {
    let died = recorded.deaths.iter().chain(&recorded.vanished);
    let mut runs: Vec<SearchedRun> = died
        .map(|(index, _)| SearchedRun {
            index: *index,
            as_written: false,
            outcome: Outcome::Fail,
            hits: Vec::new(),
        })
        .collect();
    let dead = runs.len();
    for record in &recorded.records {
        for (run, hits) in record.runs() {
            if runs[..dead].iter().any(|died| died.index == run.index) {
                continue;
            }
            let mut values = Vec::new();
            for hit in hits {
                let site = record.site(hit);
                if let Asks::Declared(bounds) = &site.asks {
                    let limits = limits_of(bounds);
                    values.push((site.id.clone(), limits, hit.extremes.least));
                    values.push((site.id.clone(), limits, hit.extremes.greatest));
                }
            }
            runs.push(SearchedRun {
                index: run.index,
                as_written: false,
                outcome: Outcome::of(record.failed(run, hits)),
                hits: values,
            });
        }
    }
    runs
}

fn limits_of(bounds: &[Comparison]) -> Limits {
    let on = |side: Side| {
        let mut bounds = bounds.iter().filter(|bound| bound.operator.side() == side);
        bounds.next().map(|bound| bound.bound)
    };
    Limits {
        lower: on(Side::Lower),
        upper: on(Side::Upper),
    }
}

/// Makes a few runs again, in other processes, to see whether the seed decides what they show.
fn repeat(worker: &Worker<'_>, observed: &Observed) -> Result<Vec<Repeated>, CalibrationError> {
    let each = if observed.seconds_per_run() > SLOW {
        1
    } else {
        4
    };
    // Runs that ended their process are repeated in processes of their own.
    let made: Vec<u32> = observed.processes.iter().flatten().copied().collect();
    let all = observed.runs();
    let died: Vec<u32> = all
        .iter()
        .filter(|run| !made.contains(run))
        .copied()
        .collect();
    let fails = |run: &&u32| {
        observed.failures.contains_key(run)
            || observed.declared.iter().any(|(key, log)| {
                let is_soft = observed.sites.get(key).is_some_and(|site| !site.is_hard);
                is_soft && log.broken.contains(run)
            })
    };
    let (failed, passed): (Vec<u32>, Vec<u32>) = made.iter().partition(|run| fails(run));
    let runs = to_repeat(&failed, &passed, each);
    let patient = worker.patient(&runs, observed.seconds_per_run());
    let mut repeated = Vec::new();
    if !runs.is_empty() {
        repeated.extend(Repeated::all_of(&patient.repeat(&runs)?, &runs));
    }
    for run in died.iter().take(each.min(2)) {
        repeated.extend(Repeated::all_of(&patient.repeat(&[*run])?, &[*run]));
    }
    Ok(repeated)
}
