//! Plain tests: a process for each run, of which nothing is known but how it ended.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::process::{Command, ExitStatus};
use std::time::Instant;

use flex_core::seed::{Phase, SeedRequest};
use flex_detect::record::{ObservedRun, ObservedTest, Outcome, Repeat, RepeatPlace};
use flex_detect::search::{Search, SearchEnd, SearchRule, SearchStep, SearchedRun};
use flex_run::calibrate::{
    CalibrationError, GRACE, MadeRun, Progress, RepeatPolicy, scratch_folder,
};
use flex_run::scratch::Scratch;
use flex_run::watch::hang::{in_words, rounded};
use flex_run::watch::{Ended, RunLimit};

use super::searching::{MOST_HANGS, Searched, Searching, hangs_note, note_of};
use crate::cargo::{FoundTest, place_of_test};
use crate::probes::{PlainProbe, Touched, TouchedRuns, plain_command};
use crate::record::replay::Replay;
use crate::session::{Ran, Turn};

/// Said of a test that fails now and then, where nothing can make it fail again.
const NO_REPLAY: &str = "seed not controllable, no replay; on Linux it is, once the test program links flex-harness with the feature `entropy`";

/// Searches a plain test; `controlled` says whether its entropy follows a seed.
pub fn search(
    searching: &Searching<'_>,
    rule: SearchRule,
    test: &FoundTest<'_>,
    turn: Turn,
    controlled: bool,
    begun: Option<Box<Seen>>,
) -> Searched<Seen> {
    let plain = Plain {
        searching,
        test,
        deadline: turn.deadline,
        controlled,
    };
    let bar = searching.display.begin(&test.label());
    let mut seen = begun.unwrap_or_else(|| {
        Box::new(Seen {
            search: Search::new(rule),
            limit: RunLimit::new(searching.timeout, None),
            hangs: 0,
            runs: BTreeMap::new(),
            seconds: 0.0,
            touched: TouchedRuns::default(),
        })
    });
    let end = loop {
        if plain.time_is_up() && !turn.last && matches!(seen.search.step(), SearchStep::Collect(_))
        {
            return Ok(Ran::Short(seen));
        }
        let Seen {
            search,
            limit,
            hangs,
            runs,
            seconds,
            touched,
        } = &mut *seen;
        let wanted = match search.step() {
            SearchStep::Done(end) => break end,
            SearchStep::Collect(wanted) => wanted,
        };
        bar.show(Progress {
            done: runs.len() as u32,
            wanted: (runs.len() + wanted.len()) as u32,
        });
        let is_over = plain.time_is_up() || *hangs >= MOST_HANGS;
        let (Some(index), false) = (wanted.first(), is_over) else {
            search.out_of_time();
            continue;
        };
        let started = Instant::now();
        let (run, probe) = match plain.run(*index, limit)? {
            PlainRun::Unfinished if !turn.last => return Ok(Ran::Short(seen)),
            PlainRun::Unfinished => {
                search.out_of_time();
                continue;
            }
            PlainRun::Ended(run, probe) => {
                limit.took(started.elapsed());
                *seconds += started.elapsed().as_secs_f64();
                (run, probe)
            }
            PlainRun::Hung(run) => {
                *hangs += 1;
                (run, None)
            }
        };
        let searched = SearchedRun {
            index: *index,
            as_written: false,
            outcome: run.outcome,
            hits: Vec::new(),
        };
        search
            .push(searched.clone())
            .map_err(CalibrationError::Process)?;
        runs.insert(*index, run);
        touched.take(probe);
        let mut outcomes = runs.values().map(|run| run.outcome);
        let is_asked = !searching.full;
        if is_asked && touched.show_fixed() && outcomes.all(|outcome| outcome == searched.outcome) {
            search.shown_fixed();
            searching.saved.add(rule, searched);
        }
    };
    let Seen {
        limit,
        hangs,
        runs,
        seconds,
        touched,
        ..
    } = *seen;
    if runs.is_empty() {
        return Err(CalibrationError::NoTime);
    }
    let seconds_per_run = seconds / runs.len() as f64;
    let repeats = match end {
        SearchEnd::Fixed => Vec::new(),
        _ => plain.repeats(&runs, seconds_per_run, &limit)?,
    };
    bar.done("searched", runs.len() as u32, runs.len() + repeats.len());
    let fails = runs.values().any(|run| run.outcome == Outcome::Fail);
    let no_replay = (fails && !controlled).then(|| NO_REPLAY.to_owned());
    let replay = Replay {
        base: searching.base,
        phase: Phase::Detect,
        cargo: searching.cargo,
        root: searching.root,
    };
    let note = match hangs {
        MOST_HANGS.. => Some(hangs_note()),
        _ => note_of(end),
    };
    let place = place_of_test(test, searching.root);
    Ok(Ran::Done(ObservedTest {
        package: Some(test.program.package.clone()),
        seeds: Some(replay.seeds()),
        replay: controlled.then(|| replay.of_plain(test)),
        seconds_per_run,
        notes: note.into_iter().chain(no_replay).collect(),
        runs: runs.into_values().collect(),
        repeats,
        probe: touched.located(&searching.places, &test.program.program.exe),
        ..ObservedTest::new(test.id(), place)
    }))
}

/// What the runs showed so far.
pub struct Seen {
    search: Search,
    limit: RunLimit,
    /// Runs that hung.
    hangs: u32,
    runs: BTreeMap<u32, ObservedRun>,
    seconds: f64,
    touched: TouchedRuns,
}

/// What came of a run.
enum PlainRun {
    /// It ended by itself.
    Ended(ObservedRun, Touched),
    /// It hung, and was ended.
    Hung(ObservedRun),
    /// It was ended because the time for all runs was up.
    Unfinished,
}

/// A plain test, and how it is run.
struct Plain<'a> {
    searching: &'a Searching<'a>,
    test: &'a FoundTest<'a>,
    deadline: Option<Instant>,
    controlled: bool,
}

impl Plain<'_> {
    fn time_is_up(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
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
        let ended = File::create(&words)
            .and_then(|stderr| {
                command.stderr(stderr);
                self.searching
                    .gate
                    .run(own.into_iter().chain(of_all).min(), &mut command)
            })
            .map_err(cannot)?;
        let status = match ended {
            Ended::Itself(status) => status,
            Ended::Stopped => return Err(CalibrationError::Interrupted),
            Ended::Late if limit.is_exceeded_by(began.elapsed()) => {
                let after = rounded(began.elapsed());
                return Ok(PlainRun::Hung(ObservedRun {
                    index,
                    outcome: Outcome::Fail,
                    why: Some(in_words(index.into(), after)),
                    failed_site: None,
                }));
            }
            Ended::Late => return Ok(PlainRun::Unfinished),
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
        Ok(PlainRun::Ended(run, probe.read()))
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
    ) -> Result<Vec<Repeat>, CalibrationError> {
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
            let (PlainRun::Ended(run, _) | PlainRun::Hung(run)) = self.run(index, limit)? else {
                break;
            };
            repeats.push(Repeat {
                index,
                place: RepeatPlace::OtherProcess,
                outcome: run.outcome,
                values: Vec::new(),
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
