//! The words of a table: values with their spread, shifts with their intervals, and what the reader should know of a test.

use flex_core::words::short;

use crate::compare::decided::{Compared, ComparedTest, DecidedSeries, MeanAndSd, Revision};
use crate::compare::seen::{SeriesKey, What};
use crate::compare::verdict::SeriesVerdict;

/// A mean with its standard deviation.
pub fn spread(spread: &MeanAndSd) -> String {
    match spread.mean.is_finite() {
        true if spread.sd > 0.0 => format!("{} ± {}", short(spread.mean), short3(spread.sd)),
        true => short(spread.mean),
        false => "none finite".to_owned(),
    }
}

/// The shift with its interval, and how many standard deviations of the old values it is.
pub fn shift(decided: &DecidedSeries) -> Option<String> {
    let [value, low, high] = decided.shift?;
    let in_sd = match decided.old.sd > 0.0 && decided.key.what != What::Failed {
        true => format!(", {} sd", short3(value / decided.old.sd)),
        false => String::new(),
    };
    let interval = match low.is_finite() && high.is_finite() && low < high {
        true => format!(" [{}, {}]", short(low), short(high)),
        false => String::new(),
    };
    Some(format!("shift {:+}{interval}{in_sd}", Short(value)))
}

/// How old and new are called.
pub fn revisions(compared: &Compared) -> [String; 2] {
    let name = |revision: &Revision| {
        let commit: String = revision.commit.chars().take(9).collect();
        match &revision.name {
            Some(name) if *name != revision.commit => format!("{name} ({commit})"),
            Some(_) => commit,
            None => format!("the working tree (on {commit})"),
        }
    };
    [name(&compared.old), name(&compared.new)]
}

/// Lines about a test besides its series.
pub fn remarks(test: &ComparedTest) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(error) = &test.error {
        lines.push(format!("error: {error}"));
    }
    if let Some(example) = &test.uncontrolled {
        lines.push(format!(
            "warning: no seed controls this test, so that a pair is just one value of each version: {example}"
        ));
    }
    let names = |keys: &[SeriesKey]| {
        let labels: Vec<String> = keys
            .iter()
            .map(|key| format!("`{}`", key.label()))
            .collect();
        labels.join(", ")
    };
    if !test.added.is_empty() {
        lines.push(format!("new: {}", names(&test.added)));
    }
    if !test.gone.is_empty() {
        lines.push(format!("gone: {}", names(&test.gone)));
    }
    for renamed in &test.renamed {
        let (old, new) = (renamed.old.label(), renamed.new.label());
        lines.push(format!("renamed: `{old}` is `{new}`"));
    }
    lines.extend(test.notes.iter().map(|note| format!("note: {note}")));
    lines
}

/// The verdict with what it rests on.
pub fn verdict(decided: &DecidedSeries) -> String {
    let pairs = decided.decided_by;
    match decided.verdict {
        SeriesVerdict::Identical => format!("identical in {pairs} pairs"),
        verdict => format!("{} after {pairs} pairs", verdict.as_str()),
    }
}

/// The e-value, as a power of ten where it is large.
pub fn e_value(ln: f64) -> String {
    let log10 = ln / std::f64::consts::LN_10;
    match log10 >= 4.0 {
        true => format!("1e{log10:.0}"),
        false => short3(ln.exp()),
    }
}

/// A number to three significant digits.
fn short3(number: f64) -> String {
    short(format!("{number:.2e}").parse().unwrap_or(number))
}

/// A number with its sign, to four significant digits.
struct Short(f64);

impl std::fmt::Display for Short {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if f.sign_plus() && self.0 > 0.0 {
            "+"
        } else {
            ""
        };
        write!(f, "{sign}{}", short(self.0))
    }
}
