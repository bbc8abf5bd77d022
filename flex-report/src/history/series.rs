//! The values of one site on one kind of machine, in the order of time: what a detector looks at.

use std::collections::BTreeSet;
use std::sync::Arc;

use flex_core::sample::Extremes;
use flex_core::sequential::Feared;
use flex_core::tail::Side;

use super::tie::tie;
use super::{Run, TestHistory, WatchedSite};
use crate::kept::{CalibratedSite, Calibration};

/// What a detector sees, one after the other.
pub(super) enum Event<'h> {
    /// A run of the suite.
    Seen { run: &'h Run, value: f64, tie: u64 },
    /// The samples of a calibration.
    Calibrated { samples: Vec<(f64, u64)> },
}

/// The values of one side of a site, turned so that what is feared is greater.
pub(super) struct Series<'h> {
    pub site: &'h WatchedSite,
    pub platform: Option<Arc<str>>,
    pub side: Side,
    pub feared: Feared,
    pub events: Vec<Event<'h>>,
}

impl TestHistory {
    /// All series of the test, of runs from this time on.
    pub(super) fn series(&self, since: u64) -> Vec<Series<'_>> {
        let fingerprint = self.fingerprint();
        let is_its = |run: &&Run| run.at >= since && run.fingerprint.as_deref() == fingerprint;
        let runs: Vec<&Run> = self.runs.iter().filter(is_its).collect();
        let platforms: BTreeSet<&Option<Arc<str>>> = runs.iter().map(|run| &run.platform).collect();
        let mut all = Vec::new();
        for platform in platforms {
            let on_it = |run: &&&Run| run.platform == *platform;
            let here: Vec<&Run> = runs.iter().filter(on_it).copied().collect();
            for (index, site) in self.sites.iter().enumerate() {
                let values: Vec<(&Run, Extremes)> = here
                    .iter()
                    .filter_map(|run| Some((*run, run.value(index as u32)?)))
                    .collect();
                if values.is_empty() {
                    continue;
                }
                for (side, feared) in sides(site, &values) {
                    let series = Series {
                        site,
                        platform: platform.clone(),
                        side,
                        feared,
                        events: self.events(site, side, &values),
                    };
                    all.push(series);
                }
            }
        }
        // Sites stand in the order of lines, which is nobody's.
        all.sort_by(|a, b| (a.site.key(), &a.platform).cmp(&(b.site.key(), &b.platform)));
        all
    }

    fn events<'h>(
        &self,
        site: &WatchedSite,
        side: Side,
        values: &[(&'h Run, Extremes)],
    ) -> Vec<Event<'h>> {
        let fingerprint = self.fingerprint();
        let mut events: Vec<(u64, Event<'h>)> = Vec::new();
        for calibration in &self.calibrations {
            // One that does not say it is of an older flex.
            let known = calibration.about.fingerprint.as_deref();
            if known.is_none() || known == fingerprint {
                let samples = samples(calibration, site, side);
                if !samples.is_empty() {
                    events.push((calibration.about.at, Event::Calibrated { samples }));
                }
            }
        }
        for (run, extremes) in values {
            let seen = Event::Seen {
                run,
                value: on(side, *extremes),
                tie: tie(&run.seed, run.at, &site.label),
            };
            events.push((run.at, seen));
        }
        // What was calibrated in the second of a run comes first: sorting is stable.
        events.sort_by_key(|(at, _)| *at);
        events.into_iter().map(|(_, event)| event).collect()
    }
}

impl WatchedSite {
    fn key(&self) -> (&str, Option<&str>, &str) {
        (&self.label, self.case.as_deref(), &self.kind)
    }
}

impl Run {
    /// What a site saw.
    pub(super) fn value(&self, site: u32) -> Option<Extremes> {
        let place = self.values.binary_search_by_key(&site, |(site, _)| *site);
        place.ok().map(|place| self.values[place].1)
    }
}

/// The sides that are looked at. Where a site has both and sees one value a run, one look sees both.
fn sides(site: &WatchedSite, values: &[(&Run, Extremes)]) -> Vec<(Side, Feared)> {
    let is_one = |seen: Extremes| seen.least.to_bits() == seen.greatest.to_bits();
    match site.tail.as_deref() {
        Some("upper") => vec![(Side::Upper, Feared::Up)],
        Some("lower") => vec![(Side::Lower, Feared::Up)],
        _ if values.iter().all(|(_, seen)| is_one(*seen)) => vec![(Side::Upper, Feared::Both)],
        _ => vec![(Side::Lower, Feared::Up), (Side::Upper, Feared::Up)],
    }
}

/// The samples of a calibration.
fn samples(calibration: &Calibration, site: &WatchedSite, side: Side) -> Vec<(f64, u64)> {
    let is_its = |seen: &&CalibratedSite| {
        seen.site == site.label && seen.case == site.case && seen.kind == site.kind
    };
    let Some(seen) = calibration.sites.iter().find(is_its) else {
        return Vec::new();
    };
    // One of several bounds that are declared may have the only series.
    let of_side = seen
        .series
        .iter()
        .find(|series| series.side == side.as_str());
    let values = of_side.or(seen.series.first());
    let values = values
        .into_iter()
        .flat_map(|series| series.values.iter().enumerate());
    let at = calibration.about.at;
    let sample = |(run, value): (usize, &Option<flex_detect::record::Float>)| {
        let seed = format!("{}@calibrate:{run}", calibration.base);
        let value = value.as_ref()?.0;
        Some((outward(side, value), tie(&seed, at, &site.label)))
    };
    values.filter_map(sample).collect()
}

fn on(side: Side, seen: Extremes) -> f64 {
    match side {
        Side::Lower => outward(side, seen.least),
        Side::Upper => outward(side, seen.greatest),
    }
}

/// A value, turned so that beyond is greater; NaN is beyond everything.
fn outward(side: Side, value: f64) -> f64 {
    match value.is_nan() {
        true => f64::INFINITY,
        false => side.orient(value),
    }
}
