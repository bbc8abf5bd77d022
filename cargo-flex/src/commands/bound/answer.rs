//! The answer as JSON. Bounds are exact; `rounded` holds them as a bounds file would.

use flex_bounds::round::outward;
use flex_core::bound::SideBound;
use flex_core::bound::power::Power;
use flex_core::tail::Tail;
use serde::Serialize;

use super::inquiry::SampledBound;

/// One JSON object. A two-sided question has its tiers under `lower` and `upper`, any other at the top.
#[derive(Debug, Serialize)]
pub struct BoundAnswer {
    samples: usize,
    median: Option<f64>,
    /// The step of the lattice that all samples lie on, such as 1 for counts.
    lattice_step: Option<f64>,
    tail: &'static str,
    confidence: f64,
    strategy: &'static str,
    #[serde(flatten)]
    sides: Sides,
    reason: Option<String>,
    /// Expected extra runs per run of unchanged code: replays, or reruns.
    extra_runs: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    declared: Option<Declared>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Sides {
    One(Box<Tiers>),
    Both {
        lower: Box<Tiers>,
        upper: Box<Tiers>,
    },
}

#[derive(Debug, Serialize)]
struct Tiers {
    ceiling: Option<f64>,
    guard: Option<Guard>,
    fit: Option<Fit>,
    /// What a run catches; null without a guard, or if nothing varies.
    power: Option<Caught>,
    rounded: Rounded,
}

#[derive(Debug, Serialize)]
struct Guard {
    bound: f64,
    race: Race,
    strays: Option<Race>,
}

/// A race: a value adds the score of its cell, and the sum decides.
#[derive(Debug, Serialize)]
struct Race {
    cuts: Vec<f64>,
    above: Vec<u32>,
    scores: Vec<i32>,
    clear: i32,
    fail: i32,
    most: u32,
}

/// The probability that a run fails after its values moved by one, two and three times the shift.
#[derive(Debug, Serialize)]
struct Caught {
    shift: f64,
    caught: [f64; 3],
}

#[derive(Debug, Serialize)]
struct Fit {
    threshold: f64,
    scale: f64,
    shape: f64,
    exceedances: usize,
}

#[derive(Debug, Serialize)]
struct Rounded {
    ceiling: Option<f64>,
    guard: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Declared {
    bound: f64,
    failures: usize,
    rate: f64,
    interval: (f64, f64),
    /// Beyond the data: the rate that the fitted tail suggests, and its upper limit.
    from_tail: Option<(f64, f64)>,
}

impl BoundAnswer {
    pub fn new(learned: &SampledBound) -> Self {
        let (bound, question) = (&learned.bound, &learned.inquiry.question);
        let tiers = |side| Box::new(Tiers::new(learned, side));
        let sides = match bound.sides.as_slice() {
            [lower, upper] => Sides::Both {
                lower: tiers(lower),
                upper: tiers(upper),
            },
            one => Sides::One(tiers(&one[0])),
        };
        BoundAnswer {
            samples: bound.samples,
            median: Some(bound.median).filter(|median| median.is_finite()),
            lattice_step: bound.sides[0].lattice_step,
            tail: Tail::as_str(question.tail),
            confidence: question.share.confidence.value(),
            strategy: bound.strategy().as_str(),
            sides,
            reason: bound.reason(),
            extra_runs: bound.extra_runs(),
            declared: learned.declared().map(|(bound, rate)| Declared {
                bound,
                failures: rate.failures,
                rate: rate.failures as f64 / rate.samples.max(1) as f64,
                interval: rate.interval,
                from_tail: rate.from_tail.map(|tail| (tail.estimate, tail.upper_limit)),
            }),
        }
    }
}

impl Tiers {
    fn new(learned: &SampledBound, side: &SideBound) -> Self {
        let round = |bound| rounded(learned, side, bound);
        let guard = side.guard.as_ref().ok();
        let ceiling = side.ceiling.as_ref().ok();
        Tiers {
            ceiling: ceiling.map(|ceiling| ceiling.bound),
            guard: guard.map(|guard| Guard {
                bound: guard.bound,
                race: Race::new(&guard.race),
                strays: guard.strays.as_ref().map(Race::new),
            }),
            fit: ceiling.and_then(|ceiling| ceiling.fit).map(|fit| Fit {
                threshold: fit.threshold,
                scale: fit.excess.scale(),
                shape: fit.excess.shape(),
                exceedances: fit.exceedances,
            }),
            power: Power::of(side, &learned.samples, 0.0).map(|power| Caught {
                shift: power.shift,
                caught: power.caught,
            }),
            rounded: Rounded {
                ceiling: ceiling.map(|ceiling| round(ceiling.bound)),
                guard: guard.map(|guard| round(guard.bound)),
            },
        }
    }
}

impl Race {
    fn new(race: &flex_core::bound::race::Race) -> Self {
        Race {
            cuts: race.cuts().iter().map(|cut| cut.value).collect(),
            above: race.cuts().iter().map(|cut| cut.above).collect(),
            scores: race.scores().to_vec(),
            clear: race.clear(),
            fail: race.fail(),
            most: race.most_reruns(),
        }
    }
}

/// A bound as a bounds file holds it.
pub fn rounded(learned: &SampledBound, side: &SideBound, bound: f64) -> f64 {
    outward(
        side.side,
        bound,
        side.median,
        side.lattice_step,
        learned.inquiry.question.domain,
    )
}
