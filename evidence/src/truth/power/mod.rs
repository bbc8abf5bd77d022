//! What bounds catch: the probability that one run of a test fails after one of its sites moved.

mod first_edition;
mod oracle;

use std::fmt::Write;

use flex_core::bound::confidence::{Confidence, DEFAULT_EFFORT};
use flex_core::bound::guard::{Guard, Settling};
use flex_core::bound::{LearnedBound, Question};
use flex_core::sample::Samples;
use flex_core::tail::Tail;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::law::{Moved, cells, law};
use super::setting::{SITES, Setting, Variant, effort_of_site};
use crate::distribution::{self, Distribution, TailKind};
use crate::page::{Bar, Section};
use crate::parallel::in_parallel;
use first_edition::FirstEdition;
use oracle::Oracle;

/// Shifts, in standard deviations of the distribution.
const SHIFTS: [f64; 4] = [0.5, 1.0, 2.0, 3.0];

/// Samples of a calibration.
const RUNS: usize = 100;

/// Reruns that changed code may cost which is as good as before.
const PATIENCE: f64 = 5.0;

/// What a site of a suite of 500 tests has to spend, if the suite has 10⁻⁴: half of an even share of 512.
const IN_SUITE: f64 = 1e-4 / 1024.0;

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AssertionSort {
    /// One site of so many, which a replay settles.
    Sites(usize),
    /// The only site of a test in a suite of 500.
    Suite,
    /// One site that is replayed in every run.
    Always,
    /// One site that no replay can settle.
    Reruns,
    /// The first edition, of so many sites or in a suite.
    First(usize),
    FirstInSuite,
    /// The best that can be done, with a replay or without.
    Oracle,
    OracleReruns,
}

impl AssertionSort {
    const ALL: [AssertionSort; 12] = [
        AssertionSort::Sites(SITES[0]),
        AssertionSort::Sites(SITES[1]),
        AssertionSort::Sites(SITES[2]),
        AssertionSort::Suite,
        AssertionSort::Always,
        AssertionSort::Reruns,
        AssertionSort::First(SITES[0]),
        AssertionSort::First(SITES[1]),
        AssertionSort::First(SITES[2]),
        AssertionSort::FirstInSuite,
        AssertionSort::Oracle,
        AssertionSort::OracleReruns,
    ];

    fn name(self) -> String {
        let sites = |sites: usize| match sites {
            1 => "1 site".to_owned(),
            more => format!("{more} sites"),
        };
        match self {
            AssertionSort::Sites(count) => sites(count),
            AssertionSort::Suite => "in a suite of 500".to_owned(),
            AssertionSort::Always => "1 site, replayed in every run".to_owned(),
            AssertionSort::Reruns => "1 site, not replayed".to_owned(),
            AssertionSort::First(count) => format!("first edition, {}", sites(count)),
            AssertionSort::FirstInSuite => "first edition, in a suite of 500".to_owned(),
            AssertionSort::Oracle => "oracle, 1 site".to_owned(),
            AssertionSort::OracleReruns => "oracle, 1 site, not replayed".to_owned(),
        }
    }

    /// What is asked of the engine; `None` of what is not the engine's.
    fn question(self) -> Option<Question> {
        let setting = |sites: usize, settling: Settling| Setting {
            runs: RUNS,
            confidence: Confidence::DEFAULT.value(),
            sites,
            settling,
            variant: Variant::Default,
        };
        match self {
            AssertionSort::Sites(sites) => Some(setting(sites, Settling::Replay).question()),
            AssertionSort::Always => Some(setting(1, Settling::Replay).question()),
            AssertionSort::Reruns => Some(setting(1, Settling::Reruns).question()),
            AssertionSort::Suite => {
                let confidence = Confidence::new(1.0 - IN_SUITE).expect("a confidence");
                Some(Question::new(Tail::Upper, confidence))
            }
            _ => None,
        }
    }

    /// How often a value is looked at that is not in doubt.
    fn elsewhere(self) -> f64 {
        match self {
            AssertionSort::Sites(sites) => {
                let doubted = effort_of_site(sites, Settling::Replay);
                1.0 - (1.0 - doubted).powi(sites as i32 - 1)
            }
            AssertionSort::Always => 1.0,
            _ => 0.0,
        }
    }
}

/// What is caught of one distribution's shifts, by kind.
struct Caught {
    distribution: &'static str,
    tail: TailKind,
    power: [[f64; SHIFTS.len()]; AssertionSort::ALL.len()],
}

impl Caught {
    fn of(&self, kind: AssertionSort) -> [f64; SHIFTS.len()] {
        let mut known = AssertionSort::ALL.iter().zip(self.power);
        let of_kind = known.find(|(known, _)| **known == kind);
        of_kind.expect("all kinds are measured").1
    }
}

/// The section of the part `power`.
pub fn section(calibrations: usize) -> Section {
    let distributions = distribution::all();
    let caught = in_parallel(&distributions, |distribution| {
        measure(distribution, calibrations)
    });
    let mut text = format!(
        "
## What a bound catches

The probability that one run of the test fails after one of its sites moved outward by so many standard deviations:
n = {RUNS}, C = 0.9999, effort {DEFAULT_EFFORT}, mean over {calibrations} calibrations. Sites of a test are independent
of each other; the suite has 10⁻⁴ to spend for 500 sites. Only the race is counted; strays and ceiling add to it. The
*first edition* is the race before replays and scores. The *oracle* knows both distributions and runs Wald's sequential
test with the same effort, patience and rate: there is hardly more to be had.

Mean over the continuous distributions:

| | 0.5 sd | 1 sd | 2 sd | 3 sd |
|---|---|---|---|---|
"
    );
    for kind in AssertionSort::ALL {
        let _ = writeln!(text, "| {} | {} |", kind.name(), row(&mean(&caught, kind)));
    }
    let shown = [
        AssertionSort::Sites(1),
        AssertionSort::Reruns,
        AssertionSort::First(1),
        AssertionSort::Oracle,
        AssertionSort::OracleReruns,
    ];
    text += "\nBy distribution, 1 site, at 1, 2 and 3 sd; all of it is in `power.csv`:\n\n| distribution |";
    text += &shown.map(|kind| format!(" {} |", kind.name())).concat();
    text += "\n|---|---|---|---|---|---|\n";
    for of_one in &caught {
        let figures = shown.map(|kind| {
            let [_, one, two, three] = of_one.of(kind);
            format!("{one:.2}, {two:.2}, {three:.2}")
        });
        let _ = writeln!(
            text,
            "| {} | {} |",
            of_one.distribution,
            figures.join(" | ")
        );
    }
    text.push('\n');
    let mut section = Section::with_bars(text, &bars(&caught));
    section.files.push(("power.csv", csv(&caught)));
    section
}

fn bars(caught: &[Caught]) -> Vec<Bar> {
    let bar = |kind: AssertionSort, least: &[f64]| {
        let measured = mean(caught, kind);
        let of_bar = &measured[1..=least.len()];
        let words = |power: &[f64]| {
            let words = power.iter().map(|power| format!("{power:.3}"));
            words.collect::<Vec<String>>().join(", ")
        };
        let shifts = ["1 sd", "1 and 2 sd", "1, 2 and 3 sd"][least.len() - 1];
        Bar {
            what: format!("{}: caught at {shifts}", kind.name()),
            measured: words(of_bar),
            bar: format!("at least {}", words(least)),
            kept: of_bar.iter().zip(least).all(|(got, least)| got >= least),
        }
    };
    vec![
        bar(AssertionSort::Sites(1), &[0.50, 0.90, 0.98]),
        bar(AssertionSort::Sites(5), &[0.25, 0.75, 0.95]),
        bar(AssertionSort::Always, &[0.85]),
    ]
}

/// The mean over the continuous distributions.
fn mean(caught: &[Caught], kind: AssertionSort) -> [f64; SHIFTS.len()] {
    let is_continuous =
        |caught: &&Caught| !matches!(caught.tail, TailKind::Discrete | TailKind::Irregular);
    let chosen: Vec<[f64; SHIFTS.len()]> = caught
        .iter()
        .filter(is_continuous)
        .map(|caught| caught.of(kind))
        .collect();
    std::array::from_fn(|shift| {
        let sum: f64 = chosen.iter().map(|power| power[shift]).sum();
        sum / chosen.len().max(1) as f64
    })
}

fn row(power: &[f64]) -> String {
    let figures = power.iter().map(|power| format!("{power:.3}"));
    figures.collect::<Vec<String>>().join(" | ")
}

fn csv(caught: &[Caught]) -> String {
    let mut lines = "distribution,tail,kind,0.5 sd,1 sd,2 sd,3 sd\n".to_owned();
    for of_one in caught {
        for kind in AssertionSort::ALL {
            let power = of_one.of(kind).map(|power| format!("{power:.4}")).join(",");
            let (name, tail) = (of_one.distribution, of_one.tail.as_str());
            let _ = writeln!(lines, "\"{name}\",{tail},\"{}\",{power}", kind.name());
        }
    }
    lines
}

/// What is caught of one distribution's shifts, on average over calibrations.
fn measure(distribution: &Distribution, calibrations: usize) -> Caught {
    let sd = distribution.standard_deviation();
    let moved = SHIFTS.map(|shift| Moved {
        distribution,
        by: shift * sd,
    });
    let mut power = [[0.0; SHIFTS.len()]; AssertionSort::ALL.len()];
    let mut rng = ChaCha8Rng::seed_from_u64(0x90_3e);
    for _ in 0..calibrations {
        let mut values: Vec<f64> = (0..RUNS).map(|_| distribution.draw(&mut rng)).collect();
        values.sort_by(f64::total_cmp);
        let samples = Samples::from_values(&values);
        for (kind, power) in AssertionSort::ALL.iter().zip(&mut power) {
            let caught = caught_by(*kind, &values, &samples, moved);
            for (sum, caught) in power.iter_mut().zip(caught) {
                *sum += caught / calibrations as f64;
            }
        }
    }
    // An oracle needs no calibration.
    let rate = 0.1 * Confidence::DEFAULT.false_alarm_rate();
    let oracles = moved.map(|moved| Oracle::new(distribution, moved.by, rate));
    for (kind, power) in AssertionSort::ALL.iter().zip(&mut power) {
        for (oracle, power) in oracles.iter().zip(power) {
            match kind {
                AssertionSort::Oracle => *power = oracle.power_with_replay(DEFAULT_EFFORT),
                AssertionSort::OracleReruns => *power = oracle.power_with_reruns(DEFAULT_EFFORT),
                _ => {}
            }
        }
    }
    Caught {
        distribution: distribution.name,
        tail: distribution.tail,
        power,
    }
}

/// What one calibration catches of each shift; nothing for an oracle, which has none.
fn caught_by(
    kind: AssertionSort,
    sorted: &[f64],
    samples: &Samples,
    moved: [Moved<'_>; SHIFTS.len()],
) -> [f64; SHIFTS.len()] {
    let first = match kind {
        AssertionSort::First(sites) => Some(FirstEdition::of_sites(sites)),
        AssertionSort::FirstInSuite => Some(FirstEdition::IN_SUITE),
        _ => None,
    };
    if let Some(first) = first {
        let guard = first.guard(sorted);
        return moved.map(|moved| first.power(moved.beyond(guard)));
    }
    let learned = kind
        .question()
        .map(|question| LearnedBound::learn(samples, &question));
    let guard = learned
        .as_ref()
        .and_then(|bound| bound.sides[0].guard.as_ref().ok());
    moved.map(|moved| guard.map_or(0.0, |guard| power_of(guard, kind.elsewhere(), moved)))
}

fn power_of(guard: &Guard, elsewhere: f64, moved: Moved<'_>) -> f64 {
    let beyond = |x: f64| moved.beyond(x);
    let all = cells(&guard.race, f64::NEG_INFINITY, beyond);
    let doubted = cells(&guard.race, guard.bound, beyond);
    let entering: Vec<f64> = doubted
        .iter()
        .zip(&all)
        .map(|(doubted, all)| doubted + elsewhere * (all - doubted))
        .collect();
    law(&guard.race, &entering, &all).lost
}
