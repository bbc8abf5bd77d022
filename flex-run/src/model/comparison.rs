//! Comparisons with bounds that are written out.

use flex_core::tail::Side;

/// A value compared with a bound that is written out, as in `x < 0.5`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// How the value is compared.
    pub operator: Operator,
    /// The bound.
    pub bound: f64,
}

/// How a value is compared with a bound on its right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `<`.
    Less,
    /// `<=`.
    AtMost,
    /// `>`.
    Greater,
    /// `>=`.
    AtLeast,
}

impl Comparison {
    /// A comparison with a bound.
    pub fn new(operator: Operator, bound: f64) -> Self {
        Comparison { operator, bound }
    }

    /// Whether a value keeps the bound; NaN keeps none.
    pub fn is_kept_by(&self, value: f64) -> bool {
        match self.operator {
            Operator::Less => value < self.bound,
            Operator::AtMost => value <= self.bound,
            Operator::Greater => value > self.bound,
            Operator::AtLeast => value >= self.bound,
        }
    }
}

impl Operator {
    /// The side on which a value is too extreme.
    pub fn side(self) -> Side {
        match self {
            Operator::Less | Operator::AtMost => Side::Upper,
            Operator::Greater | Operator::AtLeast => Side::Lower,
        }
    }

    /// Whether a value that equals the bound breaks it.
    pub fn is_strict(self) -> bool {
        matches!(self, Operator::Less | Operator::Greater)
    }

    /// The word for it, such as "below".
    pub fn word(self) -> &'static str {
        match self {
            Operator::Less => "below",
            Operator::AtMost => "at most",
            Operator::Greater => "above",
            Operator::AtLeast => "at least",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_mean_what_they_say() {
        let check = |operator: Operator, below: bool, equal: bool, above: bool| {
            let comparison = Comparison::new(operator, 1.0);
            let kept = [0.5, 1.0, 1.5].map(|value| comparison.is_kept_by(value));
            assert_eq!(kept, [below, equal, above]);
            assert_eq!(operator.is_strict(), !equal);
            assert_eq!(operator.side() == Side::Upper, below);
            assert!(!comparison.is_kept_by(f64::NAN));
        };
        check(Operator::Less, true, false, false);
        check(Operator::AtMost, true, true, false);
        check(Operator::Greater, false, false, true);
        check(Operator::AtLeast, false, true, true);
    }
}
