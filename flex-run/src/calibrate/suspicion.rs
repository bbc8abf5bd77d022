//! Values of a learned site that look like a bug: NaN, infinite, or far from all others.
//!
//! A bound that lets them pass would be green for the wrong reason, so that none is learned unless somebody says that they
//! are as they should be.

use std::fmt;

use flex_core::calibration::CalibratedSite;
use flex_core::sample::second_mode::{LIKELY, SecondMode};
use flex_core::words::{run_list, short};

/// What looks like a bug, and the runs that show it.
#[derive(Debug, Clone, PartialEq)]
pub struct SuspectedBug {
    kind: BugKind,
    /// The runs, in ascending order.
    pub runs: Vec<u32>,
    /// Runs in all.
    of: usize,
}

#[derive(Debug, Clone, PartialEq)]
enum BugKind {
    NotFinite,
    /// The values between these two, beside the rest between those.
    Apart {
        range: (f64, f64),
        rest: (f64, f64),
    },
}

/// Runs that are shown with the command that repeats them: as many as the words name.
const NAMED: usize = 5;

impl SuspectedBug {
    /// The runs that its words name.
    pub(super) fn named(&self) -> &[u32] {
        &self.runs[..self.runs.len().min(NAMED)]
    }

    /// What looks like a bug on one of the sides that a site bounds. What lies far out on the other side passes rightly,
    /// and times lie in clusters whenever the machine has something else to do.
    pub(super) fn of(site: &CalibratedSite, is_time: bool) -> Option<Self> {
        let sides = || site.spec.tail.sides().iter().zip(&site.samples);
        let not_finite = sides().find_map(|(side, samples)| {
            let runs = samples.unbounded(*side);
            (!runs.is_empty()).then(|| SuspectedBug {
                kind: BugKind::NotFinite,
                runs,
                of: samples.len(),
            })
        });
        not_finite.or_else(|| {
            let mut sides = sides().filter(|_| !is_time);
            sides.find_map(|(side, samples)| {
                let apart = SecondMode::beyond(samples, *side, LIKELY)?;
                Some(SuspectedBug {
                    kind: BugKind::Apart {
                        range: apart.range,
                        rest: apart.rest,
                    },
                    runs: apart.runs,
                    of: samples.len(),
                })
            })
        })
    }
}

impl fmt::Display for SuspectedBug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (many, of) = (self.runs.len(), self.of);
        match &self.kind {
            BugKind::NotFinite => {
                let are = if many == 1 { "is" } else { "are" };
                write!(f, "{many} of {of} values {are} NaN or infinite")
            }
            BugKind::Apart { range, rest } => write!(
                f,
                "{many} of {of} values form a second cluster, {} to {}, far from the rest, {} to {}",
                short(range.0),
                short(range.1),
                short(rest.0),
                short(rest.1)
            ),
        }?;
        write!(
            f,
            ", which is often a bug; look at {}",
            run_list(&self.runs)
        )
    }
}
