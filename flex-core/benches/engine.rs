//! The engine's speed: a complete bound, the guard alone, maximum likelihood, the published method, claims about many
//! runs.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use flex_core::bound::confidence::Confidence;
use flex_core::bound::{LearnedBound, Question};
use flex_core::published::gpd_fit::GpdFit;
use flex_core::published::{PValuesBy, Published, PublishedQuestion, ThresholdRule};
use flex_core::sample::Samples;
use flex_core::sequential::{
    Allowed, Claim, LawClaim, Levels, MeanClaim, NoWorseClaim, Observation, Outside, PairedBy,
    Process, RateClaim,
};
use flex_core::tail::{Domain, Side, Tail};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp1, StandardNormal};

fn normal(n: usize) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    (0..n).map(|_| StandardNormal.sample(&mut rng)).collect()
}

fn exponential(n: usize) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    (0..n).map(|_| Exp1.sample(&mut rng)).collect()
}

/// From unordered values to guard and ceiling, with the tail fitted (C = 0.9999).
fn complete_bound(c: &mut Criterion) {
    let question = Question::new(Tail::Upper, Confidence::DEFAULT);
    let mut group = c.benchmark_group("complete_bound");
    for n in [100, 1000, 3000] {
        let values = normal(n);
        group.bench_with_input(BenchmarkId::from_parameter(n), &values, |b, values| {
            b.iter(|| LearnedBound::learn(&Samples::from_values(black_box(values)), &question));
        });
    }
    group.finish();
}

/// What the guard costs once the samples are ordered: turning them, grouping their ties, laying out races. A single NaN
/// stops the ceiling before its tail is fitted.
fn guard(c: &mut Criterion) {
    let mut values = normal(1000);
    values[0] = f64::NAN;
    let samples = Samples::from_values(&values);
    let question = Question::new(Tail::Upper, Confidence::DEFAULT);
    let bound = LearnedBound::learn(&samples, &question);
    assert!(bound.sides[0].guard.is_ok() && bound.sides[0].ceiling.is_err());
    c.benchmark_group("guard").bench_function("1000", |b| {
        b.iter(|| LearnedBound::learn(black_box(&samples), &question));
    });
}

fn maximum_likelihood(c: &mut Criterion) {
    let excesses = exponential(100);
    c.benchmark_group("maximum_likelihood")
        .bench_function("100", |b| {
            b.iter(|| GpdFit::maximum_likelihood(black_box(&excesses)));
        });
}

/// From unordered values to the published method's decision: mixed signs, and a heavy tail that is transformed.
fn published(c: &mut Criterion) {
    let question = PublishedQuestion {
        side: Side::Upper,
        confidence: Confidence::DEFAULT,
        domain: None,
        declared: None,
        rule: ThresholdRule::default(),
    };
    let heavy = exponential(1000).iter().map(|x| x.exp()).collect();
    let mut group = c.benchmark_group("published");
    for (name, values) in [("normal", normal(1000)), ("pareto", heavy)] {
        group.bench_with_input(name, &values, |b, values| {
            b.iter(|| {
                let samples = Samples::from_values(black_box(values));
                Published::learn(&samples, &question, PValuesBy::Table)
            });
        });
    }
    group.finish();
}

/// Steps of claims that hold, so that none ends early.
fn sequential(c: &mut Criterion) {
    let unit = |n| -> Vec<f64> { normal(n).iter().map(|x| 1.0 / (1.0 + x.exp())).collect() };
    let coins: Vec<f64> = normal(1000).iter().map(|x| f64::from(*x < 1.0)).collect();
    let rate = RateClaim {
        allowed: Allowed::AtLeast(0.8),
        margin: 0.03,
    };
    let mean = MeanClaim {
        allowed: Allowed::AtMost(0.5),
        margin: 0.01,
        domain: Domain::new(0.0, 1.0).expect("an interval"),
        outside: Outside::Refused,
    };
    let no_worse = NoWorseClaim {
        worse: Side::Upper,
        margin: 0.0,
        by: PairedBy::SignedRanks,
    };
    let law = LawClaim::DEFAULT;
    let cases = [
        ("mean", Claim::Mean(mean), unit(1000), None),
        ("rate", Claim::Rate(rate), coins, None),
        ("no_worse", Claim::NoWorse(no_worse), normal(2000), Some(1)),
        ("same", Claim::SameDistribution(law), normal(2000), Some(1)),
        ("distributed", Claim::Distributed(law), unit(1000), Some(0)),
    ];
    let mut group = c.benchmark_group("sequential");
    for (name, claim, values, second) in cases {
        group.bench_function(name, |b| {
            b.iter(|| {
                let mut process = Process::new(&claim, Levels::new(1e-4)).expect("a claim");
                for (index, first) in values.iter().enumerate() {
                    let second = second.map(|next| values[(index + next) % values.len()]);
                    let run = Observation {
                        first: std::slice::from_ref(first),
                        second: second.as_slice(),
                    };
                    process.push(black_box(run)).expect("values of the claim");
                }
                process.evidence()
            });
        });
    }
    group.finish();
}

criterion_group!(
    benches,
    complete_bound,
    guard,
    maximum_likelihood,
    published,
    sequential
);
criterion_main!(benches);
