//! What a process promises, whatever it is about.

use super::*;
use crate::tail::Side;

fn rate(bound: f64) -> Claim {
    Claim::Rate(RateClaim {
        allowed: Allowed::AtLeast(bound),
        margin: 0.03,
    })
}

fn no_worse(margin: f64) -> Claim {
    Claim::NoWorse(NoWorseClaim {
        worse: Side::Upper,
        margin,
        by: PairedBy::SignedRanks,
    })
}

fn mean(allowed: Allowed, domain: &str) -> Claim {
    Claim::Mean(MeanClaim {
        allowed,
        margin: 0.02,
        domain: domain.parse().unwrap(),
        outside: Outside::Refused,
    })
}

/// Makes runs until it is decided, 10,000 at most; what a run shows is a function of its number.
fn decide(claim: &Claim, show: impl Fn(u64) -> Vec<f64>) -> (Decision, u64) {
    let mut process = Process::new(claim, Levels::new(1e-4)).unwrap();
    while process.decision() == Decision::Undecided && process.runs() < 10_000 {
        let shown = show(process.runs());
        let second = if shown.len() > 1 { &shown[1..] } else { &[] };
        let run = Observation {
            first: &shown[..1],
            second,
        };
        process.push(run).unwrap();
    }
    (process.decision(), process.runs())
}

#[test]
fn every_family_finds_what_is_broken_and_what_is_fine() {
    let wave = |run: u64| ((run + 1) as f64 * 0.618_033_988_749_895).fract();
    let law = LawClaim::DEFAULT;
    let broken = [
        (
            rate(0.95),
            Box::new(|_| vec![0.0]) as Box<dyn Fn(u64) -> Vec<f64>>,
        ),
        (
            mean(Allowed::AtMost(0.1), "0..1"),
            Box::new(move |run| vec![wave(run)]),
        ),
        (
            mean(Allowed::Between(-0.1, 0.1), "-1..1"),
            Box::new(move |run| vec![-wave(run)]),
        ),
        (no_worse(0.0), Box::new(move |run| vec![wave(run), 0.1])),
        (
            Claim::Distributed(law),
            Box::new(move |run| vec![wave(run).powi(2); 2]),
        ),
        (
            Claim::SameDistribution(law),
            Box::new(move |run| vec![wave(run).powi(3), wave(run)]),
        ),
    ];
    for (claim, show) in &broken {
        let (decision, runs) = decide(claim, show);
        assert_eq!(decision, Decision::Broken, "{claim:?} {runs}");
        assert!(runs < 300, "{claim:?} {runs}");
    }
    let fine = [
        (
            rate(0.9),
            Box::new(|_| vec![1.0]) as Box<dyn Fn(u64) -> Vec<f64>>,
        ),
        (
            mean(Allowed::AtMost(0.6), "0..1"),
            Box::new(move |run| vec![wave(run)]),
        ),
        (
            mean(Allowed::Between(-0.1, 0.1), "-1..1"),
            Box::new(move |run| vec![wave(run) - 0.5]),
        ),
        (
            no_worse(0.3),
            Box::new(move |run| vec![wave(run), wave(run + 1)]),
        ),
        (
            Claim::Distributed(law),
            Box::new(move |run| vec![wave(run); 2]),
        ),
        (
            Claim::SameDistribution(law),
            Box::new(move |run| vec![wave(run), wave(run + 7)]),
        ),
    ];
    for (claim, show) in &fine {
        let (decision, runs) = decide(claim, show);
        assert_eq!(decision, Decision::Fine, "{claim:?} {runs}");
    }
}

#[test]
fn a_refused_run_changes_nothing() {
    let claim = mean(Allowed::AtMost(0.5), "0..1");
    let mut process = Process::new(&claim, Levels::new(1e-4)).unwrap();
    process.push(Observation::one(&0.7)).unwrap();
    let before = process.evidence();
    let domain = "0..1".parse().unwrap();
    let refused = [
        (vec![1.5], Refusal::Outside { value: 1.5, domain }),
        (vec![0.5, f64::NAN], Refusal::NotANumber),
        (
            vec![],
            Refusal::Count {
                first: 0,
                second: 0,
            },
        ),
    ];
    for (values, refusal) in refused {
        assert_eq!(process.push(Observation::cluster(&values)), Err(refusal));
    }
    assert_eq!((process.evidence(), process.runs()), (before, 1));
}

#[test]
fn claims_that_no_run_could_decide_are_refused() {
    let check = |claim: &Claim, words: &str| {
        let error = Process::new(claim, Levels::new(1e-4)).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    };
    check(&mean(Allowed::AtMost(1.5), "0..1"), "does not lie inside");
    check(&mean(Allowed::AtMost(0.99), "0..1"), "does not lie inside");
    check(&mean(Allowed::AtMost(0.5), "..1"), "a lower limit");
    check(
        &mean(Allowed::Between(0.5, 0.4), "0..1"),
        "nothing lies between",
    );
    check(&mean(Allowed::AtLeast(f64::NAN), "0..1"), "is not a bound");
    check(&rate(1.0), "does not lie inside");
    check(&no_worse(f64::INFINITY), "is not a margin");
    check(
        &Claim::Distributed(LawClaim { margin: 1.0 }),
        "is not a distance",
    );
    let error = Process::new(&rate(0.9), Levels::new(0.0)).unwrap_err();
    assert!(error.to_string().contains("strictly between 0 and 1"));
}

#[test]
fn half_a_domain_is_enough_to_find_a_mean_too_large() {
    let claim = mean(Allowed::AtMost(0.5), "0..");
    let (decision, _) = decide(&claim, |run| vec![if run % 10 == 0 { 20.0 } else { 0.0 }]);
    assert_eq!(decision, Decision::Broken);
    // And not enough to find it fine.
    let (decision, _) = decide(&claim, |_| vec![0.1]);
    assert_eq!(decision, Decision::Undecided);
}

/// The evidence after these values, each shown by one run.
fn evidence_of(claim: &Claim, runs: &[(f64, Option<f64>)]) -> f64 {
    let mut process = Process::new(claim, Levels::new(1e-4)).unwrap();
    for (first, second) in runs {
        let run = Observation {
            first: std::slice::from_ref(first),
            second: second.as_slice(),
        };
        process.push(run).unwrap();
    }
    process.evidence().broken
}

#[test]
fn evidence_agrees_with_numpy() {
    // The formulas of docs/design/sequential.md in NumPy, with f = 0.72**i and w = (i + 1.5)**-1.2, w[0] = 1.1, normalised:
    // log((w * prod(1 + outer(x/t - 1, f), axis=0)).sum()); for pairs, scipy.stats.rankdata of the sizes so far and
    // scipy.stats.norm.ppf((1 + (rank - 0.5)/n)/2) in tanh.
    let runs = |values: &[f64]| values.iter().map(|x| (*x, None)).collect::<Vec<_>>();
    let values = [0.31, 0.62, 0.45, 0.12, 0.88, 0.93, 0.27, 0.71];
    let pairs: Vec<_> = [1.2, -0.4, 0.9, 0.0, 2.1, -0.4, 0.3]
        .iter()
        .map(|d| (*d, Some(0.0)))
        .collect();
    for (claim, runs, expected) in [
        (
            mean(Allowed::AtMost(0.3), "0..1"),
            runs(&values),
            2.5837191877569086,
        ),
        (
            rate(0.9),
            runs(&[1.0, 0.0, 1.0, 1.0, 0.0]),
            0.4208934016866628,
        ),
        (no_worse(0.0), pairs, 0.48153689469515265),
    ] {
        let got = evidence_of(&claim, &runs);
        assert!((got - expected).abs() < 1e-9, "{claim:?}: {got} {expected}");
    }
}
