//! What an assertion compares.

/// How far two values are apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distance {
    /// |a − b|.
    Absolute,
    /// |a − b| / max(|a|, |b|).
    Relative,
    /// How many representable numbers lie between the two; infinitely many if their signs differ.
    Ulps,
}

/// The bounds that an assertion declares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ends {
    /// The value must be greater than this.
    pub lower: Option<f64>,
    /// The value must be smaller than this.
    pub upper: Option<f64>,
}
