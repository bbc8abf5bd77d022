//! A text picture of a series that changed: where old and new values lie, one line each.

use flex_core::words::short;

use crate::compare::decided::DecidedSeries;
use crate::compare::verdict::SeriesVerdict;

/// Columns of the axis.
const WIDTH: usize = 56;

/// Signs by height, the lowest first.
const HEIGHTS: [char; 5] = ['.', ':', '=', '#', '@'];

/// Draws a histogram of the old values above one of the new values, in the same columns; `None` if there is nothing to draw.
pub fn picture(decided: &DecidedSeries) -> Option<String> {
    let changed = matches!(
        decided.verdict,
        SeriesVerdict::Worse | SeriesVerdict::Better | SeriesVerdict::Undecided
    );
    let of = |values: Vec<f64>| -> Vec<f64> {
        values
            .into_iter()
            .filter(|value| value.is_finite())
            .collect()
    };
    let old = of(decided.pairs.iter().map(|pair| pair.old).collect());
    let new = of(decided.pairs.iter().map(|pair| pair.new).collect());
    let all = || old.iter().chain(&new).copied();
    let (low, high) = (
        all().fold(f64::INFINITY, f64::min),
        all().fold(f64::NEG_INFINITY, f64::max),
    );
    let width = high - low;
    if !(changed && width > 0.0 && width.is_finite()) {
        return None;
    }
    let column = |value: f64| ((value - low) / width * (WIDTH - 1) as f64).round() as usize;
    let line = |values: &[f64]| {
        let mut counts = [0usize; WIDTH];
        for value in values {
            counts[column(*value)] += 1;
        }
        let most = counts.iter().copied().max().unwrap_or(0).max(1);
        let sign = |count: &usize| match *count {
            0 => ' ',
            count => HEIGHTS[(count * HEIGHTS.len()).div_ceil(most) - 1],
        };
        counts.iter().map(sign).collect::<String>()
    };
    Some(format!(
        "old |{}|\nnew |{}|\n    {:<half$}{:>half$}",
        line(&old),
        line(&new),
        short(low),
        short(high),
        half = (WIDTH + 2) / 2
    ))
}
