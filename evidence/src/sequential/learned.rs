//! Means and rates that are learned: how often a bound lies on the wrong side of the truth, and what is then held.

use std::fmt::Write;

use flex_core::sequential::{Allowed, Claim, Decision, Learn, Levels, Observation, Process};
use flex_core::tail::Tail;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use statrs::distribution::{Binomial, Discrete};

use crate::distribution::{self, Distribution, TailKind};
use crate::page::{Bar, Section, Size};
use crate::parallel::in_parallel;

/// Runs of a calibration.
const RUNS: usize = 100;

const NAMES: [&str; 16] = [
    "normal",
    "uniform",
    "logistic",
    "Laplace",
    "Gumbel",
    "gamma 5",
    "half normal",
    "Weibull 2",
    "beta 2, 5",
    "beta 0.5, 0.5",
    "Poisson 4",
    "binomial 20, 0.1",
    "geometric 0.3",
    "exponential",
    "lognormal 1",
    "Pareto 3",
];

/// What became of many calibrations of one law.
struct Learned {
    /// The share whose bound is below the true mean.
    wrong: f64,
    /// The mean distance of the bound from the true mean, in standard deviations.
    distance: f64,
    /// The share of tests of unchanged code that are called broken, at α = 10⁻².
    alarms: f64,
    /// Mean runs until unchanged code is called fine, and code that is worse by a standard deviation broken.
    fine: f64,
    broken: f64,
}

pub fn section(size: Size) -> Section {
    let calibrations = size.of(20_000);
    let mut text = format!(
        "`mean < _`, learned from {RUNS} runs without a domain, {calibrations} calibrations of each law. *Wrong*: the true mean is beyond the
bound; the assurance of 0.99 allows a hundredth. *Alarms*: unchanged code is called broken at α = 10⁻², over tests of 300
runs. The last columns are runs until unchanged code is fine, and until code that is worse by 1 sd is broken at 10⁻⁴.

| law | tail | wrong | bound is beyond by | alarms | fine after | +1 sd after |
|---|---|---|---|---|---|---|
"
    );
    let laws = distribution::named(&NAMES);
    let learned = in_parallel(&laws, |law| learn(law, calibrations, size.of(1000)));
    let (mut worst, mut alarms) = (0f64, 0f64);
    for (law, learned) in laws.iter().zip(learned) {
        if law.tail != TailKind::Heavy {
            worst = worst.max(learned.wrong);
            alarms = alarms.max(learned.alarms);
        }
        let _ = writeln!(
            text,
            "| {} | {} | {:.4} | {:.2} sd | {:.4} | {:.0} | {:.0} |",
            law.name,
            law.tail.as_str(),
            learned.wrong,
            learned.distance,
            learned.alarms,
            learned.fine,
            learned.broken
        );
    }
    text += "
Heavy tails are shown and have no bar: there the assumption fails that nothing of the mean lies beyond half the range of
the calibration.

";
    let rate = worst_rate();
    let bars = [
        Bar {
            what: "largest share of wrong means, tails not heavy".to_owned(),
            measured: format!("{worst:.4}"),
            bar: "≤ 0.01".to_owned(),
            kept: worst <= 0.01,
        },
        Bar {
            what: "largest share of false alarms at α = 0.01, tails not heavy".to_owned(),
            measured: format!("{alarms:.4}"),
            bar: "≤ 0.01".to_owned(),
            kept: alarms <= 0.01,
        },
        Bar {
            what: "largest exact probability of a wrong rate, of 30 to 1000 runs".to_owned(),
            measured: format!("{rate:.5}"),
            bar: "≤ 0.01".to_owned(),
            kept: rate <= 0.01 + 1e-9,
        },
    ];
    Section::with_bars(text, &bars)
}

fn learn(law: &Distribution, calibrations: usize, tests: usize) -> Learned {
    let mut rng = ChaCha8Rng::seed_from_u64(31);
    const MANY: usize = 4_000_000;
    let truth = (0..MANY).map(|_| law.draw(&mut rng)).sum::<f64>() / MANY as f64;
    let sd = law.standard_deviation();
    let learn = Learn::new(Tail::Upper);
    let mut learned = Learned {
        wrong: 0.0,
        distance: 0.0,
        alarms: 0.0,
        fine: 0.0,
        broken: 0.0,
    };
    for calibration in 0..calibrations {
        let values: Vec<f64> = (0..RUNS).map(|_| law.draw(&mut rng)).collect();
        let claim = learn.mean(&values).expect("values that vary");
        let Allowed::AtMost(bound) = claim.allowed else {
            continue;
        };
        learned.wrong += f64::from(u8::from(bound < truth)) / calibrations as f64;
        learned.distance += (bound - truth) / sd / calibrations as f64;
        if calibration < tests {
            let each = 1.0 / tests as f64;
            let claim = Claim::Mean(claim);
            let (alarm, fine) = unchanged(&claim, || law.draw(&mut rng));
            learned.alarms += each * f64::from(u8::from(alarm));
            learned.fine += each * fine;
            learned.broken += each * until(&claim, Decision::Broken, || law.draw(&mut rng) + sd);
        }
    }
    learned
}

/// Whether the evidence against a claim ever reaches 100 in 300 runs, and the runs after which it is fine.
fn unchanged(claim: &Claim, mut draw: impl FnMut() -> f64) -> (bool, f64) {
    let levels = Levels {
        broken: 0.01,
        fine: 0.01,
    };
    let mut process = Process::new(claim, levels).expect("a learned claim");
    let (mut alarm, mut fine) = (false, 300.0);
    for run in 1..=300 {
        process
            .push(Observation::one(&draw()))
            .expect("values are clipped");
        let evidence = process.evidence();
        alarm |= evidence.broken >= -0.01f64.ln();
        if evidence.fine >= -0.01f64.ln() {
            fine = f64::min(fine, f64::from(run));
        }
    }
    (alarm, fine)
}

fn until(claim: &Claim, decision: Decision, mut draw: impl FnMut() -> f64) -> f64 {
    let mut process = Process::new(
        claim,
        Levels {
            broken: 1e-4,
            fine: 1e-6,
        },
    )
    .expect("a learned claim");
    while process.decision() != decision && process.runs() < 10_000 {
        process
            .push(Observation::one(&draw()))
            .expect("values are clipped");
    }
    process.runs() as f64
}

/// The largest probability, over true rates, that a learned rate lies above the true one: summed over all counts.
fn worst_rate() -> f64 {
    let learn = Learn::new(Tail::Lower);
    let mut worst = 0f64;
    for runs in [30, 100, 300, 1000] {
        let bounds: Vec<f64> = (0..=runs)
            .map(
                |yes| match learn.rate(yes, runs).map(|claim| claim.allowed) {
                    Ok(Allowed::AtLeast(bound)) => bound,
                    _ => 0.0,
                },
            )
            .collect();
        for step in 1..200 {
            let rate = f64::from(step) / 200.0;
            let law = Binomial::new(rate, runs).expect("a rate");
            let wrong = (0..=runs).zip(&bounds).filter(|(_, bound)| **bound > rate);
            worst = worst.max(wrong.map(|(yes, _)| law.pmf(yes)).sum());
        }
    }
    worst
}
