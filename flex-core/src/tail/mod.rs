//! Which way a sample can be too far out, and the range it can take at all.

pub mod gpd;
pub(crate) mod posterior;

use std::fmt;
use std::str::FromStr;

/// The tail, or tails, that a site guards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tail {
    /// `x < B`: large values are suspicious.
    Upper,
    /// `x > B`: small values are suspicious.
    Lower,
    /// `B < x < B'`: both are.
    Both,
}

impl Tail {
    /// The sides that get a bound of their own.
    pub fn sides(self) -> &'static [Side] {
        match self {
            Tail::Upper => &[Side::Upper],
            Tail::Lower => &[Side::Lower],
            Tail::Both => &[Side::Lower, Side::Upper],
        }
    }

    /// The word used in files and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Tail::Upper => "upper",
            Tail::Lower => "lower",
            Tail::Both => "both",
        }
    }
}

impl fmt::Display for Tail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Tail {
    type Err = String;

    #[inline]
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "upper" => Ok(Tail::Upper),
            "lower" => Ok(Tail::Lower),
            "both" => Ok(Tail::Both),
            _ => Err(format!(
                "`{text}` is not a tail: write `upper`, `lower` or `both`"
            )),
        }
    }
}

/// One side of a site. The engine thinks in upper tails; [`Side::orient`] turns a lower tail into one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The bound is the lower end: a sample beyond it is too small.
    Lower,
    /// The bound is the upper end: a sample beyond it is too large.
    Upper,
}

impl Side {
    /// Maps a value to the upper-tail view of this side, and back again.
    pub fn orient(self, value: f64) -> f64 {
        match self {
            Side::Upper => value,
            Side::Lower => -value,
        }
    }

    /// The other side.
    pub fn opposite(self) -> Self {
        match self {
            Side::Upper => Side::Lower,
            Side::Lower => Side::Upper,
        }
    }

    /// Whether `value` is beyond `bound` on this side. NaN is beyond every bound.
    pub fn is_beyond(self, value: f64, bound: f64) -> bool {
        value.is_nan() || self.orient(value) > self.orient(bound)
    }

    /// The word used in files and messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Side::Lower => "lower",
            Side::Upper => "upper",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The closed range that a metric can take; an end may be infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Domain {
    lower: f64,
    upper: f64,
}

impl Domain {
    /// A domain from its ends, which must be numbers in ascending order.
    pub fn new(lower: f64, upper: f64) -> Result<Self, String> {
        if lower.is_nan() || upper.is_nan() || lower >= upper {
            return Err(format!(
                "`{lower}..{upper}` is not a domain: the lower end must be smaller than the upper end"
            ));
        }
        Ok(Domain { lower, upper })
    }

    /// The smallest value the metric can take.
    pub fn lower(self) -> f64 {
        self.lower
    }

    /// The largest value the metric can take.
    pub fn upper(self) -> f64 {
        self.upper
    }

    /// The end of the domain that values of `side` run towards.
    pub fn end(self, side: Side) -> f64 {
        match side {
            Side::Lower => self.lower,
            Side::Upper => self.upper,
        }
    }

    /// The nearest value inside the domain.
    pub fn clamp(self, value: f64) -> f64 {
        value.clamp(self.lower, self.upper)
    }

    /// Whether a value lies inside. NaN does not.
    pub fn contains(self, value: f64) -> bool {
        self.lower <= value && value <= self.upper
    }

    /// Whether something inside of the domain lies beyond a bound: one at the end, or outside, is passed by nothing.
    pub fn leaves_room_beyond(self, side: Side, bound: f64) -> bool {
        self.contains(bound) && bound != self.end(side)
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.lower, self.upper)
    }
}

impl FromStr for Domain {
    type Err = String;

    /// Reads `0..1`; `0..=1` means the same, and a missing end is infinite.
    #[inline]
    fn from_str(text: &str) -> Result<Self, String> {
        let (lower, upper) = text.split_once("..").ok_or_else(|| {
            format!("`{text}` is not a domain: write it like `0..1`, or `0..` for one end")
        })?;
        let end = |part: &str, missing: f64| match part.trim() {
            "" => Ok(missing),
            number => number
                .parse::<f64>()
                .map_err(|_| format!("`{number}` in the domain `{text}` is not a number")),
        };
        let upper = upper.strip_prefix('=').unwrap_or(upper);
        if upper.starts_with('.') {
            return Err(format!(
                "`{text}` has three dots; write the domain like `0..1`, and a fraction like `0..0.1`"
            ));
        }
        Domain::new(end(lower, f64::NEG_INFINITY)?, end(upper, f64::INFINITY)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_is_beyond_every_bound_on_both_sides() {
        for side in [Side::Lower, Side::Upper] {
            assert!(side.is_beyond(f64::NAN, 1.0));
            assert!(!side.is_beyond(1.0, 1.0), "the bound itself passes");
        }
        assert!(Side::Upper.is_beyond(f64::INFINITY, 1.0));
        assert!(Side::Lower.is_beyond(f64::NEG_INFINITY, 1.0));
    }

    #[test]
    fn nothing_lies_beyond_a_bound_at_the_end_of_its_side() {
        let unit = Domain::new(0.0, 1.0).unwrap();
        assert!(unit.leaves_room_beyond(Side::Upper, 0.0));
        assert!(!unit.leaves_room_beyond(Side::Upper, 1.0));
        assert!(!unit.leaves_room_beyond(Side::Lower, 0.0));
        assert!(!unit.leaves_room_beyond(Side::Lower, 1.5));
    }

    #[test]
    fn a_domain_reads_as_a_range() {
        let ends = |text: &str| {
            text.parse::<Domain>()
                .map(|domain| (domain.lower(), domain.upper()))
        };
        assert_eq!(ends("0..1"), Ok((0.0, 1.0)));
        assert_eq!(ends("0..=1"), Ok((0.0, 1.0)));
        assert_eq!(ends("-1e3 .. 2.5"), Ok((-1e3, 2.5)));
        assert_eq!(ends("0.."), Ok((0.0, f64::INFINITY)));
        assert_eq!(ends("..0"), Ok((f64::NEG_INFINITY, 0.0)));
        for wrong in ["1..0", "0..0", "NaN..1", "0-1", "a..b", "0...1", ""] {
            assert!(ends(wrong).is_err(), "{wrong}");
        }
    }
}
