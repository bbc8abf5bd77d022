//! What is asked of whoever replays runs.

/// Runs of a test that are to be replayed.
#[derive(Debug, Clone)]
pub struct ReplayOrder<'a> {
    /// The path of the test without the crate.
    pub test: &'a str,
    /// The base seed of the calibration.
    pub base: &'a str,
    /// The runs, in this order.
    pub runs: Vec<u32>,
}
