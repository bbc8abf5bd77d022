//! Bounds files with whatever may be in them.

use flex_bounds::TestId;
use flex_bounds::file::{
    Bounds, BoundsFile, Entry, Fit, GuardBound, HeldBound, Key, Learned, QUANTILES, Reached,
    Replay, ReplayedRun, Sides,
};
use flex_core::bound::confidence::Confidence;
use flex_core::bound::race::{Cut, Race};
use flex_core::calibration::SiteId;
use flex_core::sample::Extremes;
use flex_core::tail::{Domain, Side};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

/// Cases from a fixed seed.
pub fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(20_261_116),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Floats of every size: ordinary, short, subnormal, huge, zero.
pub fn finite() -> impl Strategy<Value = f64> {
    use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    prop_oneof![
        NORMAL | SUBNORMAL | ZERO | POSITIVE | NEGATIVE,
        -1e3..1e3,
        (-999_i32..999, -320_i32..300)
            .prop_map(|(digits, exponent)| { format!("{digits}e{exponent}").parse().unwrap() }),
    ]
}

/// A text, mostly of characters that mean something to TOML.
pub fn any_text() -> impl Strategy<Value = String> {
    let awkward = "\"'#\\\n\r\t\u{0}\u{1b}\u{7f}\u{85}\u{2028}\u{feff}<=>|[]{},. ü漢😀abcxyz";
    let awkward = select(awkward.chars().collect::<Vec<_>>());
    vec(prop_oneof![2 => awkward, 1 => any::<char>()], 0..20)
        .prop_map(|characters| characters.into_iter().collect())
}

fn any_name() -> impl Strategy<Value = String> {
    any_text().prop_map(|text| {
        if text.is_empty() {
            "_".to_owned()
        } else {
            text
        }
    })
}

fn any_key() -> impl Strategy<Value = Key> {
    (
        option::of(any_text()),
        any_name(),
        any_name(),
        option::of(any_text()),
        option::of(any_text()),
    )
        .prop_map(|(target, test, site, case, variant)| Key {
            test: match target {
                Some(target) => TestId::cargo(target, test),
                None => TestId::pytest(test),
            },
            site: SiteId::of_label(&site).with_case(case),
            variant,
        })
}

fn any_fit() -> impl Strategy<Value = Fit> {
    (finite(), finite(), finite(), any::<u32>()).prop_map(
        |(threshold, scale, shape, exceedances)| Fit {
            threshold,
            scale: if scale == 0.0 { 1.0 } else { scale.abs() },
            shape,
            exceedances,
        },
    )
}

/// A race whose cuts go outward, with strays at its last cut or without.
fn any_guard(side: Side, bound: f64) -> impl Strategy<Value = GuardBound> {
    let cuts = vec((finite(), 1..1000_u32, 0..40_i32), 1..10);
    let ends = (-100..0_i32, 1..1000_i32, 1..200_u32);
    (cuts, ends, any::<bool>()).prop_map(move |(cuts, (clear, fail, most), has_strays)| {
        let mut values: Vec<f64> = cuts.iter().map(|(value, ..)| side.orient(*value)).collect();
        values.sort_by(f64::total_cmp);
        let (mut above, mut score) = (0, -50);
        let mut placed: Vec<Cut> = Vec::new();
        let mut scores = vec![score];
        for (value, (_, more, rise)) in values.iter().rev().zip(&cuts) {
            placed.push(Cut {
                value: side.orient(*value),
                above,
            });
            above += more;
            score += rise;
            scores.push(score);
        }
        placed.reverse();
        let last = placed[placed.len() - 1];
        let strays = Race::new(vec![last], vec![-3, 20], (0, fail), most).unwrap();
        GuardBound {
            bound,
            race: Race::new(placed, scores, (clear, fail), most).unwrap(),
            strays: has_strays.then_some(strays),
        }
    })
}

fn any_replay() -> impl Strategy<Value = Replay> {
    let shown = option::of((finite(), finite())).prop_map(|values| {
        values.map(|(a, b)| Extremes {
            least: a.min(b) + 0.0,
            greatest: a.max(b) + 0.0,
        })
    });
    let runs = proptest::collection::btree_map(any::<u32>(), shown, 1..4);
    (any_text(), any::<bool>(), runs).prop_map(|(base, always, runs)| Replay {
        base,
        always,
        runs: runs
            .into_iter()
            .map(|(run, shown)| ReplayedRun { run, shown })
            .collect(),
    })
}

fn any_learned(side: Side) -> impl Strategy<Value = Learned> {
    let numbers = (finite(), finite()).prop_flat_map(move |(a, b)| {
        let (bound, ceiling) = if side.is_beyond(a, b) { (b, a) } else { (a, b) };
        (any_guard(side, bound), Just(ceiling))
    });
    (
        0..7,
        numbers,
        option::of(any_fit()),
        any::<bool>(),
        any_text(),
    )
        .prop_map(move |(strategy, (guard, ceiling), fit, both, reason)| {
            let bounds = Bounds {
                ceiling,
                guard: both.then(|| guard.clone()),
                fit,
            };
            match strategy {
                0 => Learned::Tail(bounds),
                1 => Learned::Order(bounds),
                2 => Learned::Empirical(bounds),
                3 => Learned::Guard {
                    guard,
                    fit,
                    reason: both.then_some(reason),
                },
                4 => Learned::Rerun,
                5 => Learned::Keep,
                _ => Learned::Refuse {
                    reason: format!("because {reason}"),
                },
            }
        })
}

/// What holds a mean or a rate, on one side or on both.
fn any_held() -> impl Strategy<Value = Sides> {
    let numbers = vec(finite(), 4).prop_map(|mut numbers| {
        numbers.sort_by(f64::total_cmp);
        // -0.0 reads back as 0.0.
        numbers
            .into_iter()
            .map(|number| number + 0.0)
            .collect::<Vec<f64>>()
    });
    let numbers = numbers.prop_filter("limits, and bounds between them", |numbers| {
        numbers.is_sorted_by(|a, b| a < b)
    });
    let means = (numbers, 0.0..9.0, finite(), 0..3).prop_map(|(numbers, margin, mean, tail)| {
        let held = |bound: f64| {
            Learned::Mean(HeldBound {
                bound,
                margin,
                mean,
                limits: Domain::new(numbers[0], numbers[3]).ok(),
            })
        };
        match tail {
            0 => Sides::Upper(held(numbers[1])),
            1 => Sides::Lower(held(numbers[1])),
            _ => Sides::Both {
                lower: held(numbers[1]).into(),
                upper: held(numbers[2]).into(),
            },
        }
    });
    let rates = (0.001..0.999, 0.0..0.5, 0.0..1.0).prop_map(|(bound, margin, mean)| {
        Sides::Lower(Learned::Rate(HeldBound {
            bound,
            margin,
            mean,
            limits: None,
        }))
    });
    prop_oneof![means, rates]
}

fn any_sides() -> impl Strategy<Value = Sides> {
    prop_oneof![
        any_held(),
        any_learned(Side::Upper).prop_map(Sides::Upper),
        any_learned(Side::Lower).prop_map(Sides::Lower),
        (any_learned(Side::Lower), any_learned(Side::Upper)).prop_map(|(lower, upper)| {
            Sides::Both {
                lower: Box::new(lower),
                upper: Box::new(upper),
            }
        }),
    ]
}

/// A domain that holds all bounds, closed or open at each end.
fn domain_around(sides: &Sides, (below, above): (bool, bool)) -> Option<Domain> {
    let bounds: Vec<f64> = sides
        .iter()
        .flat_map(|(_, learned)| {
            let guard = learned.guard().map(|guard| guard.bound);
            [
                learned.ceiling(),
                guard,
                learned.held().map(|held| held.bound),
            ]
        })
        .flatten()
        .collect();
    let lowest = bounds.iter().copied().fold(0.0, f64::min);
    let highest = bounds.iter().copied().fold(1.0, f64::max);
    let lower = if below { lowest } else { f64::NEG_INFINITY };
    let upper = if above { highest } else { f64::INFINITY };
    Domain::new(lower, upper).ok()
}

/// An entry with whatever may be in one.
pub fn any_entry() -> impl Strategy<Value = Entry> {
    let confidence = (1e-9..1.0_f64).prop_map(|value| Confidence::new(value).unwrap());
    let quantiles = proptest::array::uniform17(finite()).prop_map(|mut quantiles| {
        quantiles.sort_by(f64::total_cmp);
        quantiles
    });
    let date = (1..=9999, 1..=12, 1..=28).prop_map(|(y, m, d)| format!("{y:04}-{m:02}-{d:02}"));
    let reached = select(vec![Reached::Always, Reached::Sometimes]);
    (
        (
            any_key(),
            confidence,
            any_sides(),
            option::of(any::<(bool, bool)>()),
        ),
        (any::<u32>(), 0..3_u32, option::of(quantiles), reached),
        (
            any::<bool>(),
            option::of(any::<bool>()),
            option::of(0.0..9.0),
            option::of(any_replay()),
        ),
        (
            option::of(any_text()),
            option::of(date),
            option::of(any_text()),
            option::of(any_text()),
            option::of("[0-9a-f]{7}[1-9a-f]"),
        ),
    )
        .prop_map(
            |(
                (key, confidence, sides, domain),
                (samples, not_finite, quantiles, reached),
                (light, accept, effort, replay),
                (fingerprint, calibrated, base, engine, checksum),
            )| Entry {
                key,
                confidence,
                domain: domain.and_then(|ends| domain_around(&sides, ends)),
                light,
                sides,
                samples,
                not_finite: not_finite.min(samples),
                earlier: not_finite,
                quantiles: quantiles as Option<[f64; QUANTILES]>,
                reached,
                effort,
                replay,
                fingerprint,
                calibrated,
                base,
                engine,
                checksum: checksum.map(|checksum| checksum.parse().unwrap()),
                unenforced: accept == Some(true),
                accepted: accept == Some(false),
            },
        )
}

/// A few entries.
pub fn any_file_of(entry: impl Strategy<Value = Entry>) -> impl Strategy<Value = BoundsFile> {
    vec(entry, 0..6).prop_map(|entries| {
        let mut file = BoundsFile::default();
        for entry in entries {
            file.insert(entry).unwrap();
        }
        file
    })
}
