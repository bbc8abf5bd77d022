//! Whether something should be done about an assertion, and by whom.

use super::suspicion::Suspicion;
use crate::verdict::{Diagnosis, Finding, Randomness};

/// Whether something should be done about an assertion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It fails by chance, or is likely to.
    Mend,
    /// It fails by chance, and too few runs say where its number belongs.
    Open,
    /// Something looks like a bug.
    Suspected,
    /// It passes only under the seed of the source.
    Golden,
    /// No seed controls its values, so no promise holds.
    Uncontrolled(String),
    /// It always fails.
    Broken,
    /// The test fails elsewhere than in an assertion that compares numbers.
    Elsewhere,
    /// It is a plain Rust test of which nothing was seen but how it ends.
    Unseen,
    /// It is fine.
    Keep,
}

/// The standing of an assertion by what was found, and by what looks like a bug.
pub(super) fn standing(finding: &Finding, suspicions: &[Suspicion]) -> Standing {
    match &finding.verdict {
        Diagnosis::Uncontrolled(source) => Standing::Uncontrolled(match source {
            Randomness::HashOrder => "the order of hashes".to_owned(),
            Randomness::Unseeded(places) => places.join("; "),
            Randomness::Touched(sources) => sources.join(", or "),
            Randomness::SharedState => "runs share state".to_owned(),
            Randomness::Unknown => "nobody knows why".to_owned(),
        }),
        Diagnosis::Broken => Standing::Broken,
        Diagnosis::Golden => Standing::Golden,
        Diagnosis::Constant | Diagnosis::Skipped => Standing::Keep,
        Diagnosis::SecondMode(_) => Standing::Suspected,
        Diagnosis::Steady if !finding.is_risky => Standing::Keep,
        Diagnosis::Steady | Diagnosis::Flaky if suspicions.is_empty() => Standing::Mend,
        Diagnosis::Steady | Diagnosis::Flaky => Standing::Suspected,
    }
}
