//! The runs of a test that is enforced: made on this thread, on several where runs may overlap in time, or taken from what a
//! session kept that was interrupted. Whoever asks gets them in the order of their indices, so that a verdict is the same.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::thread::{self, Builder, ScopedJoinHandle};
use std::time::{Duration, SystemTime};

use flex_core::seed::Phase;
use flex_run::calibrate::scratch_folder;
use flex_run::enforce::WantedRun;
use flex_run::model::{Gathered, RunRecord, Site, Test};
use flex_run::project::base::fresh_base;
use flex_run::resume::{KeptFor, KeptRuns};

use crate::hang;
use crate::run::{End, Runs};
use crate::test::StochasticTest;

/// Makes the runs of one test.
pub(crate) struct Making<'scope, 'env> {
    scope: &'scope thread::Scope<'scope, 'env>,
    test: &'static StochasticTest,
    asked: &'env Test,
    base: &'env str,
    /// Those of this thread.
    runs: Runs,
    /// Runs under way at once, at most.
    threads: usize,
    ahead: VecDeque<(u64, ScopedJoinHandle<'scope, Made>)>,
    slowest: Option<Duration>,
    kept: Option<KeptRuns>,
    /// What was seen, if not by this thread alone.
    gathered: Option<Gathered>,
    mistakes: Vec<String>,
}

/// A run that was made on a thread of its own.
struct Made {
    sites: Vec<Site>,
    record: RunRecord,
    mistakes: Vec<String>,
    slowest: Option<Duration>,
    end: End,
}

impl<'scope, 'env> Making<'scope, 'env> {
    pub fn new(
        scope: &'scope thread::Scope<'scope, 'env>,
        test: &'static StochasticTest,
        asked: &'env Test,
        base: &'env str,
        kept: Option<KeptRuns>,
    ) -> Self {
        let threads = asked.options.runs_at_once();
        Making {
            scope,
            test,
            asked,
            base,
            runs: runs_of(test, asked, base, Phase::Enforce, None),
            threads,
            ahead: VecDeque::new(),
            slowest: None,
            gathered: (threads > 1 || kept.is_some()).then(Gathered::default),
            kept,
            mistakes: Vec::new(),
        }
    }

    /// Makes a run.
    pub fn make(&mut self, wanted: &WantedRun) -> End {
        let end = match wanted {
            WantedRun::Replay { base, run } => self.runs.replay(base, *run).end,
            WantedRun::Rerun(index) if self.take_kept(*index) => return End::Done,
            WantedRun::Rerun(index) => match self.made_ahead(*index) {
                Some(end) => return self.keep(*index, end),
                None => self.runs.run(*index).end,
            },
        };
        self.slowest = self.slowest.max(self.runs.slowest());
        self.mistakes = self.runs.recorder.mistakes();
        if let Some(gathered) = &mut self.gathered {
            let sites = self.runs.recorder.sites_from(0);
            gathered.take(&sites, self.runs.record.clone());
        }
        match wanted {
            WantedRun::Rerun(index) => self.keep(*index, end),
            WantedRun::Replay { .. } => end,
        }
    }

    /// Every site that was seen.
    pub fn sites(&self) -> Cow<'_, [Site]> {
        match &self.gathered {
            Some(gathered) => Cow::Borrowed(&gathered.sites),
            None => Cow::Owned(self.runs.recorder.sites_from(0)),
        }
    }

    /// What the last run showed.
    pub fn record(&self) -> &RunRecord {
        match &self.gathered {
            Some(gathered) => &gathered.record,
            None => &self.runs.record,
        }
    }

    /// What is wrong with the test itself.
    pub fn mistakes(&self) -> &[String] {
        &self.mistakes
    }

    /// The verdict is there, so nobody goes on from here.
    pub fn forget(&mut self) {
        if let Some(kept) = self.kept.take() {
            kept.forget();
        }
    }

    fn take_kept(&mut self, index: u64) -> bool {
        match (&self.kept, &mut self.gathered) {
            (Some(kept), Some(gathered)) => kept.take(index, gathered),
            _ => false,
        }
    }

    /// Takes a run that was begun on another thread, and begins those that come after it. The first is always made here:
    /// mostly it is the only one.
    fn made_ahead(&mut self, index: u64) -> Option<End> {
        if self.threads < 2 || index == 0 {
            return None;
        }
        let mut next = self.ahead.back().map_or(index, |(last, _)| last + 1);
        while self.ahead.len() < self.threads {
            if !self.kept.as_ref().is_some_and(|kept| kept.has(next)) {
                // Where there is no thread to be had, it is made here.
                let thread = self.begin(next)?;
                self.ahead.push_back((next, thread));
            }
            next += 1;
        }
        while let Some((run, thread)) = self.ahead.pop_front() {
            let made = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
            self.slowest = self.slowest.max(made.slowest);
            if run == index {
                self.mistakes = made.mistakes;
                let gathered = self.gathered.get_or_insert_default();
                gathered.take(&made.sites, made.record);
                return Some(made.end);
            }
        }
        None
    }

    fn begin(&self, index: u64) -> Option<ScopedJoinHandle<'scope, Made>> {
        let (test, asked, base, slowest) = (self.test, self.asked, self.base, self.slowest);
        let mut builder = Builder::new();
        if let Some(name) = thread::current().name() {
            builder = builder.name(name.to_owned());
        }
        let make = move || {
            let mut runs = runs_of(test, asked, base, Phase::Enforce, slowest);
            let end = runs.run(index).end;
            Made {
                sites: runs.recorder.sites_from(0),
                mistakes: runs.recorder.mistakes(),
                slowest: runs.slowest(),
                record: runs.record,
                end,
            }
        };
        builder.spawn_scoped(self.scope, make).ok()
    }

    /// Keeps a run that counts.
    fn keep(&mut self, index: u64, end: End) -> End {
        if let (Some(kept), Some(gathered), End::Done) = (&mut self.kept, &self.gathered, &end)
            && gathered.record.inconclusive.is_none()
            && self.mistakes.is_empty()
        {
            kept.keep(self.asked, index, &gathered.sites, &gathered.record);
        }
        end
    }
}

/// The runs of a test in this process, of which others took so long.
pub(crate) fn runs_of(
    test: &'static StochasticTest,
    asked: &Test,
    base: &str,
    phase: Phase,
    slowest: Option<Duration>,
) -> Runs {
    let watch = hang::ends_process(test, asked, slowest);
    Runs::new(test, &asked.options, base, phase, watch, true)
}

/// The runs of a test that are kept, if it asks for that: of this program alone, by its size and when it was written.
pub(crate) fn kept(asked: &Test, stated: Option<&str>) -> Option<KeptRuns> {
    if !asked.options.keeps_runs() {
        return None;
    }
    let exe = std::env::current_exe().ok()?;
    let data = exe.metadata().ok()?;
    let written = data.modified().ok()?;
    let written = written.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    KeptRuns::open(
        &scratch_folder(&exe).join("runs"),
        KeptFor {
            test: asked,
            program: &format!("{} {}", data.len(), written.as_nanos()),
            stated,
            fresh: &fresh_base(),
        },
    )
}
