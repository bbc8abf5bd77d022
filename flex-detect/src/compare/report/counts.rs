//! The last lines of a report: how many of each verdict, and how far they are to be trusted.

use flex_core::words::count;

use crate::compare::decided::{Compared, DecidedSeries};
use crate::compare::verdict::SeriesVerdict;

/// A line that counts, and one that says how far it is to be trusted.
pub fn last_lines(compared: &Compared) -> String {
    let of = |verdict: SeriesVerdict| {
        let decided = |(_, decided): &(_, &DecidedSeries)| decided.verdict == verdict;
        compared.series().filter(decided).count()
    };
    let counted = [
        (SeriesVerdict::Worse, "worse"),
        (SeriesVerdict::Better, "better"),
        (SeriesVerdict::WithinMargin, "within the margin"),
        (SeriesVerdict::Undecided, "undecided"),
        (SeriesVerdict::Identical, "identical"),
    ];
    let counted: Vec<String> = counted
        .into_iter()
        .filter(|(verdict, _)| of(*verdict) > 0)
        .map(|(verdict, word)| format!("{} {word}", of(verdict)))
        .collect();
    let tests = count(compared.tests.len(), "test", "tests");
    let failed = compared.tests.iter().filter(|test| test.error.is_some());
    let failed = match failed.count() {
        0 => String::new(),
        failed => format!("; {failed} could not be compared"),
    };
    match counted.is_empty() {
        true => format!("{tests}: nothing to compare{failed}\n"),
        false => format!(
            "{tests}: {}{failed}\nworse or better by mistake: with probability {} at most, for all together\n",
            counted.join(", "),
            compared.alpha
        ),
    }
}
