//! The sides of a site: bounds, fit and band; and samples as series.

use flex_bounds::file::{Entry, Learned};
use flex_core::bound::tail_band::tail_band;
use flex_core::sample::QUANTILES;
use flex_core::sample::Samples;
use flex_core::tail;
use flex_detect::record::Float;

use crate::kept::{CalibratedSite, KeptSeries};
use crate::model::{Fit, Series, Side, Values};

/// Points of a band.
const POINTS: usize = 7;

/// The side that a word names.
pub fn side_of(word: &str) -> tail::Side {
    match word {
        "lower" => tail::Side::Lower,
        _ => tail::Side::Upper,
    }
}

/// The sides of an entry, with the tails that its samples suggest, where they are known.
pub fn sides(entry: &Entry, seen: Option<&CalibratedSite>) -> Vec<Side> {
    let of_side = |(side, learned): (tail::Side, &Learned)| {
        let guard = learned.guard();
        let series = seen.and_then(|seen| {
            let mut series = seen.series.iter();
            series.find(|series| side_of(&series.side) == side)
        });
        let rate = entry.confidence.false_alarm_rate();
        Side {
            side: side.as_str(),
            strategy: Some(learned.strategy().as_str()),
            guard: guard.map(|guard| Float(guard.bound)),
            ceiling: learned.ceiling().map(Float),
            declared: None,
            bound: learned.held().map(|held| Float(held.bound)),
            mean: learned.held().map(|held| Float(held.mean)),
            cuts: guard.map_or_else(Vec::new, |guard| {
                let cuts = guard.race.cuts().iter();
                cuts.map(|cut| Float(cut.value)).collect()
            }),
            fit: learned.fit().map(|fit| Fit {
                threshold: fit.threshold,
                scale: fit.scale,
                shape: fit.shape,
                exceedances: fit.exceedances,
            }),
            band: match (series, learned.fit()) {
                (Some(series), Some(_)) => band(&samples(series), side, rate),
                _ => Vec::new(),
            },
            reason: learned.reason().map(str::to_owned),
        }
    };
    entry.sides.iter().map(of_side).collect()
}

/// The band of a tail, from where it begins to beyond the rate that is promised.
fn band(samples: &Samples, side: tail::Side, rate: f64) -> Vec<[f64; 4]> {
    let n = samples.len().max(1) as f64;
    let (most, least) = ((0.15f64).min(1.5 / n.sqrt()), rate.min(0.1 / n));
    let step = (least / most).ln() / (POINTS - 1) as f64;
    let rates: Vec<f64> = (0..POINTS)
        .map(|i| most * (step * i as f64).exp())
        .collect();
    let band = tail_band(samples, side, &rates).unwrap_or_default();
    let short = |number: f64| format!("{number:.4e}").parse().unwrap_or(number);
    let points = band.iter();
    points
        .map(|point| [point.rate, point.near, point.typical, point.far].map(short))
        .collect()
}

/// The samples of a series.
pub fn samples(series: &KeptSeries) -> Samples {
    let values = series.values.iter().enumerate();
    Samples::new(values.filter_map(|(run, value)| Some((run as u32, value.as_ref()?.0))))
}

/// The series of a site, those of both sides once where they are the same.
pub fn series_of(seen: &CalibratedSite) -> Vec<Series> {
    let mut all: Vec<Series> = Vec::new();
    for series in &seen.series {
        let side = side_of(&series.side).as_str();
        let is_same = |other: &Series| match &other.values {
            Values::Exact { values } => same(values, &series.values),
            Values::Packed { .. } => false,
        };
        match all.iter_mut().find(|other| is_same(other)) {
            Some(other) => other.sides.push(side),
            None => all.push(Series {
                sides: vec![side],
                values: Values::Exact {
                    values: series.values.clone(),
                },
            }),
        }
    }
    all
}

fn same(a: &[Option<Float>], b: &[Option<Float>]) -> bool {
    let bits = |value: &Option<Float>| value.map(|value| value.0.to_bits());
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| bits(a) == bits(b))
}

/// The most extreme samples of series, the farthest first.
pub fn extremes(seen: &CalibratedSite) -> Vec<(u32, Float)> {
    const MOST: usize = 5;
    let mut all = Vec::new();
    for series in &seen.series {
        let values = series.values.iter().zip(0..);
        let mut samples: Vec<(u32, f64)> = values
            .filter_map(|(value, run)| Some((run, value.as_ref()?.0)))
            .collect();
        // What is no number is farther than any.
        let distance = |value: f64| match side_of(&series.side).orient(value) {
            value if value.is_nan() => f64::INFINITY,
            value => value,
        };
        let farthest_first = |a: &(u32, f64), b: &(u32, f64)| {
            let by_distance = distance(b.1).total_cmp(&distance(a.1));
            by_distance.then(a.0.cmp(&b.0))
        };
        if samples.len() > MOST {
            samples.select_nth_unstable_by(MOST, farthest_first);
            samples.truncate(MOST);
        }
        samples.sort_unstable_by(farthest_first);
        all.extend(samples.into_iter().map(|(run, value)| (run, Float(value))));
    }
    all
}

/// The standard deviation of what was seen; from quantiles if the samples are not known.
pub fn deviation(entry: &Entry, seen: Option<&CalibratedSite>) -> Option<f64> {
    let of_samples = seen.and_then(|seen| {
        let values = seen.series.first()?.values.iter().flatten();
        let finite: Vec<f64> = values
            .map(|value| value.0)
            .filter(|value| value.is_finite())
            .collect();
        let n = finite.len() as f64;
        let mean = finite.iter().sum::<f64>() / n;
        let square = |value: &f64| (value - mean).powi(2);
        (n > 1.0).then(|| (finite.iter().map(square).sum::<f64>() / (n - 1.0)).sqrt())
    });
    // The tenths at both ends of a normal distribution begin 2.563 standard deviations apart.
    let of_quantiles = || {
        let quantiles = entry.quantiles?;
        let at = |part: f64| {
            let mut levels = QUANTILES.iter().zip(quantiles);
            levels
                .find(|(level, _)| **level == part)
                .map(|(_, value)| value)
        };
        Some((at(0.9)? - at(0.1)?) / 2.563)
    };
    of_samples.or_else(of_quantiles)
}
