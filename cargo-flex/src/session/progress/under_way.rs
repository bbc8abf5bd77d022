//! Processes under way, and what they have written down so far.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use flex_run::calibrate::{CalibrationSettings, GuardSoFar, SoFar};
use flex_run::model::ProcessRecord;
use flex_run::wire;

/// How often somebody looks.
const PAUSE: Duration = Duration::from_millis(100);

/// Looking takes no more than one part in so many of the time.
const PART: u32 = 25;

/// Processes that make runs of one test now, or did since runs were last taken.
#[derive(Debug, Default)]
pub struct UnderWay {
    /// What was known before them.
    known: Option<SoFar>,
    processes: Vec<Process>,
    next_look: Option<Instant>,
    /// How long the last look took, with all that followed from it.
    looking: Duration,
    next_guards: Option<Instant>,
    guards: Vec<GuardSoFar>,
}

#[derive(Debug)]
struct Process {
    record: PathBuf,
    /// Nothing until it has written which test it runs.
    seen: Option<ProcessRecord>,
    /// Whether its record can still grow.
    is_open: bool,
}

impl UnderWay {
    /// What was under way is taken, or asked for again; if something is known besides, runs are added to that.
    pub fn begin(&mut self, known: Option<SoFar>) {
        self.processes.clear();
        self.known = known.or(self.known.take());
    }

    /// A process begins.
    pub fn add(&mut self, record: &Path) {
        self.processes.push(Process {
            record: record.to_owned(),
            seen: None,
            is_open: true,
        });
    }

    /// Looks at all that is under way, if it is time to; whether it was.
    pub fn look(&mut self, now: Instant) -> bool {
        if self.next_look.is_some_and(|next| now < next) || self.processes.is_empty() {
            return false;
        }
        for process in self.processes.iter_mut().filter(|process| process.is_open) {
            process.read();
        }
        self.looking = now.elapsed();
        self.next_look = Some(Instant::now() + PAUSE.max(PART * self.looking));
        true
    }

    /// A process has ended.
    pub fn ends(&mut self, record: &Path) {
        let of = |process: &&mut Process| process.record == record;
        if let Some(process) = self.processes.iter_mut().find(of) {
            // A quick one was never looked at, and is not worth it.
            if self.next_look.is_some() {
                process.read();
            }
            process.is_open = false;
        }
    }

    /// Runs that they have made.
    pub fn runs(&self) -> u32 {
        let seen = self.processes.iter().filter_map(|p| p.seen.as_ref());
        let runs = |record: &ProcessRecord| record.runs().count() + record.inconclusive.len();
        seen.map(runs).sum::<usize>() as u32
    }

    /// The guards that all runs so far would teach, computed anew if that costs little of the time.
    pub fn guards(&mut self, settings: &CalibrationSettings) -> Vec<GuardSoFar> {
        let now = Instant::now();
        if self.next_guards.is_none_or(|next| now >= next) {
            let seen = || self.processes.iter().filter_map(|p| p.seen.as_ref());
            let first = || SoFar::of_first(seen().next()?, settings).ok();
            if let Some(mut so_far) = self.known.clone().or_else(first) {
                seen().for_each(|record| so_far.add(record));
                self.guards = so_far.guards();
            }
            self.next_guards = Some(Instant::now() + PAUSE.max(PART * now.elapsed()));
        }
        self.guards.clone()
    }
}

impl Process {
    /// Reads what the process has written. What is broken off is less than there will be.
    fn read(&mut self) {
        let bytes = fs::read(&self.record).unwrap_or_default();
        if let Ok(record) = wire::read(&bytes) {
            self.seen = Some(record);
        }
    }
}
