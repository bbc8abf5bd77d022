//! What the sites of a test catch: each by its own samples, and all by one replay.

use super::CalibratedSite;
use super::learn::{SiteSamples, outward};
use crate::bound::guard::Settling;
use crate::bound::power::Power;

/// What the sides of a site catch, if all other sites are as they were.
pub(super) fn power_of(
    index: usize,
    sites: &[SiteSamples<'_>],
    learned: &[CalibratedSite],
    runs: u32,
    always: bool,
) -> Vec<Option<Power>> {
    let (site, calibrated) = (&sites[index], &learned[index]);
    // Another site may be in doubt, and what is replayed then clears or accuses all.
    let elsewhere = match site.settling {
        Settling::Replay if always => 1.0,
        Settling::Replay => replayed(sites, learned, runs, |other| other != index),
        Settling::Reruns => 0.0,
    };
    let sides = calibrated.bound.sides.iter().zip(&calibrated.samples);
    sides
        .map(|(bound, samples)| Power::of(bound, samples, elsewhere))
        .collect()
}

/// The part of all runs in which one of these controlled sites is in doubt.
pub(super) fn replayed(
    sites: &[SiteSamples<'_>],
    learned: &[CalibratedSite],
    runs: u32,
    counts: impl Fn(usize) -> bool,
) -> f64 {
    let mut in_doubt = vec![false; runs as usize];
    for (other, (site, calibrated)) in sites.iter().zip(learned).enumerate() {
        if !counts(other) || site.settling == Settling::Reruns {
            continue;
        }
        for bound in &calibrated.bound.sides {
            let Ok(guard) = &bound.guard else { continue };
            for (run, hit) in site.hits {
                let beyond = outward(bound.side, *hit) > bound.side.orient(guard.bound);
                in_doubt[*run as usize] |= beyond;
            }
        }
    }
    let count = in_doubt.iter().filter(|doubt| **doubt).count();
    count as f64 / f64::from(runs.max(1))
}
