//! Running a test: one run under one seed, with whatever it showed.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use flex_bounds::options::Options;
use flex_core::seed::{Phase, Seeds};

use crate::entropy::Entropy;
use crate::recorder::Recorder;
use crate::replaced::Watch;
use crate::rng::TestRng;
use crate::test::StochasticTest;
use flex_run::model::{FirstStack, Probe, RunRecord};
use flex_run::project::env;
use flex_run::watch::RunWatch;

/// The runs of one test in one phase.
#[derive(Debug)]
pub(crate) struct Runs {
    test: &'static StochasticTest,
    is_controlled: bool,
    base: Arc<str>,
    phase: Phase,
    seeds: Seeds,
    /// Notices a run that hangs.
    limits: RunWatch,
    pub recorder: Recorder,
    /// Counts what the runs touch, if anybody asked and it can be done.
    watch: Option<Watch>,
    /// Whether a run was made that was watched.
    has_watched: bool,
    /// What the last run showed.
    pub record: RunRecord,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Run {
    /// Whether it drew a random number.
    pub drew: bool,
    pub end: End,
}

/// The end of the test's body.
#[derive(Debug)]
pub(crate) enum End {
    Done,
    /// It returned an error.
    Error(String),
    /// It panicked, and the panic hook has said so.
    Panic(Box<dyn Any + Send>),
}

impl Runs {
    pub fn new(
        test: &'static StochasticTest,
        options: &Options,
        base: &str,
        phase: Phase,
        limits: RunWatch,
        with_messages: bool,
    ) -> Self {
        Runs {
            test,
            is_controlled: options.controls_entropy(),
            base: base.into(),
            phase,
            seeds: Seeds::new(base, phase, &test.identity.target(), test.name()),
            limits,
            recorder: Recorder::new(options.is_light(), with_messages),
            watch: None,
            has_watched: false,
            record: RunRecord::default(),
        }
    }

    /// From now on, what runs touch that can differ is counted, where that can be done.
    pub fn watch(&mut self) {
        let package = env::package_folder(self.test.identity.manifest_dir);
        self.watch = Watch::begin(&package);
    }

    /// What the runs touched so far, other than their `TestRng`; `None` where nobody can tell.
    pub fn touched(&self) -> Option<(Probe, Vec<FirstStack>)> {
        self.watch.as_ref().map(Watch::seen)
    }

    /// Makes one run; [`Runs::record`] then holds what it showed.
    pub fn run(&mut self, index: u64) -> Run {
        let began = self.limits.begin(&self.base, self.phase, index);
        let run = self.run_under(self.seeds.run(index));
        self.limits.end(began);
        run
    }

    /// Makes a run of the calibration with this base seed once more.
    pub fn replay(&mut self, base: &str, run: u32) -> Run {
        let (target, name) = (self.test.identity.target(), self.test.name());
        let seeds = Seeds::new(base, Phase::Calibrate, &target, name);
        let began = self
            .limits
            .begin(&base.into(), Phase::Calibrate, u64::from(run));
        let run = self.run_under(seeds.run(u64::from(run)));
        self.limits.end(began);
        run
    }

    /// The slowest run so far.
    pub fn slowest(&self) -> Option<Duration> {
        self.limits.slowest()
    }

    fn run_under(&mut self, seed: [u8; 32]) -> Run {
        let mut rng = TestRng::new(seed);
        let mut body = || catch_unwind(AssertUnwindSafe(|| (self.test.body)(&mut rng)));
        let body = || match &self.watch {
            Some(watch) => watch.during(body),
            None => body(),
        };
        // Some things are touched once per thread, such as the entropy of hashes: the first run that is watched has a
        // thread on which nobody has done so before.
        let is_first = self.watch.is_some() && !self.has_watched;
        let entropy = self.is_controlled.then(|| Entropy::of_run(seed)).flatten();
        let stream = entropy.as_ref().map(Entropy::split);
        let is_apart = is_first || stream.is_some();
        let made = || self.recorder.during(seed, stream, body);
        let end = match is_apart {
            true => on_fresh_thread(made),
            false => made(),
        };
        self.has_watched |= is_first;
        let took_streams = self.recorder.take(&mut self.record);
        Run {
            drew: rng.drawn() || took_streams || entropy.is_some_and(|entropy| entropy.drawn()),
            end: match end {
                Ok(Ok(())) => End::Done,
                Ok(Err(error)) => End::Error(error),
                Err(payload) => End::Panic(payload),
            },
        }
    }
}

/// Runs `body` on a thread that has asked for no entropy yet, and goes by the name of this one.
fn on_fresh_thread<T: Send>(body: impl FnOnce() -> T + Send) -> T {
    let mut builder = thread::Builder::new();
    if let Some(name) = thread::current().name() {
        builder = builder.name(name.to_owned());
    }
    thread::scope(|scope| {
        let thread = builder
            .spawn_scoped(scope, body)
            .unwrap_or_else(|error| panic!("flex: cannot start a thread for a run: {error}"));
        thread
            .join()
            .unwrap_or_else(|payload| resume_unwind(payload))
    })
}

/// The words of a panic, where it has any.
pub(crate) fn panic_message(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("a panic without a message")
}
