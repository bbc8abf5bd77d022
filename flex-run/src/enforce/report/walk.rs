//! Walks as pictures: that of a race has a bar for the first run and each rerun, as high as the sum of scores.

use super::super::problem::Confirmed;

/// The bars, from the sum that clears to the one that fails.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The most bars of a picture.
const WIDTH: usize = 48;

/// Draws the sums of a race, and says where it ended.
pub(super) fn walk(confirmed: &Confirmed) -> String {
    let sums: Vec<i32> = std::iter::once(confirmed.start)
        .chain(confirmed.reruns.iter().map(|rerun| rerun.sum))
        .collect();
    let part =
        |sum: &i32| f64::from(sum - confirmed.clear) / f64::from(confirmed.fail - confirmed.clear);
    let bars = bars(sums.iter().map(part).collect());
    let last = sums[sums.len() - 1];
    let (clear, fail) = (confirmed.clear, confirmed.fail);
    format!("{bars}\nthe scores add up to {last}; {fail} fails, {clear} would have cleared it")
}

/// A bar for each part of the way from the bottom to the top, beyond which nothing is drawn.
pub(super) fn bars(parts: Vec<f64>) -> String {
    let height = |part: f64| BARS[((part * 7.0) as usize).min(7)];
    // Of a long walk every second one is drawn, or every third; always the last.
    let step = parts.len().div_ceil(WIDTH).max(1);
    let bars = parts.iter().rev().step_by(step);
    let bars: String = bars.map(|part| height(*part)).collect();
    bars.chars().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::problem::{Judged, Rerun};
    use super::*;
    use flex_core::tail::Side;

    fn race(sums: &[i32]) -> Confirmed {
        Confirmed {
            first: Judged {
                side: Side::Upper,
                value: 2.0,
                bound: 1.0,
            },
            replay: None,
            reruns: sums
                .iter()
                .map(|sum| Rerun {
                    value: None,
                    beyond: true,
                    sum: *sum,
                })
                .collect(),
            start: 5,
            clear: -20,
            fail: 80,
        }
    }

    #[test]
    fn bars_rise_with_the_sum() {
        let drawn = walk(&race(&[-10, 20, 40, 60, 85]));
        assert_eq!(
            drawn,
            "▂▁▃▅▆█\nthe scores add up to 85; 80 fails, -20 would have cleared it"
        );
    }

    #[test]
    fn a_long_walk_is_drawn_in_short_and_with_its_end() {
        let sums: Vec<i32> = (0..=80).collect();
        let drawn = walk(&race(&sums));
        let bars = drawn.lines().next().unwrap();
        assert!(
            bars.chars().count() <= WIDTH && bars.ends_with('█'),
            "{bars}"
        );
    }
}
