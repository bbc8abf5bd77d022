//! How many runs may miss a site that every calibration run reached, before that is no chance any more.

use crate::bound::confidence::ASSURANCE;

/// What a site's budget leaves for this: a thousandth of it.
const SHARE: f64 = 1e-3;

/// The runs in a row that must miss the site, the first included.
///
/// A site that `samples` runs reached, and none missed, is missed with probability 1 − 0.01^(1/n) at most, with the
/// assurance (Clopper & Pearson 1934). So many misses in a row are rarer than a thousandth of the false-alarm rate.
pub fn misses_to_fail(samples: u32, false_alarm_rate: f64) -> u32 {
    let most = 1.0 - (1.0 - ASSURANCE).powf(1.0 / f64::from(samples.max(1)));
    let misses = (SHARE * false_alarm_rate).ln() / most.ln();
    // A rate of 0, or no samples, asks for more runs than anybody makes.
    misses.ceil().clamp(1.0, 1000.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_misses_in_a_row_are_rare_enough() {
        for samples in [10, 30, 100, 1000, 3000] {
            for rate in [0.01, 1e-4, 1e-6] {
                let misses = misses_to_fail(samples, rate);
                let most = 1.0 - 0.01f64.powf(1.0 / f64::from(samples));
                assert!(most.powi(misses as i32) <= 1e-3 * rate);
                assert!(misses == 1 || most.powi(misses as i32 - 1) > 1e-3 * rate);
            }
        }
        assert_eq!(misses_to_fail(100, 1e-4), 6);
    }

    #[test]
    fn nonsense_asks_for_many_runs_and_no_more() {
        assert_eq!(misses_to_fail(0, 0.0), 1000);
        assert_eq!(misses_to_fail(1, 1e-300), 1000);
        assert_eq!(misses_to_fail(u32::MAX, 0.5), 1);
    }
}
