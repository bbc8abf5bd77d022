//! What is asked of all families alike: a claim that does not hold, and in how many runs that could be found.

use flex_core::sequential::{Claim, Truth};

use super::simulate::Draw;

/// A claim that does not hold, and what is known about finding it.
pub struct Question {
    pub name: String,
    pub claim: Claim,
    pub draw: Draw,
    /// The least number of runs, on average, of any test that keeps its rate for all laws of the claim and knows the true
    /// one: ln(1/α) over what a run tells at best.
    pub oracle: f64,
    /// The runs of a test with a fixed number of them that finds it in nine cases of ten.
    pub fixed: f64,
    /// Runs by another way, and the bar for ours.
    pub beside: Option<f64>,
    pub bar: Option<f64>,
    /// The truth, for what is foretold.
    pub truth: Option<Truth<'static>>,
}

/// The level for "broken" of all questions.
pub const ALPHA: f64 = 1e-4;

/// A part of a stated number of runs by which it may be missed.
pub const TOLERANCE: f64 = 1.1;

/// The runs of a normal test that finds a shift of so many standard deviations in nine cases of ten.
pub fn normal_runs(effect: f64) -> f64 {
    const AT_ALPHA: f64 = 3.719_016;
    const AT_TENTH: f64 = 1.281_552;
    ((AT_ALPHA + AT_TENTH) / effect).powi(2)
}
