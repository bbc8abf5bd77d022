//! Durations of old and new code, pair by pair.
//!
//! A machine drifts: it warms up, others come and go. So a pair is two measurements one after the other, and a fair coin
//! decides which version goes first. If the code is as fast as it was, then whatever the machine does, either sign of the
//! difference is as likely.

use flex_core::seed::{Phase, Seeds};
use flex_detect::compare::{SeriesKey, SeriesVerdict, Shares, TestPairs};
use flex_run::calibrate::CalibrationError;

/// A measurement should take so many seconds, so that what is not the code's weighs little.
const SECONDS: f64 = 0.05;

/// Runs in a measurement at most.
const MOST_RUNS: f64 = 1000.0;

/// Measures a version.
pub trait Clock {
    /// The seconds that the runs of a pair take, for one version; `None` if they cannot be timed.
    fn seconds(&self, is_new: bool, pair: u32) -> Result<Option<f64>, CalibrationError>;
}

/// The number of runs in a measurement, where one takes so long.
pub fn runs_a_pair(seconds_per_run: f64) -> u32 {
    (SECONDS / seconds_per_run.max(1e-9))
        .ceil()
        .clamp(1.0, MOST_RUNS) as u32
}

/// Measures both versions, in the order that the coin says.
pub fn pair(
    clock: &impl Clock,
    base: &str,
    test: &str,
    pair: u32,
) -> Result<Option<(f64, f64)>, CalibrationError> {
    let new_first = new_goes_first(base, test, pair);
    let first = clock.seconds(new_first, pair)?;
    let second = clock.seconds(!new_first, pair)?;
    Ok(first.zip(second).map(|(first, second)| match new_first {
        true => (second, first),
        false => (first, second),
    }))
}

/// The coin.
pub fn new_goes_first(base: &str, test: &str, pair: u32) -> bool {
    let seeds = Seeds::new(base, Phase::Detect, "who goes first", test);
    seeds.run(u64::from(pair))[0] & 1 == 1
}

/// Takes measurements of old and new code, and returns whether they decide.
pub fn decided(pairs: &mut TestPairs, seconds: &[(f64, f64)], shares: &Shares) -> bool {
    pairs.take_seconds(seconds, shares);
    let verdict = pairs.verdict(&SeriesKey::SECONDS);
    !matches!(
        verdict,
        None | Some(SeriesVerdict::Identical | SeriesVerdict::Undecided)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_version_goes_first_about_as_often() {
        // The seed is fixed.
        let heads = (0..1000).filter(|pair| new_goes_first("a", "t", *pair));
        let heads = heads.count();
        assert!((400..600).contains(&heads), "{heads}");
    }

    #[test]
    fn short_runs_are_measured_together() {
        assert_eq!(runs_a_pair(0.0), 1000);
        assert_eq!(runs_a_pair(0.01), 5);
        assert_eq!(runs_a_pair(3.0), 1);
    }
}
