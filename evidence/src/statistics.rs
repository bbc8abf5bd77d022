//! Order statistics of measurements, and shares for tables.

/// Returns the value that stands at this share of the way through the values in order; the upper one of two.
pub fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get((share * sorted.len() as f64) as usize).copied()
}

/// Returns the middle value, the upper one of two; NaN if there is none.
pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5).unwrap_or(f64::NAN)
}

/// A share for a table, to a tenth of a percent.
pub fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_stands_in_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), 3.0);
        assert!(median(&[]).is_nan());
        assert_eq!(quantile(&[4.0, 1.0, 3.0, 2.0], 0.25), Some(2.0));
    }
}
