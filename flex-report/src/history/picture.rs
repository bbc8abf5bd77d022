//! Values over time as text: where their middle lies, run after run, and where they moved.

use std::fmt::Write as _;

use flex_core::sample::Samples;
use flex_core::words::short;

/// Columns of the picture, and its rows.
const COLUMNS: usize = 56;
const ROWS: usize = 7;

/// Draws the medians and the middle 60 % of values in the order of time, with the first one of the new law; `None` if there
/// is nothing to draw.
pub fn picture(values: &[f64], since: usize) -> Option<String> {
    let columns = COLUMNS.min(values.len());
    let bins: Vec<[f64; 3]> = (0..columns)
        .map(|column| bin(values, column, columns))
        .collect::<Option<_>>()?;
    let low = bins.iter().map(|bin| bin[0]).fold(f64::INFINITY, f64::min);
    let high = bins
        .iter()
        .map(|bin| bin[2])
        .fold(f64::NEG_INFINITY, f64::max);
    let height = high - low;
    if !(height > 0.0 && height.is_finite()) {
        return None;
    }
    let row = |value: f64| (((high - value) / height) * (ROWS - 1) as f64).round() as usize;
    let mut rows = [[' '; COLUMNS]; ROWS];
    for (column, [below, median, above]) in bins.iter().enumerate() {
        for cells in &mut rows[row(*above)..=row(*below)] {
            cells[column] = ':';
        }
        rows[row(*median)][column] = 'o';
    }
    let labels = [short(high), short(low)];
    let width = labels.iter().map(String::len).max().unwrap_or(0);
    let mut text = String::new();
    for (index, cells) in rows.iter().enumerate() {
        let label = match index {
            0 => &*labels[0],
            index if index == ROWS - 1 => &*labels[1],
            _ => "",
        };
        let cells: String = cells.iter().collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{label:>width$} |{}", cells.trim_end());
    }
    let place = since * columns / values.len();
    let _ = writeln!(text, "{:width$} +{}^ moved here", "", "-".repeat(place));
    let _ = writeln!(text, "{:width$}  o median  : middle 60%", "");
    Some(text)
}

/// The 20 %, 50 % and 80 % quantiles of the values of a column.
fn bin(values: &[f64], column: usize, columns: usize) -> Option<[f64; 3]> {
    let from = column * values.len() / columns;
    let to = (column + 1) * values.len() / columns;
    let samples = Samples::from_values(&values[from..to]);
    let quantile = |p| samples.quantile(p);
    Some([quantile(0.2)?, quantile(0.5)?, quantile(0.8)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_drawn_where_it_is() {
        let values: Vec<f64> = (0..560)
            .map(|index| f64::from(index % 10) + if index >= 280 { 20.0 } else { 0.0 })
            .collect();
        let drawn = picture(&values, 280).unwrap();
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(lines.len(), ROWS + 2, "{drawn}");
        assert!(lines.iter().all(|line| line.len() <= 76), "{drawn}");
        let moved = lines[ROWS];
        assert_eq!(moved.find('^'), lines[0].find(':'), "{drawn}");
        assert_eq!(
            lines[ROWS - 2].rfind('o'),
            moved.find('^').map(|at| at - 1),
            "{drawn}"
        );
    }

    #[test]
    fn what_does_not_vary_or_is_no_number_is_not_drawn() {
        assert_eq!(picture(&[2.0; 40], 20), None);
        assert_eq!(picture(&[f64::NAN; 40], 20), None);
        assert_eq!(picture(&[], 0), None);
    }
}
