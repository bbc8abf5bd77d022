//! Old and new code under the same seeds: which assertions see something else, and is that worse?
//!
//! Both versions of a test make runs with the same indices, and so with the same seeds. What they showed is a [`SeenTest`]
//! each. Whatever both assert is a *series* of pairs, known by the identity of its site; its differences are bets on signs
//! ([`flex_core::sequential::PairComparison`]), and it is decided as soon as they say enough:
//!
//! ```text
//! SeenTest (old) ─┐
//!                 ├─> TestPairs ── wanted() ──> Some(more runs) | None
//! SeenTest (new) ─┘       └─ compared() ──> ComparedTest ──> Compared: text, Markdown, JSON
//! ```
//!
//! A series that is equal in the first pairs is *identical*, and takes no part in what follows: given how far apart the
//! values of pairs are, unchanged code makes every sign a fair coin, so that choosing by distances costs nothing. All others
//! share the level α, so that the probability that any of them is wrongly called worse or better is α at most, whenever one
//! looks ([`Shares`]). docs/design/sequential.md has the method.

mod decided;
mod matching;
pub mod midpoint;
mod pair;
mod pairs;
mod report;
mod seen;
mod series;
mod shares;
mod summary;
#[cfg(test)]
mod tests;
mod verdict;

pub use decided::{Compared, ComparedTest, DecidedSeries, MeanAndSd, Revision, VERSION};
pub use matching::Renamed;
pub use pair::Pair;
pub use pairs::TestPairs;
pub use report::{json, markdown, text};
pub use seen::{LEARNED, SeenRun, SeenTest, SeriesFacts, SeriesKey, Value, What};
pub use series::{Margin, SeriesRule};
pub use shares::Shares;
pub use verdict::SeriesVerdict;
