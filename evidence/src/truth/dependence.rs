//! Sites of one test that depend on each other: does the test keep its rate, and its effort?

use std::fmt::Write;

use flex_core::bound::confidence::{Confidence, DEFAULT_EFFORT};
use flex_core::bound::guard::Settling;
use flex_core::calibration::{Calibrated, Calibration, CalibrationPlan, SiteId, SiteSpec, Step};
use flex_core::sample::Extremes;
use flex_core::tail::Tail;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution as _, StandardNormal};

use super::bars::most_by_chance;
use super::rates::{Tier, TrueRates};
use crate::distribution::{self, Distribution};
use crate::page::Section;
use crate::parallel::in_parallel;
use crate::statistics::percent;

/// Correlations between any two sites.
const CORRELATIONS: [f64; 4] = [0.0, 0.5, 0.9, 1.0];

/// Sites of a test, and samples of a calibration.
const SHAPES: [(usize, u32); 4] = [(5, 30), (20, 30), (5, 100), (20, 100)];

/// Fresh runs by which doubts are counted.
const FRESH: usize = 100;

/// The section of the part `dependence`.
pub fn section(tests: usize) -> Section {
    let jobs: Vec<((usize, u32), f64)> = SHAPES
        .into_iter()
        .flat_map(|shape| CORRELATIONS.map(|correlation| (shape, correlation)))
        .collect();
    let normal = &distribution::named(&["normal"])[0];
    let measured = in_parallel(&jobs, |job| measure(normal, *job, tests));
    let mut text = format!(
        "
## Sites that depend on each other

Tests of several sites whose normal values are equally correlated, C = 0.9999, {tests} calibrations each by the real
machine. Violations: calibrations after which the rates of all sites together exceed 1 − C, if every run enters every
race; and in brackets those of a single tier. Replays: the share of fresh runs in which some site is in doubt; the effort
is {DEFAULT_EFFORT}.

| sites | n |"
    );
    text += &CORRELATIONS
        .map(|correlation| format!(" ρ = {correlation} |"))
        .concat();
    text += "\n|---|---|---|---|---|---|\n";
    let mut missed = Vec::new();
    for (of_shape, (sites, runs)) in measured.chunks(CORRELATIONS.len()).zip(SHAPES) {
        let _ = write!(text, "| {sites} | {runs} |");
        for (of_one, correlation) in of_shape.iter().zip(CORRELATIONS) {
            let share = |count: usize| percent(count as f64 / tests.max(1) as f64);
            let tiers = of_one.tiers.map(share).join(", ");
            let (all, replays) = (share(of_one.violations), of_one.replays);
            let _ = write!(text, " {all} ({tiers}), {replays:.2} replays |");
            if of_one.violations > most_by_chance(tests) {
                missed.push(format!(
                    "{sites} sites, n {runs}, correlation {correlation}: {} of {tests}",
                    of_one.violations
                ));
            }
        }
        text.push('\n');
    }
    Section {
        text,
        missed,
        ..Section::default()
    }
}

/// Calibrations of tests of one kind.
#[derive(Default)]
struct Measured {
    violations: usize,
    /// Those in which race, strays or ceilings of all sites exceed their part.
    tiers: [usize; 3],
    replays: f64,
}

fn measure(
    normal: &Distribution,
    ((sites, runs), correlation): ((usize, u32), f64),
    tests: usize,
) -> Measured {
    let mut rng = ChaCha8Rng::seed_from_u64(0xde_9e);
    let mut found = Measured::default();
    let mut run = || correlated(sites, correlation, &mut rng);
    for _ in 0..tests {
        let calibrated = calibrate(sites, runs, &mut run);
        let mut sums = [0.0; Tier::ALL.len()];
        for site in &calibrated.sites {
            let rates = TrueRates::of(&site.bound.sides[0], Settling::Replay, |x| normal.beyond(x));
            for (sum, tier) in sums.iter_mut().zip(Tier::ALL) {
                *sum += rates.get(tier);
            }
        }
        let budget = Confidence::DEFAULT.false_alarm_rate() * (1.0 + 1e-9);
        let exceeds = |tier: Tier| usize::from(sums[tier as usize] > tier.part() * budget);
        found.violations += exceeds(Tier::All);
        for (count, tier) in found.tiers.iter_mut().zip(Tier::ALL) {
            *count += exceeds(tier);
        }
        let guards: Vec<f64> = calibrated
            .sites
            .iter()
            .filter_map(|site| Some(site.bound.sides[0].guard.as_ref().ok()?.bound))
            .collect();
        let doubted = (0..FRESH).filter(|_| {
            let values = run();
            values
                .iter()
                .zip(&guards)
                .any(|(value, guard)| value > guard)
        });
        found.replays += doubted.count() as f64 / (FRESH * tests) as f64;
    }
    found
}

/// Standard normal values, any two of which have this correlation.
fn correlated(sites: usize, correlation: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let common: f64 = StandardNormal.sample(rng);
    let own = |_| {
        let own: f64 = StandardNormal.sample(rng);
        correlation.sqrt() * common + (1.0 - correlation).sqrt() * own
    };
    (0..sites).map(own).collect()
}

fn calibrate(sites: usize, runs: u32, run: &mut impl FnMut() -> Vec<f64>) -> Calibrated {
    let mut calibration = Calibration::new(CalibrationPlan {
        min_runs: runs,
        max_runs: runs,
        ..CalibrationPlan::default()
    });
    let ids: Vec<SiteId> = (0..sites)
        .map(|site| SiteId::new(format!("x{site:02}")))
        .collect();
    for index in 0..runs {
        let values = run();
        let hits: Vec<(&SiteId, SiteSpec, Extremes)> = ids
            .iter()
            .zip(values)
            .map(|(id, value)| (id, SiteSpec::new(Tail::Upper), Extremes::new(value)))
            .collect();
        calibration
            .push_folded(index, false, &hits)
            .expect("every run is like the first");
    }
    match calibration.step() {
        Ok(Step::Done(calibrated)) => calibrated,
        _ => panic!("no more runs are allowed"),
    }
}
