//! Claims about all runs, as a calibration sees them: what the runs showed, and how many runs decisions will take.

use flex_core::sequential::{Allowed, Claim, Decision, Levels, Observation, Process};
use flex_core::tail::Side;

use crate::calibrate::collector::Collector;
use crate::model::{ClaimSpec, MOST_RUNS};

/// A claim whose bound is written out.
#[derive(Debug)]
pub struct ClaimSite {
    /// The site, for people.
    pub name: String,
    /// Runs that reached it.
    pub runs: usize,
    /// The mean of what they showed, and the standard deviation from run to run; for a mean, a rate or a difference.
    pub shown: Option<(f64, f64)>,
    /// Runs until it is decided, as things are; `None` if it stays undecided, or nobody can tell.
    pub now: Option<u32>,
    /// The true values farther and farther beyond the bound, and the runs until they are found.
    pub found: Vec<(f64, Option<u32>)>,
}

/// Simulated decisions, of whose runs the median is taken.
const TRIALS: u32 = 15;

/// What the runs of a calibration showed of each claim. Each spends an even part of this false-alarm rate.
pub(super) fn claim_sites(collector: &Collector, runs: u32, rate: f64) -> Vec<ClaimSite> {
    let sites = collector.observed.sites.entries().iter();
    let claims = sites.filter_map(|(key, site)| Some((key, site.claim()?)));
    let mut found = Vec::new();
    for (key, spec) in claims {
        let log = collector.observed.declared.get(key);
        let hits = log.map_or(&[][..], |log| &log.hits);
        let values: Vec<f64> = hits
            .iter()
            .filter(|(run, shown)| *run < runs && shown.greatest.is_finite())
            .map(|(_, shown)| shown.greatest)
            .collect();
        let most = spec.max_runs.or(collector.observed.test.options.max_runs);
        let outlook = Outlook {
            spec,
            values: &values,
            levels: Levels::new(rate),
            most: most.unwrap_or(MOST_RUNS),
        };
        found.push(outlook.site(key.id.to_string()));
    }
    found
}

/// What is needed to tell how many runs a decision takes.
struct Outlook<'a> {
    spec: &'a ClaimSpec,
    values: &'a [f64],
    levels: Levels,
    most: u32,
}

impl Outlook<'_> {
    fn site(&self, name: String) -> ClaimSite {
        let mut site = ClaimSite {
            name,
            runs: self.values.len(),
            shown: None,
            now: None,
            found: Vec::new(),
        };
        let Ok(claim) = self.spec.claim() else {
            return site;
        };
        // Of whole laws, what one run showed is not kept.
        let (allowed, margin, is_rate) = match claim {
            Claim::Mean(mean) => (mean.allowed, mean.margin, false),
            Claim::Rate(rate) => (rate.allowed, rate.margin, true),
            Claim::NoWorse(pair) => match pair.worse {
                Side::Upper => (Allowed::AtMost(pair.margin), 0.0, false),
                Side::Lower => (Allowed::AtLeast(-pair.margin), 0.0, false),
            },
            Claim::Distributed(_) | Claim::SameDistribution(_) => return site,
        };
        let count = self.values.len() as f64;
        if count < 2.0 {
            return site;
        }
        let mean = self.values.iter().sum::<f64>() / count;
        let square = |value: &f64| (value - mean).powi(2);
        let sd = (self.values.iter().map(square).sum::<f64>() / (count - 1.0)).sqrt();
        site.shown = Some((mean, sd));
        site.now = self.runs_if(&claim, |place| self.values[place % self.values.len()]);
        let (bound, outward) = match allowed {
            Allowed::AtLeast(bound) => (bound, -1.0),
            Allowed::AtMost(bound) | Allowed::Between(_, bound) => (bound, 1.0),
        };
        let steps = match is_rate {
            true => [margin, 3.0 * margin],
            false => [sd / 2.0, sd],
        };
        for step in steps.into_iter().filter(|step| *step > 0.0) {
            let truth = bound + outward * step;
            let runs = match is_rate {
                true => self.runs_if(&claim, |place| f64::from(u8::from(unit(place) < truth))),
                false => self.runs_if(&claim, |place| {
                    self.values[place % self.values.len()] - mean + truth
                }),
            };
            site.found.push((truth, runs));
        }
        site
    }

    /// The median of the runs until the claim is decided, if places in a long list of values are drawn at random.
    fn runs_if(&self, claim: &Claim, value: impl Fn(usize) -> f64) -> Option<u32> {
        let mut needed: Vec<Option<u32>> = (0..TRIALS)
            .map(|trial| self.one_decision(claim, trial, &value))
            .collect();
        needed.sort_by_key(|runs| runs.unwrap_or(u32::MAX));
        needed[TRIALS as usize / 2]
    }

    fn one_decision(
        &self,
        claim: &Claim,
        trial: u32,
        value: &impl Fn(usize) -> f64,
    ) -> Option<u32> {
        let mut process = Process::new(claim, self.levels).ok()?;
        for run in 0..self.most {
            let place = mixed(u64::from(trial) << 32 | u64::from(run)) >> 11;
            let mut shown = value(place as usize);
            if let (Claim::Mean(_), Some(domain)) = (claim, self.spec.domain) {
                shown = shown.clamp(domain.lower(), domain.upper());
            }
            let zero = 0.0;
            let observation = match claim {
                Claim::NoWorse(_) => Observation::pair(&shown, &zero),
                _ => Observation::one(&shown),
            };
            if process.push(observation).ok()? != Decision::Undecided {
                return Some(run + 1);
            }
        }
        None
    }
}

/// A number between 0 and 1 for a place.
fn unit(place: usize) -> f64 {
    (mixed(place as u64) >> 11) as f64 / (1u64 << 53) as f64
}

/// SplitMix64 (Steele, Lea & Flood 2014).
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Claimed, Comparison, Limit, Operator};
    use flex_core::tail::Domain;

    #[test]
    fn farther_values_are_found_sooner() {
        let below = Limit::Declared(Comparison::new(Operator::Less, 0.11));
        let spec = ClaimSpec {
            domain: Domain::new(0.0, 1.0).ok(),
            ..ClaimSpec::new(Claimed::Mean(below))
        };
        // Twelve uniform numbers have a sum that is nearly normal, with a variance of 1.
        let normal = |run: usize| (0..12).map(|i| unit(12 * run + i)).sum::<f64>() - 6.0;
        let values: Vec<f64> = (0..200).map(|run| 0.1 + 0.03 * normal(run)).collect();
        let outlook = Outlook {
            spec: &spec,
            values: &values,
            levels: Levels::new(1e-4),
            most: MOST_RUNS,
        };
        let site = outlook.site("mean".to_owned());
        let (mean, sd) = site.shown.unwrap();
        assert!((mean - 0.1).abs() < 0.01 && (sd - 0.03).abs() < 0.005);
        let [(_, Some(half)), (_, Some(whole))] = site.found[..] else {
            panic!("{site:?}");
        };
        // About 139 and 67 runs, for an excess of half a standard deviation and of a whole one.
        assert!(
            (90..220).contains(&half) && (40..110).contains(&whole),
            "{half} {whole}"
        );
        assert!(site.now.is_some());
    }
}
