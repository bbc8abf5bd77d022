//! What one run of a test showed, whoever ran it: which sites there are, and what each of them saw.

use flex_core::calibration::SiteSpec;
use flex_core::sample::Extremes;

use crate::model::site::Distance;
use crate::model::site::Ends;

/// Cases of sites that one test may have.
pub const MOST_CASES: usize = 100;

/// A site that was hit.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteRecord {
    /// Its identity in the test.
    pub id: String,
    /// The value of `case`, for a site that is several.
    pub case: Option<String>,
    /// What the source asks of it.
    pub kind: Kind,
    /// Whether it measures time.
    pub is_time: bool,
    /// Whether the samples are differences of two values.
    pub is_margin: bool,
    /// Whether it stops the run itself when it fails, so that it is never judged.
    pub is_hard: bool,
    /// Where it is, for people: `file:line`.
    pub place: String,
    /// How it is written.
    pub written: Written,
}

/// How an assertion is written; nothing where nobody asks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Written {
    /// The tokens without white space.
    pub text: String,
    /// The macro that asserts, such as `assert_tail_bound!`.
    pub form: String,
    /// What is bounded, if it is how far two values are apart.
    pub distance: Option<Distance>,
}

impl SiteRecord {
    /// Whether its bound is learned.
    pub fn is_learned(&self) -> bool {
        matches!(self.kind, Kind::Learned(_))
    }
}

/// What the source asks of a site.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// The bound is learned.
    Learned(SiteSpec),
    /// The bound is written out.
    Declared(Ends),
}

/// What one run showed: what each known site saw, and what went wrong.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunRecord {
    /// By the index of the site; `None` if it was not reached.
    pub seen: Vec<Option<Seen>>,
    /// What made the run fail without stopping it.
    pub faults: Vec<Fault>,
}

/// What a site saw in one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// The most extreme values of all hits.
    pub extremes: Extremes,
    /// Hits that broke the declared bound.
    pub broken: u32,
    /// The message of the assertion at the last hit that was more extreme than all before.
    pub message: Option<String>,
}

/// A failure that no bound decides: lengths that differ, NaN where numbers are compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// The index of the site.
    pub site: usize,
    /// What is wrong.
    pub what: String,
}

/// What is wrong with a site that has more than [`MOST_CASES`] cases.
pub fn too_many_cases(site: &str) -> String {
    format!(
        "{site} has more than {MOST_CASES} cases, each of which would need a bound of its own; use fewer values of `case` or `name`"
    )
}
