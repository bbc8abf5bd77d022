//! Rates that are too low.

use flex_core::sequential::{Allowed, Claim, Levels, RateClaim, Truth};
use rand::RngExt;
use statrs::function::beta::beta_reg;

use super::question::{ALPHA, Question, TOLERANCE};
use super::simulate::{Draw, decide};
use crate::page::Bar;

fn claim(bound: f64) -> Claim {
    Claim::Rate(RateClaim {
        allowed: Allowed::AtLeast(bound),
        margin: 0.03,
    })
}

fn draw(rate: f64) -> Draw {
    Box::new(move |rng| (f64::from(u8::from(rng.random::<f64>() < rate)), None))
}

pub fn questions() -> Vec<Question> {
    let stated = [
        (0.95, 0.5, Some(13.0)),
        (0.95, 0.8, Some(81.0)),
        (0.95, 0.9, Some(586.0)),
    ];
    let others = [
        (0.9, 0.5, None),
        (0.9, 0.8, None),
        (0.5, 0.3, None),
        (0.5, 0.4, None),
        (0.99, 0.9, None),
    ];
    let question = |(bound, rate, bar): (f64, f64, Option<f64>)| Question {
        name: format!("rate ≥ {bound} | {rate}"),
        claim: claim(bound),
        oracle: -ALPHA.ln() / entropy(rate, bound),
        fixed: fixed(rate, bound),
        beside: None,
        bar,
        truth: Some(Truth::Rate(rate)),
        draw: draw(rate),
    };
    stated.into_iter().chain(others).map(question).collect()
}

/// The relative entropy of one rate to another.
fn entropy(rate: f64, bound: f64) -> f64 {
    rate * (rate / bound).ln() + (1.0 - rate) * ((1.0 - rate) / (1.0 - bound)).ln()
}

/// The fewest runs of an exact binomial test that finds the rate in nine cases of ten.
fn fixed(rate: f64, bound: f64) -> f64 {
    let at_most = |n: f64, k: f64, p: f64| {
        if k >= n {
            1.0
        } else {
            beta_reg(n - k, k + 1.0, 1.0 - p)
        }
    };
    let mut n = 1.0;
    loop {
        // The most yes that refute the bound.
        let (mut low, mut high) = (-1.0, n);
        while high - low > 1.0 {
            let middle: f64 = ((low + high) / 2.0_f64).floor();
            if at_most(n, middle, bound) <= ALPHA {
                low = middle
            } else {
                high = middle
            }
        }
        if low >= 0.0 && at_most(n, low, rate) >= 0.9 {
            return n;
        }
        n += 1.0;
    }
}

/// A rate of 1 is soon called fine.
pub fn fine(tests: usize) -> Bar {
    let found = decide(
        &claim(0.95),
        Levels::new(ALPHA),
        &draw(1.0),
        tests.min(100),
        10_000,
    );
    Bar {
        what: "runs until a rate of 1 is fine, for ≥ 0.95 with a margin of 0.03".to_owned(),
        measured: format!("{:.1}", found.runs),
        bar: format!("≤ {TOLERANCE} × 62"),
        kept: found.runs <= TOLERANCE * 62.0 && found.fine == 1.0,
    }
}
