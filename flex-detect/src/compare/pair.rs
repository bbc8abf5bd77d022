//! A run of both versions.

/// A run of both versions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// Its index.
    pub run: u32,
    /// What the old code showed.
    pub old: f64,
    /// What the new code showed.
    pub new: f64,
}

impl Pair {
    /// Whether both are the same, to the last bit but for the sign of 0.
    pub fn is_equal(&self) -> bool {
        self.old == self.new || (self.old.is_nan() && self.new.is_nan())
    }
}
