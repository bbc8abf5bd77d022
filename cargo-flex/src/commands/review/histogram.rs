//! Two distributions as text, old beside new, drawn from the quantiles that entries keep.

use flex_bounds::file::QUANTILES;
use flex_core::sample::QUANTILES as LEVELS;
use flex_core::words::short;

/// Columns of each picture.
const WIDTH: usize = 32;

/// Signs by height, the lowest first.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Draws both in the same columns, with the ends of the axis below; `None` if all values are one.
pub fn beside(old: &[f64; QUANTILES], new: &[f64; QUANTILES]) -> Option<String> {
    let low = old[0].min(new[0]);
    let high = old[QUANTILES - 1].max(new[QUANTILES - 1]);
    let width = high - low;
    if !(width > 0.0 && width.is_finite()) {
        return None;
    }
    let shares = [old, new].map(|quantiles| {
        let edge = |column: usize| low + width * column as f64 / WIDTH as f64;
        let below = |column: usize| share_below(quantiles, edge(column));
        (0..WIDTH)
            .map(|column| below(column + 1) - below(column))
            .collect::<Vec<f64>>()
    });
    let most = shares.iter().flatten().copied().fold(0.0, f64::max);
    let [old, new] = shares.map(|shares| {
        let sign = |share: &f64| match (share / most * BLOCKS.len() as f64).ceil() as usize {
            0 => ' ',
            height => BLOCKS[height.min(BLOCKS.len()) - 1],
        };
        shares.iter().map(sign).collect::<String>()
    });
    let half = WIDTH / 2;
    let axis = format!("{:<half$}{:>half$}", short(low), short(high));
    Some(format!(
        "  old {old}  new {new}\n      {axis}      {axis}\n"
    ))
}

/// The share of values below this one, between quantiles in proportion.
fn share_below(quantiles: &[f64; QUANTILES], value: f64) -> f64 {
    let above = quantiles.iter().position(|quantile| *quantile > value);
    match above {
        None => 1.0,
        Some(0) => 0.0,
        Some(next) => {
            let (from, to) = (quantiles[next - 1], quantiles[next]);
            let part = (value - from) / (to - from);
            LEVELS[next - 1] + part * (LEVELS[next] - LEVELS[next - 1])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_below_goes_from_none_to_all() {
        // Uniform between 0 and 1: the quantiles are their levels.
        for value in [0.0, 0.05, 0.33, 0.5, 0.999] {
            assert!((share_below(&LEVELS, value) - value).abs() < 1e-12);
        }
        assert_eq!(share_below(&LEVELS, -1.0), 0.0);
        assert_eq!(share_below(&LEVELS, 1.0), 1.0);
    }

    #[test]
    fn what_moved_stands_elsewhere() {
        let moved = LEVELS.map(|level| level + 1.0);
        let drawn = beside(&LEVELS, &moved).unwrap();
        let (old, new) = drawn.split_once("  new ").unwrap();
        let new = new.lines().next().unwrap();
        assert!(old.trim_end().chars().count() <= 6 + WIDTH / 2, "{drawn}");
        assert!(new.starts_with(&" ".repeat(WIDTH / 2)), "{drawn}");
        assert!(
            drawn.lines().all(|line| line.chars().count() <= 80),
            "{drawn}"
        );
        assert_eq!(beside(&[1.0; QUANTILES], &[1.0; QUANTILES]), None);
    }
}
