//! How a test is calibrated, and why it could not be.

use std::fmt;
use std::time::{Duration, Instant};

use flex_bounds::options::Options;
use flex_core::bound::MOST_RERUNS;
use flex_core::bound::confidence::{Confidence, default_effort};
use flex_core::calibration::{CalibrationPlan, SuiteShares};
use flex_core::seed::Phase;

use super::pooled::PoolSource;
use crate::model::ProcessRecord;

/// Processes that a calibration is spread over at least, to see what they share.
pub(super) const PROCESSES: u32 = 5;

/// How tests are calibrated, as far as the tests do not say.
#[derive(Debug, Clone, Default)]
pub struct CalibrationSettings {
    /// Runs to begin with.
    pub runs: Option<u32>,
    /// Runs at most.
    pub max_runs: Option<u32>,
    /// Go on until the ceilings are tight.
    pub tight: bool,
    /// Make all runs, also of a test in which nothing varies.
    pub full: bool,
    /// When to make do with what there is.
    pub deadline: Option<Instant>,
    /// After how long a run hangs, instead of what the test says.
    pub timeout: Option<Duration>,
    /// The base seed.
    pub base: String,
    /// Learn bounds also where state is shared between runs, and write what should be reviewed.
    pub accept: bool,
    /// The runs are for comparison with the bounds file, and get seeds of their own.
    pub check: bool,
    /// The variant that the bounds are learned for.
    pub variant: Option<String>,
    /// A test that measures time is not calibrated beside others.
    pub alone: bool,
    /// Which runs are repeated is chosen as if so many processes had made the first ones, whoever made them: what is learned
    /// is then the same wherever runs are made.
    pub as_if_by: Option<u32>,
    /// What the sites may spend of the budget of their suite, if it has one and the test states no confidence.
    pub shares: Option<SuiteShares>,
    /// Whoever knows earlier runs, if their values are to be used.
    pub pool: Option<PoolSource>,
}

impl CalibrationSettings {
    /// What decides the seeds of the runs, besides the base.
    pub fn phase(&self) -> Phase {
        match self.check {
            true => Phase::Check,
            false => Phase::Calibrate,
        }
    }
}

/// Why a test could not be calibrated.
#[derive(Debug)]
pub enum CalibrationError {
    /// Its process could not be started, or did not do as it was told.
    Process(String),
    /// Something is wrong with the test itself.
    Test(Vec<String>),
    /// The test measures time and must be calibrated with nothing beside it.
    NotAlone,
    /// The time was up before its first run had ended.
    NoTime,
    /// A run did not end, of which this is to be said.
    Hung(String),
    /// Somebody ended the session.
    Interrupted,
    /// Shards are to tell what runs showed, and none made these.
    NotMade,
}

impl fmt::Display for CalibrationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CalibrationError::Process(error) => f.write_str(error),
            CalibrationError::Test(mistakes) => f.write_str(&mistakes.join("\n")),
            CalibrationError::NotAlone => {
                f.write_str("it measures time and must be calibrated alone")
            }
            CalibrationError::NoTime => f.write_str("no time was left for it"),
            CalibrationError::Hung(words) => f.write_str(words),
            CalibrationError::Interrupted => f.write_str("interrupted"),
            CalibrationError::NotMade => f.write_str("no shard made all of its runs"),
        }
    }
}

impl std::error::Error for CalibrationError {}

/// A test whose runs take fewer seconds replays one in every run: it costs nobody anything, and misses nothing.
const QUICK: f64 = 0.02;

/// The most reruns of a race, by the seconds that a run takes: nobody waits an hour for a verdict.
fn most_reruns(seconds_per_run: f64) -> u32 {
    match seconds_per_run {
        seconds if seconds < 1.0 => MOST_RERUNS,
        seconds if seconds < 10.0 => 60,
        _ => 30,
    }
}

/// What the test and the settings ask for.
pub(super) fn plan(
    first: &ProcessRecord,
    settings: &CalibrationSettings,
) -> Result<CalibrationPlan, CalibrationError> {
    // What the command line says counts before what the test says, and is not cut short by it.
    let stated = Options {
        runs: settings.runs,
        max_runs: settings.max_runs,
        ..Options::NONE
    };
    let options = stated.or(first.test.options);
    let default = CalibrationPlan::default();
    let confidence = options
        .confidence
        .map_or(Ok(default.confidence), Confidence::new)
        .map_err(|error| CalibrationError::Test(vec![error]))?;
    let (min_runs, max_runs) = (options.runs_to_begin_with(), options.max_runs);
    let seconds = first.seconds_per_run().unwrap_or(0.0);
    Ok(CalibrationPlan {
        confidence,
        effort: options.effort.unwrap_or_else(|| default_effort(seconds)),
        only_passed: options.attempts() > 1,
        replays_always: options.replays_always.unwrap_or(seconds < QUICK),
        most_reruns: most_reruns(seconds),
        min_runs,
        max_runs: max_runs.unwrap_or_else(|| default.max_runs.max(min_runs)),
        tight: settings.tight,
    })
}
