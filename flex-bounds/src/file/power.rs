//! What an entry catches, told from what the file keeps of it.

use super::rarity::share_beyond;
use super::{Entry, GuardBound};
use flex_core::tail::Side;

impl Entry {
    /// The probability that a run catches a shift of 1, 2 and 3 standard deviations outward on a side, for normal values
    /// and a test whose other sites are never in doubt; `None` if there is no guard.
    #[inline]
    pub fn power(&self, side: Side) -> Option<[f64; 3]> {
        let guard = self.sides.get(side)?.guard()?;
        let doubted = match &self.replay {
            Some(replay) if replay.always => 1.0,
            _ => self.doubted(side, guard),
        };
        let power = |shift| guard.race.power(self.samples, (doubted, 0.0), shift);
        Some([1.0, 2.0, 3.0].map(power))
    }

    /// The part of the samples beyond a guard.
    #[inline]
    fn doubted(&self, side: Side, guard: &GuardBound) -> f64 {
        let share = self
            .quantiles
            .as_ref()
            .map_or(0.0, |quantiles| share_beyond(quantiles, side, guard.bound));
        share.max(1.0 / f64::from(self.samples + 1))
    }
}

#[cfg(test)]
mod tests {
    use crate::file::tests::calibrated_entry;
    use flex_core::bound::Question;
    use flex_core::bound::confidence::Confidence;
    use flex_core::bound::guard::GuardPlan;
    use flex_core::tail::{Side, Tail};

    #[test]
    fn the_power_of_an_entry_is_that_of_its_plan() {
        let mut entry = calibrated_entry(100);
        let question = Question::new(Tail::Upper, Confidence::DEFAULT);
        let plan = GuardPlan::choose(100, &question).unwrap();
        let power = entry.power(Side::Upper).unwrap();
        for (got, planned) in power.iter().zip(&plan.power[1..]) {
            assert!((got - planned).abs() < 0.01, "{power:?} {plan:?}");
        }
        assert_eq!(entry.power(Side::Lower), None);
        // What is replayed always misses nothing.
        entry.replay.as_mut().unwrap().always = true;
        assert!(entry.power(Side::Upper).unwrap()[0] > power[0] + 0.2);
    }
}
