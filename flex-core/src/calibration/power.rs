//! What the sites of a test catch: each by its own samples, and all by one replay.

use super::CalibratedSite;
use super::samples::{SiteSamples, outward};
use crate::bound::guard::Settling;
use crate::bound::power::Power;

/// How often the values of a site are looked at though they are in no doubt, if all other sites are as they were: another
/// site may be in doubt, and what is replayed then clears or accuses all.
pub(super) fn looked_at(
    index: usize,
    sites: &[SiteSamples<'_>],
    learned: &[CalibratedSite],
    runs: u32,
    always: bool,
) -> f64 {
    match sites[index].settling {
        Settling::Replay if always => 1.0,
        Settling::Replay => replayed(sites, learned, runs, |other| other != index),
        Settling::Reruns => 0.0,
    }
}

/// What the sides of a site catch.
pub(super) fn power_of(site: &CalibratedSite) -> Vec<Option<Power>> {
    let sides = site.bound.sides.iter().zip(&site.samples);
    sides
        .map(|(bound, samples)| Power::of(bound, samples, site.looked_at))
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
