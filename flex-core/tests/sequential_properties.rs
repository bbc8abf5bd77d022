//! Claims about many runs, for whatever runs may show.
//!
//! Every test draws its cases from a fixed seed and stores no failures, so that the suite gives the same verdict each
//! time.
#![expect(
    clippy::unwrap_used,
    reason = "an input that cannot be made is a mistake in this file"
)]

#[path = "support/hostile.rs"]
mod hostile;

use flex_core::sequential::{
    Allowed, Claim, LawClaim, Learn, Levels, MeanClaim, NoWorseClaim, Observation, Outside,
    PairComparison, PairedBy, Process, RateClaim,
};
use flex_core::tail::{Domain, Side, Tail};
use hostile::hostile;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(20_261_118),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Claims with any numbers in them.
fn claims() -> impl Strategy<Value = Claim> {
    let any = || (hostile(), hostile(), hostile(), hostile(), 0..2u8, 0..8u8);
    any().prop_map(|(a, b, low, high, clipped, kind)| {
        let allowed = match kind % 3 {
            0 => Allowed::AtMost(a),
            1 => Allowed::AtLeast(a),
            _ => Allowed::Between(a, b),
        };
        let unit = Domain::new(0.0, 1.0).unwrap();
        match kind {
            0..=2 => Claim::Mean(MeanClaim {
                allowed,
                margin: b,
                domain: Domain::new(low, high).unwrap_or(unit),
                outside: [Outside::Refused, Outside::Clipped][usize::from(clipped)],
            }),
            3 => Claim::Rate(RateClaim { allowed, margin: b }),
            4 => Claim::Rate(RateClaim {
                allowed: Allowed::AtLeast(0.9),
                margin: 0.03,
            }),
            5 => Claim::NoWorse(NoWorseClaim {
                worse: Side::Upper,
                margin: if a.is_finite() { a } else { 0.0 },
                by: [PairedBy::SignedRanks, PairedBy::Signs][usize::from(clipped)],
            }),
            6 => Claim::Distributed(LawClaim::DEFAULT),
            _ => Claim::SameDistribution(LawClaim { margin: 0.2 }),
        }
    })
}

proptest! {
    #![proptest_config(config(2000))]

    /// No claim and no run makes it panic, and evidence is never NaN.
    #[test]
    fn nothing_panics(
        claim in claims(),
        runs in vec((vec(hostile(), 0..3), vec(hostile(), 0..3), any::<bool>()), 0..40),
        level in hostile(),
    ) {
        let Ok(mut process) = Process::new(&claim, Levels::new(1e-3)) else {
            return Ok(());
        };
        for (first, second, is_single) in &runs {
            let second = if *is_single { &[][..] } else { &second[..] };
            let before = (process.runs(), process.evidence());
            if process.push(Observation { first, second }).is_err() {
                prop_assert_eq!((process.runs(), process.evidence()), before);
            }
            let evidence = process.evidence();
            prop_assert!(!evidence.broken.is_nan() && !evidence.fine.is_nan(), "{:?}", evidence);
        }
        if let Some(estimate) = process.estimate(level.abs().clamp(1e-9, 0.5)) {
            prop_assert!(estimate.low <= estimate.high || estimate.value.is_nan(), "{:?}", estimate);
        }
        let _ = Process::new(&claim, Levels { broken: level, fine: level });
    }

    #[test]
    fn learning_never_panics_and_leads_to_claims_that_can_be_decided(
        values in vec(prop_oneof![4 => -1e3..1e3f64, 1 => hostile()], 0..60),
        tail in select(vec![Tail::Upper, Tail::Lower, Tail::Both]),
        margin in proptest::option::of(0.0..10.0f64),
    ) {
        let learn = Learn { margin, ..Learn::new(tail) };
        let yes = values.iter().map(|value| f64::from(u8::from(*value > 0.0)));
        let rate = Learn { is_rate: true, ..learn }.held(&yes.collect::<Vec<f64>>());
        for held in [learn.held(&values), rate].into_iter().flatten() {
            let process = Process::new(&Claim::Mean(held.claim), Levels::new(1e-4));
            prop_assert!(process.is_ok(), "{:?}: {:?}", held, process.err());
        }
    }

    /// Worse values are no less evidence of a mean that is too large, and no more that it is fine.
    #[test]
    fn evidence_about_a_mean_is_monotone(values in vec(0.0..0.8f64, 1..60), more in 0.0..0.2f64) {
        let claim = Claim::Mean(MeanClaim {
            allowed: Allowed::AtMost(0.4),
            margin: 0.05,
            domain: Domain::new(0.0, 1.0).unwrap(),
            outside: Outside::Refused,
        });
        let evidence = |more: f64| {
            let mut process = Process::new(&claim, Levels::new(1e-4)).unwrap();
            for value in &values {
                process.push(Observation::one(&(value + more))).unwrap();
            }
            (process.evidence(), process.estimate(0.05).unwrap())
        };
        let ((before, low), (after, high)) = (evidence(0.0), evidence(more));
        prop_assert!(after.broken >= before.broken - 1e-9);
        prop_assert!(after.fine <= before.fine + 1e-9);
        prop_assert!(low.low <= low.value && low.value <= low.high);
        prop_assert!(high.low >= low.low - 1e-5 && high.high >= low.high - 1e-5, "{:?} {:?}", low, high);
    }

    /// Evidence about a rate does not depend on the order of runs.
    #[test]
    fn the_order_of_outcomes_does_not_matter_for_a_rate(outcomes in vec(any::<bool>(), 1..80)) {
        let claim = Claim::Rate(RateClaim { allowed: Allowed::AtLeast(0.7), margin: 0.05 });
        let evidence = |outcomes: &mut dyn Iterator<Item = &bool>| {
            let mut process = Process::new(&claim, Levels::new(1e-9)).unwrap();
            for outcome in outcomes {
                process.push(Observation::one(&f64::from(u8::from(*outcome)))).unwrap();
            }
            process.evidence().broken
        };
        let (forward, back) = (evidence(&mut outcomes.iter()), evidence(&mut outcomes.iter().rev()));
        prop_assert!((forward - back).abs() < 1e-9);
    }

    /// Exchanging both things exchanges higher and lower; scales and shifts of both change nothing.
    #[test]
    fn a_comparison_is_symmetric(pairs in vec((-8..8i32, -8..8i32), 1..60)) {
        let compare = |map: &dyn Fn(f64, f64) -> (f64, f64)| {
            let mut comparison = PairComparison::new(1e-3, Some(0.5), 0.01).unwrap();
            for (first, second) in &pairs {
                let (first, second) = map(f64::from(*first), f64::from(*second));
                comparison.push(Observation::pair(&first, &second)).unwrap();
            }
            (comparison.ln_e_value(Side::Upper), comparison.ln_e_value(Side::Lower), comparison.equal_runs())
        };
        let (higher, lower, equal) = compare(&|a, b| (a, b));
        prop_assert_eq!(compare(&|a, b| (b, a)), (lower, higher, equal));
        prop_assert_eq!(compare(&|a, b| (4.0 * a + 1.0, 4.0 * b + 1.0)), (higher, lower, equal));
    }

    /// Ranks alone count for two samples: any growing function of all values changes nothing.
    #[test]
    fn two_samples_are_compared_by_ranks(pairs in vec((-50..50i32, -50..50i32), 1..60)) {
        let evidence = |map: &dyn Fn(f64) -> f64| {
            let claim = Claim::SameDistribution(LawClaim::DEFAULT);
            let mut process = Process::new(&claim, Levels::new(1e-4)).unwrap();
            for (first, second) in &pairs {
                let (first, second) = (map(f64::from(*first)), map(f64::from(*second)));
                process.push(Observation::pair(&first, &second)).unwrap();
            }
            process.evidence()
        };
        prop_assert_eq!(evidence(&|x| x), evidence(&|x| (x / 10.0).exp()));
    }
}
