//! Why there is no guard.

use std::fmt;

use crate::sample::OutsideDomain;
use crate::words::{count, run_list};

/// Why a side has no guard.
#[derive(Debug, Clone, PartialEq)]
pub enum NoGuard {
    /// The effort is 0: the user asked for a ceiling only.
    NoEffort,
    /// The false-alarm rate to keep is not between 0 and 1.
    NoBudget,
    /// So few runs do not tell what is common and what is rare.
    TooFewRuns {
        /// Runs there are.
        runs: usize,
        /// Runs that would do.
        needed: usize,
    },
    /// So many values are not finite that no cut is.
    NotFinite {
        /// The runs with such a value.
        which: Vec<u32>,
        /// Runs there are.
        runs: usize,
    },
    /// Every cut would lie at the end of the domain, where nothing is beyond it.
    Vacuous {
        /// The end of the domain.
        end: f64,
    },
    /// The samples contradict the declared domain.
    OutsideDomain(OutsideDomain),
}

impl fmt::Display for NoGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoGuard::NoEffort => write!(f, "the effort is 0, so there is no guard"),
            NoGuard::NoBudget => write!(
                f,
                "no guard keeps a false-alarm rate that is not between 0 and 1"
            ),
            NoGuard::TooFewRuns { runs, needed } => write!(
                f,
                "{} too few for a guard; it needs {needed}",
                count(*runs, "run is", "runs are")
            ),
            NoGuard::NotFinite { which, runs } => write!(
                f,
                "{} of {runs} {} NaN or infinite, so no finite guard exists; look at {}",
                which.len(),
                if which.len() == 1 {
                    "values is"
                } else {
                    "values are"
                },
                run_list(which)
            ),
            NoGuard::Vacuous { end } => write!(
                f,
                "so many values are at the end of the domain ({end}) that a guard would lie there, where nothing is beyond it"
            ),
            NoGuard::OutsideDomain(outside) => outside.fmt(f),
        }
    }
}
