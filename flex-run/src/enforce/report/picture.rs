//! A small text picture of where a value lies among the calibrated ones.

use flex_bounds::file::Entry;
use flex_core::tail::Side;
use flex_core::words::short;

/// Columns of the axis.
const WIDTH: usize = 44;

/// Draws the quantiles of an entry, its bounds on one side, and a value; `None` if there is nothing to draw.
pub(crate) fn picture(entry: &Entry, side: Side, value: f64) -> Option<String> {
    let quantiles = entry.quantiles.as_ref()?;
    let learned = entry.sides.get(side)?;
    let guard = learned.guard().map(|guard| guard.bound);
    let (low, high) = (quantiles[0], quantiles[quantiles.len() - 1]);
    let (mut from, mut to) = (low, high);
    for shown in [guard.unwrap_or(low), value] {
        if shown.is_finite() {
            (from, to) = (from.min(shown), to.max(shown));
        }
    }
    // A ceiling far out would leave no room for the rest.
    let ceiling = learned
        .ceiling()
        .filter(|ceiling| (ceiling - from).abs().max((ceiling - to).abs()) <= 2.5 * (to - from));
    if let Some(ceiling) = ceiling {
        (from, to) = (from.min(ceiling), to.max(ceiling));
    }
    let width = to - from;
    if !(width > 0.0 && width.is_finite()) {
        return None;
    }
    let column = |x: f64| (((x - from) / width) * (WIDTH - 1) as f64).round() as usize;
    let mut axis = [' '; WIDTH];
    axis[column(low)..=column(high)].fill('-');
    // The middle 60 % of the samples.
    axis[column(quantiles[5])..=column(quantiles[11])].fill('=');
    axis[column(quantiles[8])] = '|';
    for (bound, letter) in [(guard, 'G'), (ceiling, 'C')] {
        if let Some(bound) = bound {
            axis[column(bound)] = letter;
        }
    }
    if value.is_finite() {
        axis[column(value)] = 'X';
    }
    let axis: String = axis.iter().collect();
    let mut legend = "- samples  = middle 60%  | median".to_owned();
    if guard.is_some() {
        legend += "  G guard";
    }
    if ceiling.is_some() {
        legend += "  C ceiling";
    }
    legend += "  X this run";
    Some(format!("{} [{axis}] {}\n{legend}", short(from), short(to)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flex_bounds::file::BoundsFile;

    fn entry(ceiling: f64) -> Entry {
        let text = format!(
            r#"version = 2
[[bound]]
test = "t"
site = "x<_"
tail = "upper"
confidence = 0.9999
ceiling = {ceiling:?}
guard = 10.0
race = {{ cuts = [10.0], above = [0], scores = [-1, 9], clear = -9, fail = 99, most = 9 }}
strategy = "tail"
samples = 100
quantiles = [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7, 7.5, 8]
reached = "always"
"#
        );
        let file: BoundsFile = text.parse().unwrap();
        file.entries()[0].clone()
    }

    #[test]
    fn everything_has_its_column() {
        let drawn = picture(&entry(20.0), Side::Upper, 15.0).unwrap();
        assert_eq!(
            drawn,
            "0 [-----====|===-----    G         X          C] 20\n\
             - samples  = middle 60%  | median  G guard  C ceiling  X this run"
        );
    }

    #[test]
    fn a_far_ceiling_is_left_out_and_nan_has_no_place() {
        let drawn = picture(&entry(1e6), Side::Upper, f64::NAN).unwrap();
        assert!(drawn.contains("] 10\n") && !drawn.contains('C'), "{drawn}");
        assert_eq!(drawn.matches('X').count(), 1, "only in the legend: {drawn}");
    }

    #[test]
    fn nothing_is_drawn_where_there_is_no_width() {
        let mut constant = entry(20.0);
        constant.quantiles = None;
        assert_eq!(picture(&constant, Side::Upper, 1.0), None);
    }
}
