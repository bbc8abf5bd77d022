//! From runs to bounds: all sites of a test together, since they share its budget and its effort.

use super::power::{looked_at, power_of, replayed};
use super::samples::{SiteSamples, outward};
use super::{About, CalibratedSite, CalibrationPlan};
use crate::bound::ceiling::Promise;
use crate::bound::confidence::Share;
use crate::bound::guard::Settling;
use crate::bound::{LearnedBound, Question};
use crate::sample::Samples;
use crate::sequential::Learn;
use crate::sorted::sort_numbers;
use crate::tail::Side;

/// Learns the bounds of all sites of a test from so many runs, and what they cost together. In a suite, whose budget is an expected number of alarms,
/// ceilings keep their rate on average.
pub(super) fn learn(
    sites: &[SiteSamples<'_>],
    runs: u32,
    plan: &CalibrationPlan,
    in_suite: bool,
) -> (Vec<CalibratedSite>, f64) {
    let promise = match in_suite {
        true => Promise::Expected,
        false => Promise::Assured,
    };
    // What is kept on average need not be kept together.
    let sides = bounded(sites).map(|site| site.spec.tail.sides().len() as u32);
    let together = match promise {
        Promise::Assured => sides.sum(),
        Promise::Expected => 1,
    };
    let doubted = part_in_doubt(sites, runs, plan.effort);
    let mut learned: Vec<CalibratedSite> = sites
        .iter()
        .map(|site| {
            let sides = site.spec.tail.sides().len() as f64;
            let effort = match site.settling {
                Settling::Replay => doubted * sides,
                Settling::Reruns => site.share.effort,
            };
            let question = Question {
                tail: site.spec.tail,
                share: Share {
                    effort,
                    ..site.share
                },
                domain: site.spec.domain,
                light: site.spec.light,
                promise,
                settling: site.settling,
                most_reruns: plan.most_reruns,
                together,
            };
            match site.spec.about.is_held() {
                true => held(site),
                false => calibrated(site, &question),
            }
        })
        .collect();
    for index in 0..sites.len() {
        learned[index].looked_at = looked_at(index, sites, &learned, runs, plan.replays_always);
        learned[index].power = power_of(&learned[index]);
    }
    let extra_runs = extra_runs(sites, &learned, runs, plan);
    (learned, extra_runs)
}

/// Expected extra runs per run: one replay, whichever sites ask for it, and the reruns of each race.
fn extra_runs(
    sites: &[SiteSamples<'_>],
    learned: &[CalibratedSite],
    runs: u32,
    plan: &CalibrationPlan,
) -> f64 {
    let is_controlled = |site: &&SiteSamples<'_>| site.settling == Settling::Replay;
    let replays = match bounded(sites).any(|site| is_controlled(&site)) {
        true if plan.replays_always => 1.0,
        true => replayed(sites, learned, runs, |_| true),
        false => 0.0,
    };
    let guards = learned.iter().flat_map(|site| &site.bound.sides);
    let races = guards.filter_map(|side| side.guard.as_ref().ok());
    replays + races.map(|guard| guard.reruns).sum::<f64>()
}

/// The outermost part of each side's values that may be in doubt, so that no more runs are replayed than the effort
/// allows: as many as have a value in doubt at any site.
///
/// This looks at samples. It decides how often healthy code is run again, and nothing about what is promised.
fn part_in_doubt(sites: &[SiteSamples<'_>], runs: u32, effort: f64) -> f64 {
    let controlled = || bounded(sites).filter(|site| site.settling == Settling::Replay);
    if controlled().next().is_none() || effort <= 0.0 {
        return 0.0;
    }
    let effort = effort * controlled().count() as f64 / bounded(sites).count() as f64;
    // By run: how far out its most extreme value is, as the part of its side's values that are as far.
    let mut farthest = vec![1.0; runs as usize];
    for site in controlled() {
        for side in site.spec.tail.sides() {
            let mut values: Vec<f64> = site.hits.iter().map(|hit| outward(*side, hit.1)).collect();
            sort_numbers(&mut values);
            for (run, hit) in site.hits {
                let above = values.len() - values.partition_point(|v| *v <= outward(*side, *hit));
                let part = (above + 1) as f64 / (values.len() + 1) as f64;
                let place: &mut f64 = &mut farthest[*run as usize];
                *place = place.min(part);
            }
        }
    }
    sort_numbers(&mut farthest);
    let allowed = (effort * f64::from(runs + 1)).round() - 1.0;
    match farthest.get(allowed.max(0.0) as usize) {
        Some(part) => *part,
        None => 1.0,
    }
}

/// The sites whose bounds are for the values of each run.
fn bounded<'a>(sites: &'a [SiteSamples<'a>]) -> impl Iterator<Item = &'a SiteSamples<'a>> {
    sites.iter().filter(|site| !site.spec.about.is_held())
}

/// Learns what holds a mean or a rate where it was. One value of a run counts, which is the mean of what it drew.
fn held(site: &SiteSamples<'_>) -> CalibratedSite {
    let values: Vec<f64> = site.hits.iter().map(|(_, hit)| hit.greatest).collect();
    let (is_rate, margin) = match site.spec.about {
        About::Rate { margin } => (true, margin),
        About::Mean { margin } => (false, margin),
        About::Runs => (false, None),
    };
    let learn = Learn {
        is_rate,
        margin,
        domain: site.spec.domain,
        ..Learn::new(site.spec.tail)
    };
    let mut calibrated = seen(site, site.share);
    calibrated.held = Some(learn.held(&values));
    calibrated
}

fn calibrated(site: &SiteSamples<'_>, question: &Question) -> CalibratedSite {
    let mut calibrated = seen(site, question.share);
    let pooled = pooled(site, question);
    let samples = [&calibrated.samples[0], calibrated.shown()];
    let bound = match &pooled {
        Some([least, greatest]) => LearnedBound::learn_pooled(samples, [least, greatest], question),
        None => LearnedBound::learn_folded(samples[0], samples[1], question),
    };
    calibrated.bound = bound;
    calibrated.earlier = pooled.map_or(0, |_| site.earlier.len() as u32);
    calibrated
}

/// The samples together with those of earlier runs, if these do not contradict what the source says.
fn pooled(site: &SiteSamples<'_>, question: &Question) -> Option<[Samples; 2]> {
    if site.earlier.is_empty() {
        return None;
    }
    let all = || {
        let own = site.hits.iter().copied();
        // Runs of a calibration have lower numbers.
        let earlier = (1u32 << 31..).zip(site.earlier.iter().copied());
        own.chain(earlier)
    };
    let least = Samples::new(all().map(|(run, hit)| (run, hit.least)));
    let greatest = Samples::new(all().map(|(run, hit)| (run, hit.greatest)));
    let is_outside = |samples: &Samples| {
        let domain = question.domain;
        domain.is_some_and(|domain| samples.outside(domain).is_some())
    };
    (!is_outside(&least) && !is_outside(&greatest)).then_some([least, greatest])
}

/// What a site showed, before anything is learned from it.
fn seen(site: &SiteSamples<'_>, share: Share) -> CalibratedSite {
    let of = |side: Side| {
        Samples::new(site.hits.iter().map(|(run, hit)| match side {
            Side::Lower => (*run, hit.least),
            Side::Upper => (*run, hit.greatest),
        }))
    };
    let samples: Vec<Samples> = site
        .spec
        .tail
        .sides()
        .iter()
        .map(|side| of(*side))
        .collect();
    let shown = &samples[samples.len() - 1];
    CalibratedSite {
        id: site.id.clone(),
        spec: site.spec,
        share,
        missed: site.missed,
        earlier: 0,
        settling: site.settling,
        looked_at: 0.0,
        power: Vec::new(),
        quantiles: shown.quantiles(),
        bound: LearnedBound {
            samples: shown.len(),
            median: shown.median().unwrap_or(f64::NAN),
            sides: Vec::new(),
        },
        held: None,
        samples,
    }
}
