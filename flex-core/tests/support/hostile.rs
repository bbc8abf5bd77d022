//! Numbers that make trouble.

use proptest::prelude::*;
use proptest::sample::select;

/// Every bit pattern, and the ones that make trouble more often.
pub fn hostile() -> impl Strategy<Value = f64> {
    prop_oneof![
        3 => any::<f64>(),
        1 => any::<u64>().prop_map(f64::from_bits),
        1 => select(vec![
            0.0, -0.0, 1.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN,
            f64::MIN_POSITIVE, 5e-324, -5e-324, 1.0 + f64::EPSILON,
        ]),
    ]
}
