//! Sites: the assertions of a test, and what each of them asks for.

use flex_core::sample::Extremes;
use flex_core::tail::{Domain, Side};

use super::{ClaimSpec, Comparison, Place, SiteId, SiteSpec};

/// The form of assertions whose values are ratios of times.
pub const RATIO_OF_TIMES: &str = "assert_time!";

/// Cases of sites that one test may have.
pub const MOST_CASES: usize = 100;

/// One assertion of a test.
#[derive(Debug, Clone, PartialEq)]
pub struct Site {
    /// Its identity in the test.
    pub id: SiteId,
    /// What the source asks of it.
    pub asks: Asks,
    /// Where it is.
    pub place: Place,
    /// Its tokens without white space; empty where nobody asks for them.
    pub text: String,
    /// What asserts, such as `assert_tail_bound!`.
    pub form: String,
    /// What is bounded, if it is how far two values are apart.
    pub distance: Option<Distance>,
    /// Whether it measures time.
    pub is_time: bool,
    /// Whether the samples are differences of two values.
    pub is_margin: bool,
    /// The least and the greatest number that the type of its values can hold.
    pub ends: Option<Domain>,
    /// Whether it stops the run itself when it fails, so that it is never judged.
    pub is_hard: bool,
}

impl Site {
    /// A site of which nothing else is known.
    pub fn new(id: SiteId, asks: Asks, place: Place) -> Self {
        Site {
            id,
            asks,
            place,
            text: String::new(),
            form: String::new(),
            distance: None,
            is_time: false,
            is_margin: false,
            ends: None,
            is_hard: false,
        }
    }
}

impl Site {
    /// Whether its values are seconds; those of `assert_time!` are ratios of times.
    pub fn is_in_seconds(&self) -> bool {
        self.is_time && self.form != RATIO_OF_TIMES
    }
}

/// What the source asks of a site.
#[derive(Debug, Clone, PartialEq)]
pub enum Asks {
    /// Its bound is learned.
    Learned(SiteSpec),
    /// Its bounds are written out: one, or a lower and an upper one.
    Declared(Vec<Comparison>),
    /// It claims something of all runs together.
    Claim(ClaimSpec),
}

/// How far two values are apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distance {
    /// |a − b|.
    Absolute,
    /// |a − b| / max(|a|, |b|).
    Relative,
    /// How many representable numbers lie between the two; infinitely many if their signs differ.
    Ulps,
}

/// The key of a site among all sites of its test: `0.0 < x < _` both declares a bound and asks for one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SiteKey {
    /// The identity.
    pub id: SiteId,
    /// Whether its bound is declared.
    pub is_declared: bool,
}

impl Site {
    /// Its key among all sites of the test.
    pub fn key(&self) -> SiteKey {
        SiteKey {
            id: self.id.clone(),
            is_declared: !self.is_learned(),
        }
    }

    /// Whether its bound is learned.
    pub fn is_learned(&self) -> bool {
        self.learns().is_some()
    }

    /// What is to be learned for it, if anything is: a bound for each run, or for all of them together.
    pub fn learns(&self) -> Option<SiteSpec> {
        match &self.asks {
            Asks::Learned(spec) => Some(*spec),
            Asks::Claim(claim) => claim.learns(),
            Asks::Declared(_) => None,
        }
    }

    /// What it claims of all runs together, if it does.
    pub fn claim(&self) -> Option<&ClaimSpec> {
        match &self.asks {
            Asks::Claim(claim) => Some(claim),
            Asks::Learned(_) | Asks::Declared(_) => None,
        }
    }

    /// The sides on which values can be too extreme.
    pub fn sides(&self) -> Vec<Side> {
        match &self.asks {
            Asks::Learned(spec) => spec.tail.sides().to_vec(),
            Asks::Declared(bounds) => bounds.iter().map(|bound| bound.operator.side()).collect(),
            Asks::Claim(_) => Vec::new(),
        }
    }

    /// The bounds that are written out.
    pub fn declared(&self) -> &[Comparison] {
        match &self.asks {
            Asks::Learned(_) | Asks::Claim(_) => &[],
            Asks::Declared(bounds) => bounds,
        }
    }
}

/// The sample of one side.
pub fn value_on(side: Side, extremes: Extremes) -> f64 {
    match side {
        Side::Lower => extremes.least,
        Side::Upper => extremes.greatest,
    }
}

/// What is wrong with a site that has more than [`MOST_CASES`] cases.
pub fn too_many_cases(site: &str) -> String {
    format!(
        "{site} has more than {MOST_CASES} cases, each of which would need a bound of its own; use fewer values of `case` or `name`"
    )
}
