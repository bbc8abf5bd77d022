//! Mismatches: why no entry of the bounds file fits what the source says now.

use std::fmt;

use flex_bounds::change::is_refused;
use flex_bounds::claim::Family;
use flex_bounds::file::Entry;
use flex_bounds::suite::SuiteBudget;
use flex_core::tail::Domain;

use crate::model::{About, SiteSpec};

/// Why a site counts as uncalibrated.
#[derive(Debug, Clone, PartialEq)]
pub enum Mismatch {
    /// It has no entry.
    NoEntry,
    /// The source asks for something else than the entry was learned for.
    Changed {
        /// What it asks for otherwise.
        what: &'static str,
        /// What the source says.
        now: String,
        /// What the entry says.
        then: String,
    },
    /// The entries of the test do not add up to this confidence any more.
    Share(f64),
    /// The entries of the test alone spend more than the whole suite may.
    Suite(SuiteBudget),
}

impl Mismatch {
    /// What an entry was learned for otherwise than the source asks now, if there is anything.
    pub(super) fn between(entry: &Entry, spec: &SiteSpec) -> Option<Self> {
        let changed = |what, now: String, then: String| Some(Mismatch::Changed { what, now, then });
        let domain = |domain: Option<Domain>| {
            domain.map_or_else(|| "not declared".to_owned(), |domain| domain.to_string())
        };
        let promise = |light: bool| if light { "promised" } else { "not promised" }.to_owned();
        let about = match spec.about {
            About::Runs => None,
            About::Mean { .. } => Some(Family::Mean),
            About::Rate { .. } => Some(Family::Rate),
        };
        let kind = |family: Option<Family>| match family {
            None => "each run".to_owned(),
            Some(family) => format!("the {family} of all runs"),
        };
        match spec.confidence {
            _ if !is_refused(entry) && entry.family() != about => {
                changed("bound", kind(about), kind(entry.family()))
            }
            _ if entry.tail() != spec.tail => {
                changed("tail", spec.tail.to_string(), entry.tail().to_string())
            }
            _ if entry.domain != spec.domain => {
                changed("domain", domain(spec.domain), domain(entry.domain))
            }
            _ if entry.light != spec.light => {
                changed("light tail", promise(spec.light), promise(entry.light))
            }
            Some(own) if own != entry.confidence => {
                changed("confidence", own.to_string(), entry.confidence.to_string())
            }
            _ => None,
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::NoEntry => f.write_str("it has no entry in the bounds file"),
            Mismatch::Changed { what, now, then } => {
                write!(f, "its {what} is {now} now and was {then} at calibration")
            }
            Mismatch::Share(confidence) => write!(
                f,
                "its share of the confidence {confidence} has changed since calibration"
            ),
            Mismatch::Suite(budget) => {
                write!(f, "it alone spends more than the suite's {budget}")
            }
        }
    }
}
