//! What is asked of a menu.

use flex_core::bound::confidence::Confidence;
use flex_core::tail::Domain;

/// What is asked of a menu.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ask {
    /// The probability that unchanged code passes the assertion.
    pub confidence: f64,
    /// The domain that the source declares.
    pub domain: Option<Domain>,
}

impl Ask {
    /// A menu for one of so many assertions that share the confidence of their test.
    pub fn shared(confidence: Confidence, assertions: usize) -> Self {
        let rate = confidence.false_alarm_rate() / assertions.max(1) as f64;
        Ask {
            // The nearest decimal: subtracting leaves digits that nobody wrote.
            confidence: flex_bounds::round::nearest(1.0 - rate, 1e-3 * rate),
            domain: None,
        }
    }
}
