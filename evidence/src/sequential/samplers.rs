//! Published samplers, and copies with a bug, against the laws that they should have.

use std::fmt::Write;

use flex_core::sequential::{Claim, Decision, LawClaim, Levels, Observation, Process};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::sampled::{Sampler, published, with_a_bug};
use crate::page::{Bar, Section, Size};
use crate::parallel::in_parallel;

/// The confidence of a test of all samplers together.
const ALPHA: f64 = 1e-4;

/// A bug is to be found in so many draws.
const MOST: u64 = 100_000;

pub fn section(size: Size) -> Section {
    let seeds = size.of(1000) as u64;
    let good = published();
    let level = ALPHA / good.len() as f64;
    let mut text = format!(
        "`distributed` on generators of rand_distr, {seeds} seeds each, at a confidence of 0.9999 for all of them together, until they
are called fine: within a Kolmogorov distance of 0.1.

| sampler | broken | fine | mean draws |
|---|---|---|---|
"
    );
    let mut alarms = 0;
    for (sampler, outcome) in good.iter().zip(in_parallel(&good, |sampler| {
        test(sampler, level, seeds, 5000)
    })) {
        alarms += outcome.broken;
        let SamplerOutcome {
            broken,
            fine,
            draws,
        } = outcome;
        let _ = writeln!(
            text,
            "| {} | {broken} | {fine} | {draws:.0} |",
            sampler.name
        );
    }
    let seeds = 20;
    let _ = write!(
        text,
        "
Samplers of our own with a bug that somebody could make, {seeds} seeds each, at the same level. They go on until they are
called broken, also where they would have been called fine.

| sampler | found | mean draws |
|---|---|---|
"
    );
    let bad = with_a_bug();
    let mut missed = Vec::new();
    for (sampler, outcome) in bad
        .iter()
        .zip(in_parallel(&bad, |sampler| find(sampler, level, seeds)))
    {
        let SamplerOutcome { broken, draws, .. } = outcome;
        if broken < seeds {
            missed.push(sampler.name);
        }
        let _ = writeln!(
            text,
            "| {} | {broken} of {seeds} | {draws:.0} |",
            sampler.name
        );
    }
    let bars = [
        Bar {
            what: "false alarms on published samplers".to_owned(),
            measured: alarms.to_string(),
            bar: "0".to_owned(),
            kept: alarms == 0,
        },
        Bar {
            what: "bugs that a seed missed".to_owned(),
            measured: missed.len().to_string(),
            bar: "0".to_owned(),
            kept: missed.is_empty(),
        },
    ];
    Section::with_bars(text + "\n", &bars)
}

struct SamplerOutcome {
    broken: u64,
    fine: u64,
    draws: f64,
}

/// Tests a sampler under each seed until it is decided.
fn test(sampler: &Sampler, level: f64, seeds: u64, most: u64) -> SamplerOutcome {
    let (mut broken, mut fine, mut draws) = (0, 0, 0);
    for seed in 0..seeds {
        let process = under(seed, sampler, level, most, |process| {
            process.decision() != Decision::Undecided
        });
        broken += u64::from(process.decision() == Decision::Broken);
        fine += u64::from(process.decision() == Decision::Fine);
        draws += process.runs();
    }
    SamplerOutcome {
        broken,
        fine,
        draws: draws as f64 / seeds as f64,
    }
}

/// Tests a sampler under each seed until the evidence against it is enough.
fn find(sampler: &Sampler, level: f64, seeds: u64) -> SamplerOutcome {
    let (mut broken, mut draws) = (0, 0);
    for seed in 0..seeds {
        let is_found = |process: &Process| process.evidence().broken >= -level.ln();
        let process = under(seed, sampler, level, MOST, is_found);
        broken += u64::from(is_found(&process));
        draws += process.runs();
    }
    SamplerOutcome {
        broken,
        fine: 0,
        draws: draws as f64 / seeds as f64,
    }
}

fn under(
    seed: u64,
    sampler: &Sampler,
    level: f64,
    most: u64,
    done: impl Fn(&Process) -> bool,
) -> Process {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let claim = Claim::Distributed(LawClaim::DEFAULT);
    let mut process = Process::new(&claim, Levels::new(level)).expect("a claim about a law");
    while !done(&process) && process.runs() < most {
        let (before, at) = sampler.law.place((sampler.draw)(&mut rng));
        process
            .push(Observation::pair(&before, &at))
            .expect("a place in the law");
    }
    process
}
