//! What the runs so far tell of a quantity.

/// An estimate with a confidence sequence: whenever one looks, and however often, all of the intervals contain the true
/// value with probability 1 − `level`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The probability that the true value is ever outside.
    pub level: f64,
}
