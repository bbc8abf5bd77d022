//! Ceilings that rest on values of earlier runs too: how much closer they come, and whether they keep their promise.

use std::fmt::Write as _;

use flex_core::bound::confidence::Confidence;
use flex_core::bound::{LearnedBound, Question};
use flex_core::drift::Drift;
use flex_core::sample::QUANTILES;
use flex_core::sample::Samples;
use flex_core::sequential::{Detector, Feared};
use flex_core::tail::Tail;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::distribution::{Distribution, named};
use crate::page::{Bar, Section, Size};
use crate::parallel::in_parallel;

/// Runs of the calibration, and of the history.
const FRESH: usize = 100;
const EARLIER: usize = 1000;

/// The share of calibrations whose ceilings may break their promise.
const WRONG: f64 = 0.01;

/// How much closer ceilings are to come.
const CLOSER: f64 = 4.0;

pub fn section(size: Size) -> Section {
    let mut bars = Vec::new();
    let text = pooled(size, &mut bars) + &moved(size, &mut bars);
    Section::with_bars(text, &bars)
}

/// What became of many calibrations of one law.
struct Learned {
    /// The median distance of a ceiling beyond the quantile that it promises to lie beyond, in standard deviations.
    alone: f64,
    pooled: f64,
    /// The shares of ceilings that values pass too often.
    wrong_alone: f64,
    wrong_pooled: f64,
    /// The same, if a run beyond the old ceiling were not kept.
    wrong_green: f64,
}

/// Code that does not move.
fn pooled(size: Size, bars: &mut Vec<Bar>) -> String {
    let calibrations = size.of(1000);
    let rate = Confidence::DEFAULT.false_alarm_rate();
    let mut text = format!(
        "**Nothing moves.** {calibrations} calibrations of {FRESH} runs, alone and with {EARLIER} values of earlier runs, whose own ceiling was learned from
{FRESH} others. The promise: with an assurance of 0.99 over calibrations, a run is beyond the ceiling with a probability of
{rate:.0e} at most. *Beyond*: the median distance of the ceiling from the true quantile of that rate, in standard deviations; *closer*:
the ratio of these. *Wrong*: the share of ceilings that break the promise. *Without red runs*: the same, if runs beyond the old
ceiling or a guard at the 99.9 % quantile were left out of the history, as they would be if only green runs were kept.

| values | beyond, alone | with history | closer | wrong, alone | with history | without red runs |
|---|---|---|---|---|---|---|
"
    );
    let laws = [
        "normal",
        "exponential",
        "lognormal 0.5",
        "t with 8 degrees",
        "uniform",
        "Pareto 3",
    ];
    let laws = named(&laws);
    let (mut worst, mut ratios) = (0f64, Vec::new());
    for law in &laws {
        let learned = learn(law, calibrations);
        let closer = learned.alone / learned.pooled;
        worst = worst.max(learned.wrong_pooled);
        ratios.push(closer);
        let _ = writeln!(
            text,
            "| {} | {:.2} | {:.2} | {closer:.1} | {:.4} | {:.4} | {:.4} |",
            law.name,
            learned.alone,
            learned.pooled,
            learned.wrong_alone,
            learned.wrong_pooled,
            learned.wrong_green
        );
    }
    text.push('\n');
    bars.push(Bar {
        what: "largest share of wrong ceilings with a history".to_owned(),
        measured: format!("{worst:.4}"),
        bar: format!("≤ {WRONG}"),
        kept: worst <= WRONG,
    });
    ratios.sort_by(f64::total_cmp);
    let typical = ratios[ratios.len() / 2];
    bars.push(Bar {
        what: "how many times closer ceilings come, in the median over these laws".to_owned(),
        measured: format!("{typical:.1}"),
        bar: format!("≥ {CLOSER}"),
        kept: typical >= CLOSER,
    });
    text
}

fn learn(law: &Distribution, calibrations: usize) -> Learned {
    let rate = Confidence::DEFAULT.false_alarm_rate();
    let truth = law.quantile_above(rate);
    let guard = law.quantile_above(1e-3);
    let sd = law.standard_deviation();
    let seeds: Vec<u64> = (0..calibrations as u64).collect();
    let all = in_parallel(&seeds, |seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(*seed);
        let mut draw =
            |count: usize| -> Vec<f64> { (0..count).map(|_| law.draw(&mut rng)).collect() };
        let (old, fresh, earlier) = (draw(FRESH), draw(FRESH), draw(EARLIER));
        let red = ceiling(&old, &[]).map_or(guard, |ceiling| ceiling.min(guard));
        let green: Vec<f64> = earlier
            .iter()
            .copied()
            .filter(|value| *value <= red)
            .collect();
        [&[][..], &earlier, &green].map(|earlier| ceiling(&fresh, earlier))
    });
    let beyond = |which: usize| {
        let mut distances: Vec<f64> = all
            .iter()
            .filter_map(|ceilings| Some((ceilings[which]? - truth) / sd))
            .collect();
        distances.sort_by(f64::total_cmp);
        distances
            .get(distances.len() / 2)
            .copied()
            .unwrap_or(f64::NAN)
    };
    let wrong = |which: usize| {
        let is_wrong = |ceilings: &&[Option<f64>; 3]| {
            ceilings[which].is_some_and(|ceiling| law.beyond(ceiling) > rate)
        };
        all.iter().filter(is_wrong).count() as f64 / calibrations as f64
    };
    Learned {
        alone: beyond(0),
        pooled: beyond(1),
        wrong_alone: wrong(0),
        wrong_pooled: wrong(1),
        wrong_green: wrong(2),
    }
}

/// The ceiling of fresh values together with earlier ones.
fn ceiling(fresh: &[f64], earlier: &[f64]) -> Option<f64> {
    let mut question = Question::new(Tail::Upper, Confidence::DEFAULT);
    // Guards do not use the history; without one, the ceiling has all of the rate.
    question.share.effort = 0.0;
    let all: Vec<f64> = fresh.iter().chain(earlier).copied().collect();
    let (fresh, all) = (Samples::from_values(fresh), Samples::from_values(&all));
    let bound = LearnedBound::learn_pooled([&fresh; 2], [&all; 2], &question);
    bound.sides[0]
        .ceiling
        .as_ref()
        .ok()
        .map(|ceiling| ceiling.bound)
}

/// Code that moved while the history was collected, by so much that it may have been overlooked.
fn moved(size: Size, bars: &mut Vec<Bar>) -> String {
    let calibrations = size.of(1000);
    let rate = Confidence::DEFAULT.false_alarm_rate();
    let mut text = format!(
        "**Code moves up**, or not, at a random run of the history, and is calibrated at its end; {calibrations} histories a row. *Used*: the share whose history is
used, since neither the detector nor the comparison with the fresh runs sees anything. *Wrong*: the share of all calibrations
whose ceiling, with the history if it is used, breaks its promise for the code as it is now.

| values | shift | used | wrong |
|---|---|---|---|
"
    );
    let mut worst = 0f64;
    for law in &named(&["normal", "exponential", "t with 8 degrees"]) {
        let sd = law.standard_deviation();
        for shift in [0.0, 0.1, 0.25, 0.5, 1.0] {
            let seeds: Vec<u64> = (0..calibrations as u64).collect();
            let all = in_parallel(&seeds, |seed| {
                let mut rng = ChaCha8Rng::seed_from_u64(*seed);
                let change = rng.next_u32() as usize % EARLIER;
                let mut draw =
                    |moved: bool| law.draw(&mut rng) + if moved { shift * sd } else { 0.0 };
                let earlier: Vec<f64> = (0..EARLIER).map(|run| draw(run >= change)).collect();
                let fresh: Vec<f64> = (0..FRESH).map(|_| draw(true)).collect();
                let used = is_used(&earlier, &fresh, &mut rng);
                let bound = match used {
                    true => ceiling(&fresh, &earlier),
                    false => ceiling(&fresh, &[]),
                };
                let wrong = bound.is_some_and(|bound| law.beyond(bound - shift * sd) > rate);
                (used, wrong)
            });
            let share = |of: fn(&(bool, bool)) -> bool| {
                all.iter().filter(|seen| of(seen)).count() as f64 / calibrations as f64
            };
            let (used, wrong) = (share(|seen| seen.0), share(|seen| seen.1));
            worst = worst.max(wrong);
            let _ = writeln!(
                text,
                "| {} | {shift} sd | {used:.3} | {wrong:.4} |",
                law.name
            );
        }
    }
    text.push('\n');
    bars.push(Bar {
        what: "largest share of wrong ceilings where code moved unseen".to_owned(),
        measured: format!("{worst:.4}"),
        bar: format!("≤ {WRONG}"),
        kept: worst <= WRONG,
    });
    text
}

/// Whether a calibration would use these values: as `flex-report/src/history/pool.rs` and
/// `flex-run/src/calibrate/pooled.rs` decide.
fn is_used(earlier: &[f64], fresh: &[f64], rng: &mut ChaCha8Rng) -> bool {
    let mut detector = Detector::new(Feared::Up);
    for value in earlier {
        detector.push(*value, rng.next_u64());
    }
    let samples = Samples::from_values(earlier);
    let quantiles = QUANTILES.map(|p| samples.quantile(p).unwrap_or(f64::NAN));
    let count = samples.len() as u32;
    let drift = Drift::between(&quantiles, (count, count), &Samples::from_values(fresh));
    detector.peak().0 < Detector::level(1, 1e4) && drift.is_some_and(|drift| drift.p_value >= 0.01)
}
