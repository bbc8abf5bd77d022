//! Claims about all runs, as a calibration sees them: what the runs showed, and how many runs decisions will take.

use flex_core::sequential::{Allowed, Claim, Levels, Truth, expected_runs};
use flex_core::tail::Side;

use super::{LearnedSite, TestCalibration};
use crate::calibrate::collector::Collector;
use crate::model::{ClaimSpec, MOST_RUNS, Test};
use flex_core::bound::confidence::Confidence;

/// A claim, and what is to be expected of its decisions.
#[derive(Debug)]
pub struct ClaimSite {
    /// The site, for people.
    pub name: String,
    /// Runs that reached it.
    pub runs: usize,
    /// The mean of what they showed, and the standard deviation from run to run; for a mean, a rate or a difference.
    pub shown: Option<(f64, f64)>,
    /// The probabilities that it is called broken though it holds, and fine though it is off by its margin.
    pub levels: Levels,
    /// Runs until it is decided, as things are; `None` if it stays undecided, or nobody can tell.
    pub now: Option<u32>,
    /// True values at the bound and farther and farther beyond it, and the runs until these are decided.
    pub found: Vec<(f64, Option<u32>)>,
}

/// What the runs of a calibration showed of each claim whose bound is written out. Those that state no confidence spend an
/// even part of this false-alarm rate.
pub(super) fn claim_sites(collector: &Collector, runs: u32, rate: f64) -> Vec<ClaimSite> {
    let sites = collector.observed.sites.entries().iter();
    let declared = sites.filter(|(_, site)| !site.is_learned());
    let claims = declared.filter_map(|(key, site)| Some((key, site.claim()?)));
    let mut found = Vec::new();
    for (key, spec) in claims {
        let log = collector.observed.declared.get(key);
        let hits = log.map_or(&[][..], |log| &log.hits);
        let values: Vec<f64> = hits
            .iter()
            .filter(|(run, shown)| *run < runs && shown.greatest.is_finite())
            .map(|(_, shown)| shown.greatest)
            .collect();
        let rate = spec.confidence.map_or(rate, Confidence::false_alarm_rate);
        let outlook = Outlook {
            claim: spec.claim().ok(),
            values: &values,
            levels: Levels::new(rate),
            most: most_runs(spec, &collector.observed.test),
        };
        found.push(outlook.site(key.id.to_string()));
    }
    found
}

impl TestCalibration {
    /// What is to be expected of a claim whose bound is learned: of the entry that is in force.
    pub(in crate::calibrate) fn outlook(&self, site: &LearnedSite) -> Option<ClaimSite> {
        let spec = site.claim.as_ref()?;
        let entry = site.in_force();
        let values = site.samples.last()?.finite().iter();
        let values: Vec<f64> = values.map(|sample| sample.value).collect();
        let outlook = Outlook {
            claim: Some(entry.claim(spec.margin)?),
            values: &values,
            levels: Levels::new(entry.confidence.false_alarm_rate()),
            most: most_runs(spec, &self.test),
        };
        Some(outlook.site(site.name.clone()))
    }
}

/// Runs after which a claim stays undecided.
fn most_runs(spec: &ClaimSpec, test: &Test) -> u32 {
    let most = spec.max_runs.or(test.options.max_runs);
    most.unwrap_or(MOST_RUNS)
}

/// What is needed to tell how many runs a decision takes.
struct Outlook<'a> {
    claim: Option<Claim>,
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
            levels: self.levels,
            now: None,
            found: Vec::new(),
        };
        let Some(claim) = self.claim.clone() else {
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
        let moved = |shift: f64| Truth::Values {
            values: self.values,
            shift,
        };
        site.now = self.runs_if(&claim, moved(0.0));
        let (bound, outward) = match allowed {
            Allowed::AtLeast(bound) => (bound, -1.0),
            Allowed::AtMost(bound) | Allowed::Between(_, bound) => (bound, 1.0),
        };
        let steps = match is_rate {
            true => [0.0, margin, 3.0 * margin],
            false => [0.0, sd / 2.0, sd],
        };
        for step in steps {
            let truth = bound + outward * step;
            if site.found.last().is_some_and(|(last, _)| *last == truth) {
                continue;
            }
            let truth_is = match is_rate {
                true => Truth::Rate(truth),
                false => moved(truth - mean),
            };
            let runs = self.runs_if(&claim, truth_is);
            site.found.push((truth, runs));
        }
        site
    }

    /// The runs until the claim is decided, if so much is true; `None` if most tests stay undecided.
    fn runs_if(&self, claim: &Claim, truth: Truth<'_>) -> Option<u32> {
        let expected = expected_runs(claim, self.levels, truth, u64::from(self.most)).ok()?;
        (expected.broken + expected.fine > 0.5).then_some(expected.runs.ceil() as u32)
    }
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
        // Quantiles of the logistic law with a standard deviation of 1.
        let quantile = |part: f64| (part / (1.0 - part)).ln() * 3f64.sqrt() / std::f64::consts::PI;
        let values: Vec<f64> = (0..200)
            .map(|run| 0.1 + 0.03 * quantile((f64::from(run) + 0.5) / 200.0))
            .collect();
        let outlook = Outlook {
            claim: spec.claim().ok(),
            values: &values,
            levels: Levels::new(1e-4),
            most: MOST_RUNS,
        };
        let site = outlook.site("mean".to_owned());
        let (mean, sd) = site.shown.unwrap();
        assert!((mean - 0.1).abs() < 1e-9 && (sd - 0.03).abs() < 0.001);
        let [(at, Some(_)), (_, Some(half)), (_, Some(whole))] = site.found[..] else {
            panic!("{site:?}");
        };
        assert!(at == 0.11 && whole < half && half < 400, "{half} {whole}");
        assert!(site.now.is_some());
    }
}
