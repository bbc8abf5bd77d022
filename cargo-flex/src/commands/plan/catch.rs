//! Runs needed to see a test fail that fails at a given rate.

use flex_core::bound::confidence::Confidence;
use flex_core::search::reruns::{trials, trials_table};
use flex_core::words::{block, percent, plain, short, thousands};
use serde_json::json;

use super::planned::{Planned, count, usage};
use crate::exit::Failure;

const RATES: [f64; 7] = [0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001];
const CONFIDENCES: [f64; 5] = [0.9, 0.95, 0.99, 0.999, 0.9999];

/// Says how many runs are needed.
pub fn plan(rate: f64, confidence: Confidence) -> Result<Planned, Failure> {
    let runs = trials(rate, confidence.value()).map_err(usage)?;
    let mut words = block(&format!(
        "A test that fails in {}% of its runs shows it within {} with probability {}%.",
        plain(exact(100.0 * rate)),
        count(runs as f64, "run"),
        plain(exact(100.0 * confidence.value()))
    ));
    words += "  fails in";
    for confidence in CONFIDENCES {
        words += &format!("{:>9}", format!("{}%", short(100.0 * confidence)));
    }
    words.push('\n');
    for (rate, row) in RATES.iter().zip(trials_table(&RATES, &CONFIDENCES)) {
        words += &format!("  {:<8}", percent(*rate));
        for runs in row {
            words += &format!(
                "{:>9}",
                runs.map_or("–".to_owned(), |n| thousands(n as f64))
            );
        }
        words.push('\n');
    }
    let json = json!({ "rate": rate, "confidence": confidence.value(), "runs": runs });
    Ok(Planned { json, words })
}

/// A product that ends in a rounding error, without it: 100 × 0.07 is 7.
fn exact(number: f64) -> f64 {
    format!("{number:.12e}").parse().unwrap_or(number)
}
