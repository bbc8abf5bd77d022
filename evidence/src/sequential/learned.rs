//! Means and rates that are learned: how often a bound lies on the wrong side of the truth, and what is then held.

use std::fmt::Write;

use flex_core::calibration::{About, Calibration, CalibrationPlan, Run, SiteSpec, Step};
use flex_core::sequential::{Allowed, Claim, Decision, Held, Levels, Observation, Process};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::holding::{Holding, ValueKind, holdings};
use crate::page::{Bar, Section, Size};
use crate::parallel::in_parallel;

/// Tests that each calibration is followed by.
const TESTS: usize = 5;

/// Runs of such a test, which goes on when it was called fine.
const RUNS: usize = 300;

/// What became of many calibrations of one law.
#[derive(Default)]
struct Learned {
    /// The mean number of runs that they took.
    runs: f64,
    /// The share whose bound is on the wrong side of the true mean.
    wrong: f64,
    /// The mean distance of the bound from the true mean, in standard deviations.
    distance: f64,
    /// The shares of tests of unchanged code that are called broken, at 10⁻² and 10⁻³.
    alarms: [f64; 2],
    /// The share of tests that call code fine whose mean is beyond the bound by the margin.
    wrongly_fine: f64,
    /// Mean runs until unchanged code is called fine, and code that is worse by a standard deviation broken.
    fine: f64,
    broken: f64,
}

pub fn section(size: Size) -> Section {
    let calibrations = size.of(20_000);
    let tests = calibrations * TESTS;
    let mut text = format!(
        "`mean < _` and `rate > _`, learned as `calibrate` learns them: from 100 runs and more, until the bound is nearer to the mean than
the margin, a quarter of a standard deviation. {calibrations} calibrations of each law, and {TESTS} tests of unchanged code after each,
of {RUNS} runs. *Wrong*: the true mean is beyond the bound; the assurance of 0.99 allows a hundredth. *Alarms*: the share of all
{tests} tests that are called broken at α, whatever their calibration was. *Wrongly fine*: code whose mean is beyond the
bound by the margin. The last columns are runs until unchanged code is fine, and until code that is worse by 1 sd is broken at 10⁻⁴.

| law | values | runs | wrong | bound beyond by | α = 10⁻² | 10⁻³ | wrongly fine | fine after | +1 sd after |
|---|---|---|---|---|---|---|---|---|---|
"
    );
    let holdings = holdings();
    let learned = in_parallel(&holdings, |holding| learn(holding, calibrations));
    let mut worst = [0f64; 4];
    for (holding, learned) in holdings.iter().zip(learned) {
        let shares = [
            learned.wrong,
            learned.alarms[0],
            learned.alarms[1],
            learned.wrongly_fine,
        ];
        if holding.kind != ValueKind::Unfit {
            for (worst, share) in worst.iter_mut().zip(shares) {
                *worst = worst.max(share);
            }
        }
        let [wrong, first, second, fine] = shares;
        let _ = writeln!(
            text,
            "| {} | {} | {:.0} | {wrong:.4} | {:.2} sd | {first:.5} | {second:.5} | {fine:.4} | {:.0} | {:.0} |",
            holding.name,
            holding.kind.words(),
            learned.runs,
            learned.distance,
            learned.fine,
            learned.broken
        );
    }
    text += "
*Unfit* rows are shown and have no bar: there the assumption fails that nothing of the mean lies beyond half the range of
the calibration. With the domain stated, nothing is assumed, and rare values far out are allowed for.

";
    let whats = [
        ("largest share of wrong bounds", 0.01),
        (
            "largest share of false alarms, over calibrations, α = 0.01",
            0.01,
        ),
        (
            "largest share of false alarms, over calibrations, α = 0.001",
            0.001,
        ),
        ("largest share that is wrongly fine", 0.01),
    ];
    let bars = worst
        .into_iter()
        .zip(whats)
        .map(|(measured, (what, bar))| Bar {
            what: what.to_owned(),
            measured: format!("{measured:.5}"),
            bar: format!("≤ {bar}"),
            kept: measured <= bar,
        });
    Section::with_bars(text, &bars.collect::<Vec<Bar>>())
}

fn learn(holding: &Holding, calibrations: usize) -> Learned {
    let mut rng = ChaCha8Rng::seed_from_u64(31);
    let (truth, sd) = holding.moments(&mut rng);
    let mut learned = Learned::default();
    let each = 1.0 / calibrations as f64;
    for calibration in 0..calibrations {
        let (held, runs) = calibrated(holding, &mut rng);
        let (bound, outward) = match held.claim.allowed {
            Allowed::AtMost(bound) | Allowed::Between(_, bound) => (bound, 1.0),
            Allowed::AtLeast(bound) => (bound, -1.0),
        };
        let distance = outward * (bound - truth);
        learned.runs += each * f64::from(runs);
        learned.wrong += each * f64::from(u8::from(distance < 0.0));
        learned.distance += each * distance / sd;
        let claim = Claim::Mean(held.claim);
        for _ in 0..TESTS {
            let (most, fine) = unchanged(&claim, || (holding.draw)(&mut rng));
            let each = each / TESTS as f64;
            learned.fine += each * fine;
            for (alarms, level) in learned.alarms.iter_mut().zip([1e-2, 1e-3f64]) {
                *alarms += each * f64::from(u8::from(most >= -level.ln()));
            }
        }
        let off = distance + held.claim.margin;
        let levels = Levels {
            broken: 1e-9,
            fine: 0.01,
        };
        let (decision, _) = until(&claim, levels, RUNS as u64, || {
            holding.worse(off, truth, &mut rng)
        });
        learned.wrongly_fine += each * f64::from(u8::from(decision == Decision::Fine));
        if calibration % 20 == 0 {
            let levels = Levels {
                broken: 1e-4,
                fine: 1e-6,
            };
            let worse = || holding.worse(sd, truth, &mut rng);
            learned.broken += 20.0 * each * until(&claim, levels, 10_000, worse).1;
        }
    }
    learned
}

/// A calibration as the harness makes it: what it learned, and from how many runs.
fn calibrated(holding: &Holding, rng: &mut ChaCha8Rng) -> (Held, u32) {
    let margin = None;
    let spec = SiteSpec {
        about: match holding.is_rate() {
            true => About::Rate { margin },
            false => About::Mean { margin },
        },
        domain: holding.domain,
        ..SiteSpec::new(holding.tail)
    };
    let mut calibration = Calibration::new(CalibrationPlan::default());
    let mut next = 0;
    loop {
        match calibration.step().expect("one site has all of the budget") {
            Step::Collect(runs) => {
                for index in next..next + runs {
                    let run = Run {
                        index,
                        panicked: false,
                        hits: vec![("x".into(), spec, (holding.draw)(rng))],
                    };
                    calibration.push(&run).expect("every run is new");
                }
                next += runs;
            }
            Step::Done(done) => {
                let held = done.sites[0].held.expect("a mean or a rate");
                return (held.expect("values that vary"), done.runs);
            }
        }
    }
}

/// The most evidence against a claim in so many runs, and the runs after which it is fine.
fn unchanged(claim: &Claim, mut draw: impl FnMut() -> f64) -> (f64, f64) {
    let mut process = Process::new(claim, Levels::new(0.01)).expect("a learned claim");
    let (mut most, mut fine) = (f64::NEG_INFINITY, RUNS as f64);
    for run in 1..=RUNS {
        push(&mut process, draw());
        let evidence = process.evidence();
        most = most.max(evidence.broken);
        if evidence.fine >= -0.01f64.ln() {
            fine = f64::min(fine, run as f64);
        }
    }
    (most, fine)
}

fn until(
    claim: &Claim,
    levels: Levels,
    most: u64,
    mut draw: impl FnMut() -> f64,
) -> (Decision, f64) {
    let mut process = Process::new(claim, levels).expect("a learned claim");
    while process.decision() == Decision::Undecided && process.runs() < most {
        push(&mut process, draw());
    }
    (process.decision(), process.runs() as f64)
}

fn push(process: &mut Process, value: f64) {
    let counted = process.push(Observation::one(&value));
    counted.expect("the laws keep to their domains");
}
