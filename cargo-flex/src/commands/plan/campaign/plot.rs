//! A small picture of what is found by when.

use flex_core::search::strategies::{RerunStrategy, StrategyPrice};
use flex_core::words::duration;

const WIDTH: usize = 60;
const HEIGHT: usize = 10;

/// The share of flaky tests that each strategy has found by when: a letter for each, the last of several in one place.
pub fn plot(prices: &[StrategyPrice; RerunStrategy::ALL.len()]) -> String {
    let seconds = prices.iter().map(|price| price.seconds).fold(0.0, f64::max);
    let found = prices.iter().map(|price| price.found).fold(0.0, f64::max);
    if seconds <= 0.0 || found <= 0.0 {
        return String::new();
    }
    let mut cells = [[' '; WIDTH]; HEIGHT];
    for (strategy, price) in RerunStrategy::ALL.into_iter().zip(prices) {
        for (column, by) in (1..=WIDTH).map(|c| (c - 1, seconds * c as f64 / WIDTH as f64)) {
            let after = price.course.partition_point(|(at, _)| *at <= by);
            let so_far = after
                .checked_sub(1)
                .map_or(0.0, |last| price.course[last].1);
            let is_done = price.seconds * (1.0 + 1.0 / WIDTH as f64) < by;
            let row = (so_far / found * HEIGHT as f64).ceil() as usize;
            if let (Some(row), false) = (row.checked_sub(1), is_done) {
                cells[row.min(HEIGHT - 1)][column] = letter(strategy);
            }
        }
    }
    let mut picture = String::new();
    for (row, cells) in cells.iter().enumerate().rev() {
        let label = match row + 1 {
            HEIGHT => "100%",
            row if row * 2 == HEIGHT => "50%",
            _ => "",
        };
        let line: String = cells.iter().collect();
        picture += &format!("  {label:>5} |{}\n", line.trim_end());
    }
    picture += &format!("        +{}\n", "-".repeat(WIDTH));
    picture += &format!("         0{:>1$}\n", duration(seconds), WIDTH - 1);
    let names =
        RerunStrategy::ALL.map(|strategy| format!("{} {}", letter(strategy), strategy.as_str()));
    picture + &format!("  found by when: {}\n", names.join(", "))
}

fn letter(strategy: RerunStrategy) -> char {
    match strategy {
        RerunStrategy::Everything => 'e',
        RerunStrategy::Selected => 's',
        RerunStrategy::Hybrid => 'h',
        RerunStrategy::SmallestFirst => 'f',
        RerunStrategy::Probes => 'p',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strategies_are_letters_that_rise() {
        let price = |seconds: f64, found: f64| StrategyPrice {
            tests: 1,
            found,
            runs: 1.0,
            seconds,
            course: vec![(0.5 * seconds, 0.5 * found), (seconds, found)],
        };
        let picture = plot(&[
            price(60.0, 10.0),
            price(30.0, 5.0),
            price(30.0, 5.0),
            price(60.0, 10.0),
            price(12.0, 10.0),
        ]);
        let lines: Vec<&str> = picture.lines().collect();
        assert_eq!(lines.len(), HEIGHT + 3);
        assert!(
            lines.iter().all(|line| line.chars().count() <= 80),
            "{picture}"
        );
        assert_eq!(
            lines[0].find('p'),
            Some(9 + 11),
            "all are found after a fifth:\n{picture}"
        );
        assert_eq!(lines[0].find('f'), Some(9 + 59));
        assert_eq!(plot(&[0; 5].map(|_| price(0.0, 0.0))), "");
    }
}
