//! Annotated tests: recording processes make their runs, and tell what declared sites saw.

use std::time::Duration;

use flex_core::seed::Phase;
use flex_detect::record::{Outcome, Repeated};
use flex_detect::search::{NotTaken, Search, SearchEnd, SearchRule, SearchStep, SearchedRun};
use flex_run::calibrate::{
    CalibrationError, FixedRun, Observed, Onlooker, Recorded, RepeatPolicy, Worker, parts_of,
};
use flex_run::model::Probe;
use flex_run::watch::Slowest;
use flex_shard::plan::Order;

use super::searching::{MOST_HANGS, Searched, Searching, declared_values, hangs_note};
use crate::cargo::FoundTest;
use crate::record::replay::Replay;
use crate::session::{Ran, Turn};
use crate::shards::Runs;

/// Runs are spread over so many processes at least, since some depend on what ran before.
const PROCESSES: u32 = 2;

/// Searches an annotated test.
pub fn search(
    searching: &Searching<'_>,
    rule: SearchRule,
    test: &FoundTest<'_>,
    turn: Turn,
    begun: Option<Box<StochasticSeen>>,
) -> Searched<StochasticSeen> {
    let slowest = Slowest::default();
    let bar = searching.display.begin(&test.label());
    let known = searching.runs_of(test, turn)?;
    let runs = Runs::new(worker(searching, test, turn, (&slowest, &bar)), known);
    let mut seen = begun.unwrap_or_else(|| {
        Box::new(StochasticSeen {
            search: Search::new(rule),
            observed: None,
            not_taken: None,
            alone: turn.alone,
            hangs: 0,
        })
    });
    if let Some(observed) = &seen.observed {
        slowest.took(Duration::from_secs_f64(observed.seconds_per_run()));
    }
    let end = loop {
        let wanted = match seen.search.step() {
            SearchStep::Done(end) => break end,
            SearchStep::Collect(_) if runs.time_is_up() && !turn.last => {
                return Ok(Ran::Short(seen));
            }
            SearchStep::Collect(_) if runs.time_is_up() || seen.hangs >= MOST_HANGS => {
                if seen.hangs < MOST_HANGS {
                    searching.source.was_short();
                }
                seen.search.out_of_time();
                continue;
            }
            SearchStep::Collect(wanted) => wanted,
        };
        bar.wants(wanted.last().map_or(0, |last| last + 1), None);
        let processes = seen
            .observed
            .as_ref()
            .map_or(0, |o| o.processes.len() as u32);
        let mut parts = parts_of(&wanted, PROCESSES.saturating_sub(processes).max(1));
        if seen.observed.is_none() && !parts.is_empty() {
            let first = runs.record_first(parts.remove(0).end, !searching.full);
            let Some(part) = unless_interrupted(first)? else {
                continue;
            };
            seen.take(&part)?;
            let fixed = part.records.first().and_then(FixedRun::of);
            if let (Some(run), false) = (fixed, searching.full) {
                // Once more in another process, under another seed.
                let Some(again) = unless_interrupted(runs.record(1..2))? else {
                    continue;
                };
                seen.take(&again)?;
                if again.is_whole() && again.records.iter().all(|again| run.is_confirmed_by(again))
                {
                    seen.search.shown_fixed();
                    let all_like = searched(&part).into_iter().next();
                    all_like
                        .into_iter()
                        .for_each(|run| searching.saved.add(rule, run));
                }
                continue;
            }
        }
        let overlap = |observed: &Observed| observed.test.options.may_overlap();
        let overlap = processes > 0 && seen.observed.as_ref().is_some_and(overlap);
        for part in unless_interrupted(runs.record_all(parts, overlap))?.unwrap_or_default() {
            seen.take(&part)?;
        }
        let made = seen.observed.as_ref().map_or(0, |o| o.runs().len());
        bar.taken(made as u32);
    };
    let StochasticSeen {
        observed,
        not_taken,
        hangs,
        ..
    } = *seen;
    let note = match hangs {
        MOST_HANGS.. => Some(hangs_note()),
        _ => searching.note_of(end),
    };
    let was_run = |observed: &Observed| observed.inconclusive().of > 0;
    let observed = observed.filter(was_run);
    let observed = observed.ok_or_else(|| searching.nothing_seen())?;
    let repeated = match end {
        SearchEnd::Fixed => Vec::new(),
        _ => unless_interrupted(repeat(&runs, &observed))?.unwrap_or_default(),
    };
    let replay = Replay {
        base: searching.base,
        phase: Phase::Detect,
        cargo: searching.cargo,
        root: searching.root,
    };
    let mut found = replay.observed(test, &observed, &repeated);
    let not_taken = not_taken.map(|what| what.to_string());
    found.notes.extend(not_taken.into_iter().chain(note));
    found.notes.extend(observed.inconclusive().in_words());
    let exe = &test.program.program.exe;
    let located = |probe: Probe| searching.places.located(exe, &probe, &observed.stacks);
    found.probe = found.probe.map(located);
    bar.done(
        "searched",
        found.runs.len() as u32,
        observed.processes.len(),
    );
    Ok(Ran::Done(found))
}

/// What was made; `None` if somebody ended it, since what was seen before is worth telling.
fn unless_interrupted<T>(made: Result<T, CalibrationError>) -> Result<Option<T>, CalibrationError> {
    match made {
        Err(CalibrationError::Interrupted) => Ok(None),
        made => made.map(Some),
    }
}

/// What the runs showed so far.
pub struct StochasticSeen {
    search: Search,
    observed: Option<Observed>,
    /// What of the runs was not taken, said once.
    not_taken: Option<NotTaken>,
    alone: bool,
    /// Runs that hung.
    hangs: u32,
}

impl StochasticSeen {
    /// Takes what a part of the runs showed.
    fn take(&mut self, part: &Recorded) -> Result<(), CalibrationError> {
        let Some(record) = part.records.first() else {
            return Ok(());
        };
        let observed = self
            .observed
            .get_or_insert_with(|| Observed::new(record.test.clone()));
        observed.take(part)?;
        self.hangs += u32::from(part.hung.is_some_and(|hung| hung.is_hang));
        if observed.measures_time() && !self.alone {
            return Err(CalibrationError::NotAlone);
        }
        for run in searched(part) {
            if let Err(what) = self.search.push(run) {
                self.not_taken.get_or_insert(what);
            }
        }
        Ok(())
    }
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
            runs.push(SearchedRun {
                index: run.index,
                as_written: false,
                outcome: Outcome::of(record.failed(run, hits)),
                hits: declared_values(record, hits),
            });
        }
        runs.extend(record.inconclusive.iter().map(|(index, _)| SearchedRun {
            index: *index,
            as_written: false,
            outcome: Outcome::Skip,
            hits: Vec::new(),
        }));
    }
    runs
}

/// Makes the runs that a plan names.
pub fn make(
    searching: &Searching<'_>,
    test: &FoundTest<'_>,
    orders: &[Order],
    turn: Turn,
) -> Result<(), CalibrationError> {
    let slowest = Slowest::default();
    let bar = searching.display.begin(&test.label());
    let known = searching.runs_of(test, turn)?;
    let runs = Runs::new(worker(searching, test, turn, (&slowest, &bar)), known);
    for order in orders {
        if runs.time_is_up() {
            searching.source.was_short();
            return Ok(());
        }
        match order {
            Order::Runs(range) => drop(runs.record(range.clone())?),
            Order::Repeat(order) => {
                let seconds = slowest.get().map_or(1.0, |slowest| slowest.as_secs_f64());
                drop(runs.repeat(order, Some(seconds))?);
            }
            Order::Part(_) | Order::Confirm(_) => {}
        }
    }
    Ok(())
}

fn worker<'a>(
    searching: &'a Searching<'_>,
    test: &'a FoundTest<'_>,
    turn: Turn,
    (slowest, onlooker): (&'a Slowest, &'a dyn Onlooker),
) -> Worker<'a> {
    Worker {
        program: &test.program.program,
        test: &test.name,
        base: searching.base,
        phase: Phase::Detect,
        deadline: turn.deadline,
        timeout: searching.timeout,
        slowest,
        gate: &searching.gate,
        onlooker,
    }
}

/// Makes a few runs again, in other processes, to see whether the seed decides what they show.
fn repeat(runs: &Runs<'_>, observed: &Observed) -> Result<Vec<Repeated>, CalibrationError> {
    let made = observed.made_runs();
    let seconds = observed.seconds_per_run();
    let chosen = RepeatPolicy::of_search(&made, seconds).choose(&made);
    runs.worker().onlooker.repeats(chosen.len() as u32);
    let mut repeated = Vec::new();
    if !chosen.is_empty() {
        repeated.extend(Repeated::all_of(
            &runs.repeat(&chosen, Some(seconds))?,
            &chosen,
        ));
    }
    // Runs that ended their process are repeated in processes of their own.
    let ended_it = |run: &u32| !made.iter().any(|made| made.index == *run);
    for run in observed.runs().into_iter().filter(ended_it).take(2) {
        let again = runs.repeat(&[run], Some(seconds))?;
        repeated.extend(Repeated::all_of(&again, &[run]));
    }
    Ok(repeated)
}
