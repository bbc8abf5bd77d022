//! Plain tests: a process for each run, which tells how it ended and, compiled from a copy, what its assertions compared.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::process::{Command, ExitStatus};
use std::time::Instant;

use flex_core::search::convergence::Limits;
use flex_core::seed::{Phase, SeedRequest};
use flex_detect::menu::UNSEEN;
use flex_detect::record::{
    ObservedRun, ObservedSite, ObservedTest, Outcome, Repeat, RepeatPlace, Repeated,
};
use flex_detect::search::{NotTaken, Search, SearchEnd, SearchRule, SearchStep, SearchedRun};
use flex_run::calibrate::{
    CalibrationError, GRACE, MadeRun, Observed, Recorded, RepeatPolicy, scratch_folder,
};
use flex_run::model::{ProcessRecord, SiteId};
use flex_run::scratch::Scratch;
use flex_run::watch::hang::rounded;
use flex_run::watch::{ProcessEnd, RunLimit};
use flex_shard::file::ShardKind;
use flex_shard::plan::Order;

use super::alike::AlikeRuns;
use super::kept::{self, EndedRun, PlainRun};
use super::searching::{MOST_HANGS, Searched, Searching, declared_values, hangs_note};
use crate::cargo::{FoundTest, place_of_test};
use crate::observe::Question;
use crate::probes::{PlainProbe, TouchedRuns, plain_command};
use crate::record::replay::Replay;
use crate::session::{Ran, Turn};
use crate::shards::TestRuns;

/// Said of a test that fails now and then, where nothing can make it fail again.
const NO_REPLAY: &str = "seed not controllable, no replay; on Linux it is, once the test program links flex-harness with the feature `entropy`";

/// Searches a plain test; `controlled` says whether its entropy follows a seed.
pub fn search(
    searching: &Searching<'_>,
    rule: SearchRule,
    test: &FoundTest<'_>,
    turn: Turn,
    controlled: bool,
    begun: Option<Box<PlainSeen>>,
) -> Searched<PlainSeen> {
    let mut plain = Plain::new(searching, test, turn, controlled)?;
    if begun.is_none() {
        plain.deadline = turn.first;
    }
    let bar = searching.display.begin(&test.label());
    let mut seen = begun.unwrap_or_else(|| {
        Box::new(PlainSeen {
            search: Search::new(rule),
            limit: RunLimit::new(searching.timeout, None),
            hangs: 0,
            runs: BTreeMap::new(),
            seconds: 0.0,
            touched: TouchedRuns::default(),
            alike: AlikeRuns::default(),
            observed: None,
            not_taken: None,
        })
    });
    let end = loop {
        if plain.time_is_up() && !turn.last && matches!(seen.search.step(), SearchStep::Collect(_))
        {
            // Without a run there is nothing to go on from.
            return match seen.runs.is_empty() {
                true => Err(searching.nothing_seen()),
                false => Ok(Ran::Short(seen)),
            };
        }
        let PlainSeen {
            search,
            limit,
            hangs,
            runs,
            seconds,
            touched,
            alike,
            observed,
            not_taken,
        } = &mut *seen;
        let wanted = match search.step() {
            SearchStep::Done(end) => break end,
            SearchStep::Collect(wanted) => wanted,
        };
        let made = runs.len() as u32;
        bar.show(made, made + wanted.len() as u32);
        let is_over = plain.time_is_up() || *hangs >= MOST_HANGS;
        let (Some(index), false) = (wanted.first(), is_over) else {
            if *hangs < MOST_HANGS {
                searching.source.was_short();
            }
            search.out_of_time();
            continue;
        };
        let (run, probe, record) = match plain.made(*index, limit)? {
            PlainRun::Unfinished if !turn.last && made == 0 => return Err(searching.nothing_seen()),
            PlainRun::Unfinished if !turn.last => return Ok(Ran::Short(seen)),
            PlainRun::Unfinished => {
                searching.source.was_short();
                search.out_of_time();
                continue;
            }
            PlainRun::Ended(ended) => {
                limit.took(ended.took);
                *seconds += ended.took.as_secs_f64();
                (ended.run, ended.touched, ended.record)
            }
            PlainRun::Hung(run, _) => {
                *hangs += 1;
                (run, None, None)
            }
        };
        let searched = SearchedRun {
            index: *index,
            as_written: false,
            outcome: run.outcome,
            hits: record.as_deref().map(values_of).unwrap_or_default(),
        };
        alike.take(&run, record.as_deref());
        if let Some(record) = record {
            observed
                .get_or_insert_with(|| Observed::new(record.test.clone()))
                .take(&Recorded {
                    records: vec![*record],
                    deaths: Vec::new(),
                    vanished: None,
                    hung: None,
                })?;
        }
        match search.push(searched.clone()) {
            Ok(()) => {}
            // How it ended counts, and the search goes on.
            Err(what @ NotTaken::Values { .. }) => {
                not_taken.get_or_insert(what);
            }
            Err(what @ NotTaken::Repeated(_)) => {
                return Err(CalibrationError::Process(what.to_string()));
            }
        }
        runs.insert(*index, run);
        plain.deadline = turn.deadline;
        touched.take(probe);
        if !searching.full && touched.show_fixed() && alike.are_alike() {
            search.shown_fixed();
            searching.saved.add(rule, searched);
        }
    };
    let PlainSeen {
        limit,
        hangs,
        runs,
        seconds,
        touched,
        observed,
        not_taken,
        ..
    } = *seen;
    if runs.is_empty() {
        return Err(searching.nothing_seen());
    }
    let seconds_per_run = seconds / runs.len() as f64;
    let repeated = match end {
        SearchEnd::Fixed => Vec::new(),
        _ => plain.repeats(&runs, seconds_per_run, &limit)?,
    };
    bar.done("searched", runs.len() as u32, runs.len() + repeated.len());
    let fails = runs.values().any(|run| run.outcome == Outcome::Fail);
    let no_replay = (fails && !controlled).then(|| NO_REPLAY.to_owned());
    let is_unseen = observed.is_none() && searching.says_unseen && end != SearchEnd::Fixed;
    let unseen = is_unseen.then(|| UNSEEN.to_owned());
    let replay = Replay {
        base: searching.base,
        phase: Phase::Detect,
        cargo: searching.cargo,
        root: searching.root,
    };
    let note = match hangs {
        MOST_HANGS.. => Some(hangs_note()),
        _ => searching.note_of(end),
    };
    let not_taken = not_taken.map(|what| what.to_string());
    let notes = [not_taken, note, no_replay, unseen];
    let place = place_of_test(test, searching.root);
    let Found {
        sites,
        runs,
        repeats,
    } = found(runs, repeated, |repeated| {
        Some(replay.observed(test, observed.as_ref()?, repeated))
    });
    Ok(Ran::Done(ObservedTest {
        package: Some(test.program.package.clone()),
        seeds: Some(replay.seeds()),
        replay: controlled.then(|| replay.of_plain(test)),
        seconds_per_run,
        notes: notes.into_iter().flatten().collect(),
        runs,
        sites,
        repeats,
        probe: touched.located(&searching.places, &test.program.program.exe),
        ..ObservedTest::new(test.id(), place)
    }))
}

/// What the runs showed so far.
pub struct PlainSeen {
    search: Search,
    limit: RunLimit,
    /// Runs that hung.
    hangs: u32,
    runs: BTreeMap<u32, ObservedRun>,
    seconds: f64,
    touched: TouchedRuns,
    /// Whether they showed the same.
    alike: AlikeRuns,
    /// What their assertions compared, where the test is compiled from a copy in which that is seen.
    observed: Option<Observed>,
    /// What of the runs was not taken, said once.
    not_taken: Option<NotTaken>,
}

/// What is known of a test's assertions and runs.
struct Found {
    sites: Vec<ObservedSite>,
    runs: Vec<ObservedRun>,
    repeats: Vec<Repeat>,
}

/// Puts together how the processes ended and what assertions compared, if anything is known of that.
fn found(
    runs: BTreeMap<u32, ObservedRun>,
    repeated: Vec<Repeated>,
    seen: impl FnOnce(&[Repeated]) -> Option<ObservedTest>,
) -> Found {
    let mut runs: Vec<ObservedRun> = runs.into_values().collect();
    let Some(seen) = seen(&repeated) else {
        let repeat = |run: Repeated| Repeat {
            index: run.index,
            place: RepeatPlace::OtherProcess,
            outcome: run.outcome,
            values: Vec::new(),
        };
        return Found {
            sites: Vec::new(),
            runs,
            repeats: repeated.into_iter().map(repeat).collect(),
        };
    };
    for run in runs.iter_mut().filter(|run| run.outcome == Outcome::Fail) {
        let known = seen.runs.iter().find(|known| known.index == run.index);
        run.failed_site = known.and_then(|known| known.failed_site);
    }
    Found {
        sites: seen.sites,
        runs,
        repeats: seen.repeats,
    }
}

/// What a run showed, for the rule that ends the search.
fn values_of(record: &ProcessRecord) -> Vec<(SiteId, Limits, f64)> {
    let runs = record.runs();
    runs.flat_map(|(_, hits)| declared_values(record, hits))
        .collect()
}

/// Makes the runs that a plan names.
pub fn make(
    searching: &Searching<'_>,
    test: &FoundTest<'_>,
    turn: Turn,
    controlled: bool,
    orders: &[Order],
) -> Result<(), CalibrationError> {
    let plain = Plain::new(searching, test, turn, controlled)?;
    let limit = RunLimit::new(searching.timeout, None);
    let _bar = searching.display.begin(&test.label());
    for order in orders {
        let (runs, again): (Vec<u32>, bool) = match order {
            Order::Runs(range) => (range.clone().collect(), false),
            Order::Repeat(runs) => (runs.clone(), true),
            Order::Part(_) | Order::Confirm(_) => continue,
        };
        for index in runs {
            if plain.time_is_up() {
                searching.source.was_short();
                return Ok(());
            }
            match again {
                false => drop(plain.made(index, &limit)?),
                true => drop(plain.made_again(index, &limit)?),
            }
        }
    }
    Ok(())
}

/// A plain test, and how it is run.
struct Plain<'a> {
    searching: &'a Searching<'a>,
    test: &'a FoundTest<'a>,
    runs: TestRuns<'a>,
    deadline: Option<Instant>,
    controlled: bool,
}

impl<'a> Plain<'a> {
    fn new(
        searching: &'a Searching<'a>,
        test: &'a FoundTest<'a>,
        turn: Turn,
        controlled: bool,
    ) -> Result<Self, CalibrationError> {
        Ok(Plain {
            searching,
            test,
            runs: searching.runs_of(test, turn)?,
            deadline: turn.deadline,
            controlled,
        })
    }

    /// Whether no further run is to begin.
    fn time_is_up(&self) -> bool {
        let is_over = |deadline| Instant::now() >= deadline;
        self.runs.makes_runs()
            && (self.deadline.is_some_and(is_over) || self.searching.gate.is_closed())
    }

    /// What a run shows, whoever makes it.
    fn made(&self, index: u32, limit: &RunLimit) -> Result<PlainRun, CalibrationError> {
        let known = self.runs.known(&[index], false)?;
        match known.and_then(|known| known.records.into_iter().next()) {
            Some(known) => Ok(kept::read(index, known)),
            None => self.run_and_keep(index, ShardKind::Runs, limit),
        }
    }

    /// The same of a run that is made once more; `None` if what is known of it says nothing.
    fn made_again(
        &self,
        index: u32,
        limit: &RunLimit,
    ) -> Result<Option<PlainRun>, CalibrationError> {
        match self.runs.known_again(&[index])? {
            Some(known) if known.hung.is_none() && known.runs().next().is_none() => Ok(None),
            Some(known) => Ok(Some(kept::read(index, known))),
            None => self
                .run_and_keep(index, ShardKind::Repeat(vec![index]), limit)
                .map(Some),
        }
    }

    fn run_and_keep(
        &self,
        index: u32,
        kind: ShardKind,
        limit: &RunLimit,
    ) -> Result<PlainRun, CalibrationError> {
        let run = self.run(index, limit)?;
        if self.runs.are_kept()
            && let Some(recorded) = kept::written(&run, self.test, self.searching.root)
        {
            self.runs.keep(kind, recorded)?;
        }
        Ok(run)
    }

    /// Makes one run within its limit, which tells what it touched if it can.
    fn run(&self, index: u32, limit: &RunLimit) -> Result<PlainRun, CalibrationError> {
        let cannot = |error: io::Error| {
            let exe = self.test.program.program.exe.display();
            CalibrationError::Process(format!("cannot run {exe}: {error}"))
        };
        let folder = scratch_folder(&self.test.program.program.exe);
        let folder = Scratch::within(&folder).map_err(cannot)?;
        let words = folder.file("stderr");
        let began = Instant::now();
        let own = limit.of_next().and_then(|limit| began.checked_add(limit));
        let of_all = self.deadline.map(|deadline| deadline + GRACE);
        let mut command = self.command(index);
        let probe = PlainProbe::of(&mut command).map_err(cannot)?;
        let question = Question::of(&mut command, index).map_err(cannot)?;
        let ended = File::create(&words)
            .and_then(|stderr| {
                command.stderr(stderr);
                self.searching
                    .gate
                    .run(own.into_iter().chain(of_all).min(), &mut command)
            })
            .map_err(cannot)?;
        let status = match ended {
            ProcessEnd::Itself(status) => status,
            ProcessEnd::Stopped => return Ok(PlainRun::Unfinished),
            ProcessEnd::Late if limit.is_exceeded_by(began.elapsed()) => {
                return Ok(PlainRun::hung(index, rounded(began.elapsed())));
            }
            ProcessEnd::Late => return Ok(PlainRun::Unfinished),
        };
        let said = std::fs::read(&words).unwrap_or_default();
        let why = || why(&String::from_utf8_lossy(&said), status);
        let run = ObservedRun {
            index,
            outcome: match status.success() {
                true => Outcome::Pass,
                false => Outcome::Fail,
            },
            why: (!status.success()).then(why),
            failed_site: None,
        };
        Ok(PlainRun::Ended(EndedRun {
            run,
            took: began.elapsed(),
            touched: probe.read(),
            record: question.answer().map(Box::new),
        }))
    }

    fn command(&self, index: u32) -> Command {
        let seed = SeedRequest {
            base: self.searching.base.to_owned(),
            run: Some((
                Phase::Detect,
                if self.searching.same_seed {
                    0
                } else {
                    index.into()
                },
            )),
        };
        plain_command(self.test, self.controlled.then_some(&seed))
    }

    /// Makes a few runs again, to see whether the seed decides how they end.
    fn repeats(
        &self,
        runs: &BTreeMap<u32, ObservedRun>,
        seconds_per_run: f64,
        limit: &RunLimit,
    ) -> Result<Vec<Repeated>, CalibrationError> {
        if !self.controlled {
            return Ok(Vec::new());
        }
        // Every run has a process of its own, so none depends on what ran before.
        let made = runs.values().map(|run| MadeRun {
            index: run.index,
            process: 0,
            failed: run.outcome == Outcome::Fail,
        });
        let made: Vec<MadeRun> = made.collect();
        let policy = RepeatPolicy::of_search(&made, seconds_per_run);
        let mut repeats = Vec::new();
        for index in policy.choose(&made) {
            if self.time_is_up() {
                break;
            }
            let (run, record) = match self.made_again(index, limit)? {
                Some(PlainRun::Ended(ended)) => (ended.run, ended.record),
                Some(PlainRun::Hung(run, _)) => (run, None),
                Some(PlainRun::Unfinished) => break,
                None => continue,
            };
            let seen = record.map(|record| Repeated::all_of(&record, &[]));
            repeats.push(Repeated {
                index,
                outcome: run.outcome,
                values: seen
                    .into_iter()
                    .flatten()
                    .flat_map(|repeated| repeated.values)
                    .collect(),
            });
        }
        Ok(repeats)
    }
}

/// Why a run failed, in one line: its panic, else its error, else how the process ended.
fn why(said: &str, status: ExitStatus) -> String {
    let mut lines = said.lines();
    let panic = lines.by_ref().find_map(|line| {
        let (_, place) = line.split_once(" panicked at ")?;
        Some(place.trim_end_matches(':'))
    });
    let message = lines.find(|line| !line.trim().is_empty()).map(str::trim);
    let error = said.lines().find(|line| line.starts_with("Error: "));
    let words = match (panic, message, error) {
        (Some(place), Some(message), _) => Some(format!("{message} ({place})")),
        (.., Some(error)) => Some(error.to_owned()),
        _ => None,
    };
    match (words, status.code()) {
        (Some(words), Some(_)) => words,
        (Some(words), None) => format!("{words}; ended the process ({status})"),
        (None, _) => format!("ended the process ({status})"),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn failures_are_told_in_one_line() {
        let (failed, aborted) = (ExitStatus::from_raw(101 << 8), ExitStatus::from_raw(6));
        let check = |said: &str, status, expected: &str| assert_eq!(why(said, status), expected);
        check(
            "noise\nthread 'a' (12) panicked at tests/a.rs:3:5:\nassertion failed: x < 1.0\nnote: run with …\n",
            failed,
            "assertion failed: x < 1.0 (tests/a.rs:3:5)",
        );
        check("Error: \"too late\"\n", failed, "Error: \"too late\"");
        check("", failed, "ended the process (exit status: 101)");
        let how = why("", aborted);
        assert!(how.starts_with("ended the process (signal: 6"), "{how}");
    }
}
