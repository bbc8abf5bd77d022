//! The bounds file: what was learned, one entry per site, as text that people read, review and merge
//! (docs/design/bounds-file.md).
//!
//! Text becomes a [`BoundsFile`] with [`str::parse`] and text again with [`ToString`]. Reading checks everything that
//! enforcement relies on, so a [`BoundsFile`] never holds an entry that contradicts itself. Writing is deterministic:
//! equal files are equal bytes, and reading them back gives the same file.
//!
//! ```
//! use flex_core::bounds_file::BoundsFile;
//!
//! let text = r#"
//! version = 1
//!
//! [[bound]]
//! target = "lib"
//! test = "tests::recall_is_high"
//! site = "recall>_"
//! tail = "lower"
//! confidence = 0.9999
//! domain = [0, 1]
//! guard = { bound = 0.81, hits = 12 }
//! strategy = "guard"
//! samples = 100
//! reached = "always"
//! "#;
//! let file: BoundsFile = text.parse()?;
//! let entry = file.find(Some("lib"), "tests::recall_is_high", "recall>_", None, Some("gpu"));
//! assert_eq!(entry.map(|entry| entry.samples), Some(100));
//! assert_eq!(file.to_string().parse(), Ok(file));
//! # Ok::<(), flex_core::bounds_file::ParseError>(())
//! ```

mod calibrated;
mod check;
mod conflict;
mod edit;
pub(crate) mod error;
pub(crate) mod field;
mod merge;
mod parse;
mod power;
mod rarity;
mod select;
mod write;

use std::fmt;
use std::str::FromStr;

use flex_core::bound::confidence::Confidence;
use flex_core::bound::race::Hits;
use flex_core::bound::strategy::Strategy;
use flex_core::tail::{Domain, Side, Tail};

pub use calibrated::Provenance;
pub use check::EntryError;
pub use conflict::{Resolved, resolve};
pub use edit::edit;
pub use error::{ParseError, conflict_marker};
pub use merge::{Conflict, Merged, merge};
pub use rarity::Rarity;

/// The version that this flex writes, and the newest that it reads.
pub const VERSION: u32 = 1;

/// How many quantiles of the calibration's samples an entry keeps, to tell drift from chance later.
pub const QUANTILES: usize = flex_core::calibration::QUANTILES.len();

/// The entries of one bounds file, ordered by key, each valid and each key once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BoundsFile {
    entries: Vec<Entry>,
}

impl BoundsFile {
    /// All entries, ordered by key.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry with exactly this key.
    pub fn get(&self, key: &Key) -> Option<&Entry> {
        self.at(self.position(key.identity()).ok())
    }

    /// The entry that a site is judged by: the one for this exact variant first, then the one without a variant.
    pub fn find(
        &self,
        target: Option<&str>,
        test: &str,
        site: &str,
        case: Option<&str>,
        variant: Option<&str>,
    ) -> Option<&Entry> {
        let position = self
            .position((target, test, site, case, variant))
            .or_else(|_| self.position((target, test, site, case, None)));
        self.at(position.ok())
    }

    /// The entries that hold for a variant: of each test those of the variant itself if it has any, else those
    /// without one. The sites of a test are calibrated together, and share its confidence, so entries of two
    /// calibrations are not mixed.
    pub fn holding<'a>(&'a self, variant: Option<&'a str>) -> impl Iterator<Item = &'a Entry> {
        let of_one_test =
            |a: &Entry, b: &Entry| (&a.key.target, &a.key.test) == (&b.key.target, &b.key.test);
        self.entries.chunk_by(of_one_test).flat_map(move |of_test| {
            let is_own = |entry: &&Entry| entry.key.variant.as_deref() == variant;
            let own = of_test.iter().find(is_own).and(variant);
            of_test
                .iter()
                .filter(move |entry| entry.key.variant.as_deref() == own)
        })
    }

    /// The probability that one of the bounds that hold for a variant is broken though nothing changed. Sites that are
    /// not enforced break nothing.
    pub fn false_alarm_rate(&self, variant: Option<&str>) -> f64 {
        self.holding(variant)
            .filter(|entry| !entry.unenforced)
            .map(|entry| entry.confidence.false_alarm_rate())
            .sum()
    }

    /// Adds an entry and hands back the one it replaces. An entry that contradicts itself changes nothing.
    pub fn insert(&mut self, entry: Entry) -> Result<Option<Entry>, EntryError> {
        entry.check()?;
        Ok(match self.position(entry.key.identity()) {
            Ok(index) => self
                .entries
                .get_mut(index)
                .map(|old| std::mem::replace(old, entry)),
            Err(index) => {
                self.entries.insert(index, entry);
                None
            }
        })
    }

    /// Takes an entry out of the file.
    pub fn remove(&mut self, key: &Key) -> Option<Entry> {
        let index = self.position(key.identity()).ok()?;
        Some(self.entries.remove(index))
    }

    fn position(&self, identity: Identity<'_>) -> Result<usize, usize> {
        self.entries
            .binary_search_by(|entry| entry.key.identity().cmp(&identity))
    }

    fn at(&self, index: Option<usize>) -> Option<&Entry> {
        self.entries.get(index?)
    }
}

/// What makes an entry the entry of one site. Entries are ordered by it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// The cargo target, like `lib` or `test:sketch`; `None` for pytest.
    pub target: Option<String>,
    /// The test's path without the crate; for pytest the node id.
    pub test: String,
    /// The site's text or name.
    pub site: String,
    /// The value of `case`, for a site that is several.
    pub case: Option<String>,
    /// The kind of machine that the bound holds for; `None` for all that have no entry of their own.
    pub variant: Option<String>,
}

/// A key whose texts are borrowed, in the order of [`Key`]'s fields, so that a look-up allocates nothing.
type Identity<'a> = (
    Option<&'a str>,
    &'a str,
    &'a str,
    Option<&'a str>,
    Option<&'a str>,
);

impl Key {
    fn identity(&self) -> Identity<'_> {
        (
            self.target.as_deref(),
            &self.test,
            &self.site,
            self.case.as_deref(),
            self.variant.as_deref(),
        )
    }
}

impl fmt::Display for Key {
    /// Names the site for a person: "site `error<_` of test `sketch` in `lib`, case `10`, variant `gpu`".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "site `{}` of test `{}`", self.site, self.test)?;
        if let Some(target) = &self.target {
            write!(f, " in `{target}`")?;
        }
        if let Some(case) = &self.case {
            write!(f, ", case `{case}`")?;
        }
        if let Some(variant) = &self.variant {
            write!(f, ", variant `{variant}`")?;
        }
        Ok(())
    }
}

/// What was learned about one site, and from what.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Which site this is about.
    pub key: Key,
    /// The site's share of its test's confidence.
    pub confidence: Confidence,
    /// The range that the user declared for the metric.
    pub domain: Option<Domain>,
    /// Whether the user promised a tail that is at most exponential.
    pub light: bool,
    /// The learned bounds, and with them the tail.
    pub sides: Sides,
    /// How many samples they were learned from.
    pub samples: u32,
    /// Those of them that are NaN or infinite, of which the quantiles do not tell.
    pub not_finite: u32,
    /// Quantiles of those samples, ascending.
    pub quantiles: Option<[f64; QUANTILES]>,
    /// Whether every calibration run hit the site.
    pub reached: Reached,
    /// The hash of the test's source at calibration.
    pub fingerprint: Option<String>,
    /// The day on which the numbers last changed, as `YYYY-MM-DD`.
    pub calibrated: Option<String>,
    /// The calibration's base seed.
    pub base: Option<String>,
    /// What computed the bounds and drew the random numbers.
    pub engine: Option<String>,
    /// Whether a review decided that this site is not enforced (`accept = "unenforced"`).
    pub unenforced: bool,
}

impl Entry {
    /// The tail, or tails, that the site guards.
    pub fn tail(&self) -> Tail {
        self.sides.tail()
    }
}

/// The learned sides of a site: exactly those that its tail has.
#[derive(Debug, Clone, PartialEq)]
pub enum Sides {
    /// `x < _`.
    Upper(Learned),
    /// `x > _`.
    Lower(Learned),
    /// `_ < x < _`.
    Both {
        /// What holds for small values.
        lower: Learned,
        /// What holds for large values.
        upper: Learned,
    },
}

impl Sides {
    /// The tail, or tails, that these are the sides of.
    pub fn tail(&self) -> Tail {
        match self {
            Sides::Upper(_) => Tail::Upper,
            Sides::Lower(_) => Tail::Lower,
            Sides::Both { .. } => Tail::Both,
        }
    }

    /// What was learned for `side`, if the site has it.
    pub fn get(&self, side: Side) -> Option<&Learned> {
        match (self, side) {
            (Sides::Upper(upper) | Sides::Both { upper, .. }, Side::Upper) => Some(upper),
            (Sides::Lower(lower) | Sides::Both { lower, .. }, Side::Lower) => Some(lower),
            _ => None,
        }
    }

    /// The sides that there are, the lower one first.
    pub fn iter(&self) -> impl Iterator<Item = (Side, &Learned)> {
        let sides = self.tail().sides().iter();
        sides.filter_map(|side| Some((*side, self.get(*side)?)))
    }
}

/// What was learned for one side: a [`Strategy`] with the numbers that belong to it, and no others.
#[derive(Debug, Clone, PartialEq)]
pub enum Learned {
    /// The ceiling extrapolates the fitted tail.
    Tail(Bounds),
    /// The ceiling is an order statistic of the samples.
    Order(Bounds),
    /// The ceiling is the bootstrapped extreme of the samples.
    Empirical(Bounds),
    /// There is a guard and no ceiling.
    Guard {
        /// The only tier.
        guard: GuardBound,
        /// The tail, where one was fitted without giving a ceiling.
        fit: Option<Fit>,
        /// Why there is no ceiling.
        reason: Option<String>,
    },
    /// No bound: the test is rerun on failure.
    Rerun,
    /// The declared bound is fine.
    Keep,
    /// Nothing could be learned.
    Refuse {
        /// Why not.
        reason: String,
    },
}

impl Learned {
    /// How this came about.
    pub fn strategy(&self) -> Strategy {
        match self {
            Learned::Tail(_) => Strategy::Tail,
            Learned::Order(_) => Strategy::Order,
            Learned::Empirical(_) => Strategy::Empirical,
            Learned::Guard { .. } => Strategy::Guard,
            Learned::Rerun => Strategy::Rerun,
            Learned::Keep => Strategy::Keep,
            Learned::Refuse { .. } => Strategy::Refuse,
        }
    }

    /// The bound that fails a test at once.
    pub fn ceiling(&self) -> Option<f64> {
        Some(self.bounds()?.ceiling)
    }

    /// The bound that starts a race.
    pub fn guard(&self) -> Option<GuardBound> {
        match self {
            Learned::Guard { guard, .. } => Some(*guard),
            _ => self.bounds()?.guard,
        }
    }

    /// The fitted tail.
    pub fn fit(&self) -> Option<Fit> {
        match self {
            Learned::Guard { fit, .. } => *fit,
            _ => self.bounds()?.fit,
        }
    }

    /// Why something is missing that one might expect.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Learned::Guard { reason, .. } => reason.as_deref(),
            Learned::Refuse { reason } => Some(reason),
            _ => None,
        }
    }

    fn bounds(&self) -> Option<&Bounds> {
        match self {
            Learned::Tail(bounds) | Learned::Order(bounds) | Learned::Empirical(bounds) => {
                Some(bounds)
            }
            _ => None,
        }
    }
}

/// The numbers of a side that has a ceiling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// One sample beyond it in the first run fails the test.
    pub ceiling: f64,
    /// The tight tier; `None` if there is none, for want of effort or of runs.
    pub guard: Option<GuardBound>,
    /// The tail that was fitted to the samples.
    pub fit: Option<Fit>,
}

/// The guard as enforcement needs it: where a race starts, and when it is lost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GuardBound {
    /// A sample beyond this starts a race.
    pub bound: f64,
    /// K: hits that make a regression.
    pub hits: Hits,
}

/// The generalised Pareto distribution fitted to the samples beyond a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// Where the tail begins.
    pub threshold: f64,
    /// σ, greater than 0.
    pub scale: f64,
    /// ξ; negative for a tail that ends.
    pub shape: f64,
    /// How many samples were beyond the threshold.
    pub exceedances: u32,
}

/// Whether the calibration runs hit the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reached {
    /// All of them did, so a run that does not is suspicious.
    Always,
    /// Some did.
    Sometimes,
}

impl Reached {
    /// The word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Reached::Always => "always",
            Reached::Sometimes => "sometimes",
        }
    }
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Reached {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "always" => Ok(Reached::Always),
            "sometimes" => Ok(Reached::Sometimes),
            _ => Err(format!(
                "`{text}` does not say how often a site is reached: write `always` or `sometimes`"
            )),
        }
    }
}

#[cfg(test)]
mod tests;
