//! What an entry's guard catches, told from what the file keeps of it.

use super::Entry;
use flex_core::bound::confidence::{DEFAULT_EFFORT, Share, default_effort};
use flex_core::bound::guard::GuardPlan;

impl Entry {
    /// The probability that a run catches a shift of 1, 2, 3 and 4 standard deviations (normal values), for a test with
    /// so many learned sites.
    ///
    /// The file keeps the hits of a guard and not the effort that it was chosen for. `None` if no usual effort gives
    /// so many hits, or if there is no guard.
    pub fn power(&self, sites: usize) -> Option<[f64; 4]> {
        let mut guards = self.sides.iter().filter_map(|(_, learned)| learned.guard());
        let hits = guards.next()?.hits;
        let efforts = [DEFAULT_EFFORT, default_effort(f64::INFINITY)];
        efforts.into_iter().find_map(|effort| {
            let share = Share {
                confidence: self.confidence,
                effort: effort / sites.max(1) as f64,
            };
            let side = share.per_side(self.tail());
            let plan = GuardPlan::choose(
                self.samples as usize,
                0.5 * side.false_alarm_rate,
                side.effort,
            );
            plan.ok()
                .filter(|plan| plan.hits == hits)
                .map(|plan| plan.power)
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::file::{Entry, Key, Provenance};
    use flex_core::calibration::{Calibration, CalibrationPlan, SiteId, SiteSpec, Step};
    use flex_core::sample::Extremes;
    use flex_core::tail::Tail;

    /// Asserts that the file tells what the calibration knew.
    fn check(tail: Tail, sites: usize, effort: f64, is_known: bool) {
        let names: Vec<SiteId> = (0..sites)
            .map(|site| SiteId::new(format!("s{site}")))
            .collect();
        let mut calibration = Calibration::new(CalibrationPlan {
            effort,
            max_runs: 100,
            ..CalibrationPlan::default()
        });
        for run in 0..100 {
            let value = Extremes::new(f64::from(run * 37 % 100).sqrt());
            let hits: Vec<_> = names
                .iter()
                .map(|name| (name, SiteSpec::new(tail), value))
                .collect();
            calibration.push_folded(run, false, &hits).unwrap();
        }
        let Step::Done(done) = calibration.step().unwrap() else {
            panic!("the runs are enough");
        };
        let site = &done.sites[0];
        let key = Key {
            test: crate::TestId::pytest("t"),
            site: site.id.clone(),
            variant: None,
        };
        let entry = Entry::of_calibration(key, site, Provenance::default());
        let known = site.bound.sides[0].guard.as_ref().map(|g| g.plan.power);
        assert_eq!(entry.power(sites), known.ok().filter(|_| is_known));
    }

    #[test]
    fn the_power_of_a_guard_is_told_from_its_entry() {
        check(Tail::Upper, 1, 0.3, true);
        check(Tail::Lower, 3, 0.3, true);
        check(Tail::Both, 2, 0.3, true);
        check(Tail::Upper, 1, 0.05, true);
        check(Tail::Upper, 1, 0.0, true);
        check(Tail::Upper, 1, 0.001, false);
    }
}
