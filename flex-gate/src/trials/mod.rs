//! What the trials of a test show: stable so far, flaky, failing, and whether it was so before.

use flex_core::words::percent;
use serde::Serialize;

/// The confidence of intervals and of rates that are excluded.
pub const CONFIDENCE: f64 = 0.95;

/// After so many trials that all failed, a test is not flaky but broken.
pub const GIVE_UP: u32 = 10;

/// What is said of a test.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "verdict")]
pub enum TrialVerdict {
    /// No trial failed.
    Stable {
        /// The trials.
        runs: u32,
        /// The rate that they exclude.
        below: f64,
    },
    /// Nothing in it varies; it was run twice.
    Fixed {
        /// The trials.
        runs: u32,
    },
    /// Some trials failed, and some did not.
    Flaky {
        /// Trials up to the first that disagreed.
        runs: u32,
        /// Those of them that failed.
        failed: u32,
        /// The rate of failures.
        rate: f64,
        /// Its interval.
        interval: (f64, f64),
        /// What the base shows.
        before: Before,
    },
    /// All trials failed.
    Failing {
        /// The trials.
        runs: u32,
        /// What the base shows.
        before: Before,
    },
    /// It was skipped.
    Skipped,
    /// There was no time for it, or it is not there.
    NotBegun,
}

/// What a test showed before the change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "state")]
pub enum Before {
    /// No trial failed.
    Stable {
        /// The trials.
        runs: u32,
    },
    /// Some, or all, failed.
    Failed {
        /// The trials.
        runs: u32,
        /// Those that failed.
        failed: u32,
    },
    /// There was no such test.
    Absent,
    /// Nobody knows.
    Unknown {
        /// Why; empty if nobody asked.
        why: String,
    },
}

impl TrialVerdict {
    /// The verdict on trials in the order of their seeds: whether each failed.
    ///
    /// Trials end at the first that disagrees with those before it, so that the number of trials is what varies, and not
    /// that of failures: the interval is the one for that (exact, from the geometric distribution).
    pub fn of(failed: &[bool], is_fixed: bool, before: Before) -> Self {
        let Some(first) = failed.first() else {
            return TrialVerdict::NotBegun;
        };
        let Some(same) = failed.iter().position(|failed| failed != first) else {
            let runs = failed.len() as u32;
            return match (first, is_fixed) {
                (true, _) => TrialVerdict::Failing { runs, before },
                (false, true) => TrialVerdict::Fixed { runs },
                (false, false) => TrialVerdict::Stable {
                    runs,
                    below: excluded(runs),
                },
            };
        };
        let runs = same as u32 + 1;
        // The rate of what came last, which was waited for.
        let tail = (1.0 - CONFIDENCE) / 2.0;
        let low = 1.0 - (1.0 - tail).powf(1.0 / f64::from(runs));
        let high = 1.0 - tail.powf(1.0 / f64::from(runs - 1));
        let share = 1.0 / f64::from(runs);
        match first {
            false => TrialVerdict::Flaky {
                runs,
                failed: 1,
                rate: share,
                interval: (low, high),
                before,
            },
            true => TrialVerdict::Flaky {
                runs,
                failed: runs - 1,
                rate: 1.0 - share,
                interval: (1.0 - high, 1.0 - low),
                before,
            },
        }
    }

    /// Whether the change is to blame, as far as is known: what failed before too is not its fault.
    pub fn blocks(&self) -> bool {
        match self {
            TrialVerdict::Flaky { before, .. } | TrialVerdict::Failing { before, .. } => {
                !matches!(before, Before::Failed { .. })
            }
            _ => false,
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            TrialVerdict::Stable { .. } => "stable so far",
            TrialVerdict::Fixed { .. } => "fixed",
            TrialVerdict::Flaky {
                before: Before::Failed { .. },
                ..
            } => "was flaky before too",
            TrialVerdict::Flaky { .. } => "flaky",
            TrialVerdict::Failing {
                before: Before::Failed { .. },
                ..
            } => "failed before too",
            TrialVerdict::Failing { .. } => "fails",
            TrialVerdict::Skipped => "skipped",
            TrialVerdict::NotBegun => "not begun",
        }
    }

    /// What the verdict rests on, in words.
    pub fn words(&self) -> String {
        match self {
            TrialVerdict::Stable { runs, below } => {
                format!("{runs} runs, < {} at 95%", percent(*below))
            }
            TrialVerdict::Fixed { .. } => "nothing in it varies; 2 runs".to_owned(),
            TrialVerdict::Flaky {
                runs,
                failed,
                rate,
                interval: (low, high),
                before,
            } => {
                let (rate, low, high) = (percent(*rate), percent(*low), percent(*high));
                format!("{failed} of {runs} runs failed: {rate}, {low} to {high} at 95%{before}")
            }
            TrialVerdict::Failing { runs, before } => format!("all of {runs} runs failed{before}"),
            TrialVerdict::Skipped => "its run was skipped".to_owned(),
            TrialVerdict::NotBegun => "the time was up, or it is not there".to_owned(),
        }
    }
}

impl std::fmt::Display for Before {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Before::Stable { runs } => write!(f, "; before, none of {runs}"),
            Before::Failed { runs, failed } => write!(f, "; before, {failed} of {runs}"),
            Before::Absent => f.write_str("; the test is new"),
            Before::Unknown { why } if why.is_empty() => Ok(()),
            Before::Unknown { why } => write!(f, "; before: not known, {why}"),
        }
    }
}

/// The rate that so many trials without a failure exclude: (1 − p)ⁿ = 1 − confidence.
pub fn excluded(runs: u32) -> f64 {
    1.0 - (1.0 - CONFIDENCE).powf(1.0 / f64::from(runs))
}

#[cfg(test)]
mod tests;
