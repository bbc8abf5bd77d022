//! What the pictures show: each is a small computation by the engine, with values that are normal to the eye.

use flex_core::bound::confidence::Confidence;
use flex_core::bound::guard::Guard;
use flex_core::bound::race::{Walk, WalkStep};
use flex_core::bound::{LearnedBound, Question, SideBound};
use flex_core::sample::Samples;
use flex_core::tail::{Side, Tail};
use flex_core::words::{percent, short};

use super::plot::{Axis, BLUE, GREEN, GREY, Plot, RED};

/// Numbers by chance, the same in every picture that asks for the same seed (splitmix64, Steele, Lea & Flood 2014).
struct Draws(u64);

impl Draws {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((z ^ (z >> 31)) >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Mean 0 and standard deviation 1: twelve uniform numbers, added.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    fn many(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.normal()).collect()
    }
}

/// What is learned from so many runs, at the usual confidence.
fn learned(runs: usize, seed: u64) -> (Vec<f64>, SideBound) {
    let values = Draws(seed).many(runs);
    let confidence = Confidence::new(0.9999).expect("a probability");
    let question = Question::new(Tail::Upper, confidence);
    let mut bound = LearnedBound::learn(&Samples::from_values(&values), &question);
    (values, bound.sides.remove(0))
}

fn guard(side: &SideBound) -> &Guard {
    side.guard.as_ref().expect("100 values have a guard")
}

/// How often a suite is red for no reason, by the rate of each of its tests.
pub fn suite() -> String {
    let tests = [1.0, 10.0, 100.0, 1000.0];
    let ticks = [0.0, 0.25, 0.5, 0.75, 1.0];
    let mut plot = Plot::new(
        "How often a suite is red although nothing changed, by its number of tests",
        Axis::log("tests in the suite", &tests),
        Axis::linear("runs that are red for no reason", 0.0, 1.0, &ticks).in_percent(),
    );
    for (rate, colour, (x, y), words) in [
        (0.01, RED, (4.0, 0.3), "each test fails in 1 of 100 runs"),
        (0.001, BLUE, (85.0, 0.24), "in 1 of 1,000"),
        (0.0001, GREEN, (230.0, 0.13), "1 of 10,000: flex"),
    ] {
        let red = |tests: f64| 1.0 - (1.0_f64 - rate).powf(tests);
        let points: Vec<(f64, f64)> = (0..=60)
            .map(|step| 10f64.powf(f64::from(step) / 20.0))
            .map(|tests| (tests, red(tests)))
            .collect();
        plot.line(&points, colour, 2.0);
        plot.words(x, y, words, colour);
    }
    plot.done()
}

/// A distribution, two guesses, and what is learned from 100 runs.
pub fn guess() -> String {
    let (_, side) = learned(100, 1);
    let many = Draws(2).many(100_000);
    let (low, high, bars) = (-4.0, 8.0, 96);
    let mut counts = vec![0.0; bars];
    for value in &many {
        let place = (value - low) / (high - low) * bars as f64;
        counts[(place as usize).min(bars - 1)] += 1.0 / many.len() as f64;
    }
    let mut plot = Plot::new(
        "Values of unchanged code, two guessed bounds, and the learned guard",
        Axis::linear(
            "value, in standard deviations",
            low,
            high,
            &[-4.0, -2.0, 0.0, 2.0, 4.0, 6.0, 8.0],
        ),
        Axis::linear("share of runs", 0.0, 0.06, &[0.0, 0.02, 0.04, 0.06]).in_percent(),
    );
    plot.bars(&counts, "#9ec4de");
    let beyond = |bound: f64| {
        let beyond = many.iter().filter(|value| **value > bound).count();
        percent(beyond as f64 / many.len() as f64)
    };
    let guard = guard(&side).bound;
    let words = format!(
        "guard {}: beyond it ({} of runs) flex looks again",
        short(guard),
        beyond(guard)
    );
    plot.mark_x(guard, &words, GREEN, 0);
    let words = format!("a tight guess, 2: red in {} of runs", beyond(2.0));
    plot.mark_x(2.0, &words, RED, 1);
    plot.mark_x(6.0, "6: catches next to nothing", RED, 2);
    plot.done()
}

/// Sums of scores of races, of unchanged code and of code that is one standard deviation worse.
pub fn race() -> String {
    let (_, side) = learned(100, 1);
    let race = &guard(&side).race;
    let most = 40.0;
    let mut plot = Plot::new(
        "The walks of twelve races: unchanged code is cleared, worse code fails",
        Axis::linear("reruns", 0.0, most, &[0.0, 10.0, 20.0, 30.0, 40.0]),
        Axis::linear(
            "sum of scores",
            f64::from(race.clear()) - 20.0,
            f64::from(race.fail()) + 20.0,
            &[0.0, 50.0, 100.0, 150.0],
        ),
    );
    for (shift, colour, seed) in [(0.0, BLUE, 100), (1.0, RED, 200)] {
        for walk in 0..6 {
            let mut draws = Draws(seed + walk);
            // A race begins with a value in doubt.
            let first = loop {
                let value = draws.normal() + shift;
                if value > guard(&side).bound {
                    break value;
                }
            };
            let mut walk = Walk::start(race, Side::Upper, first);
            let mut points = vec![(0.0, f64::from(walk.sum()))];
            while walk.step(race) == WalkStep::Rerun && (points.len() as f64) < most {
                walk.add(race, Side::Upper, Some(draws.normal() + shift));
                points.push((points.len() as f64, f64::from(walk.sum())));
            }
            plot.line(&points, colour, 1.5);
        }
    }
    plot.mark_y(f64::from(race.fail()), "a regression from here on", RED);
    plot.mark_y(f64::from(race.clear()), "cleared down here", BLUE);
    plot.words(1.0, 148.0, "one standard deviation worse", RED);
    plot.words(1.0, 130.0, "unchanged code", BLUE);
    plot.done()
}

/// How often a run of a test fails whose code got worse: learned bound against one number with the same false-alarm rate.
pub fn power() -> String {
    let mut plot = Plot::new(
        "How often one run of the test fails, by how much worse the code is",
        Axis::linear(
            "how much worse, in standard deviations",
            0.0,
            5.0,
            &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
        ),
        Axis::linear("runs that fail", 0.0, 1.0, &[0.0, 0.25, 0.5, 0.75, 1.0]).in_percent(),
    );
    // The bound that 1 in 10,000 values of a normal distribution exceed.
    const NUMBER: f64 = 3.719;
    let trials = 2000;
    // Ten calibrations, so that no one's luck is shown.
    let sides: Vec<SideBound> = (0..10).map(|seed| learned(100, seed).1).collect();
    let (mut learns, mut single) = (Vec::new(), Vec::new());
    for step in 0..=20_u32 {
        let shift = f64::from(step) * 0.25;
        let mut draws = Draws(1000 + u64::from(step));
        let (mut caught, mut beyond) = (0, 0);
        for trial in 0..trials {
            let side = &sides[trial % sides.len()];
            let first = draws.normal() + shift;
            beyond += usize::from(first > NUMBER);
            caught += usize::from(is_caught(guard(side), first, || draws.normal() + shift));
        }
        let share = |count: usize| count as f64 / trials as f64;
        // Code that did not change replays as it was, and nothing is left to a race.
        learns.push((shift, if step == 0 { 0.0 } else { share(caught) }));
        single.push((shift, share(beyond)));
    }
    plot.line(&learns, GREEN, 2.0);
    plot.line(&single, RED, 2.0);
    plot.words(
        1.45,
        0.6,
        "learned from 100 runs, with replay and reruns",
        GREEN,
    );
    plot.words(2.75, 0.06, "one number, right in 9,999 of 10,000 runs", RED);
    plot.done()
}

/// Whether a run fails whose behaviour changed: a race for a value beyond the guard.
fn is_caught(guard: &Guard, first: f64, mut rerun: impl FnMut() -> f64) -> bool {
    if first <= guard.bound {
        return false;
    }
    let mut walk = Walk::start(&guard.race, Side::Upper, first);
    while walk.step(&guard.race) == WalkStep::Rerun {
        walk.add(&guard.race, Side::Upper, Some(rerun()));
    }
    walk.step(&guard.race) == WalkStep::Regression
}

/// The tail of 100 samples, what was fitted to it, and where the ceiling lies.
pub fn ceiling() -> String {
    let (mut values, side) = learned(100, 1);
    let ceiling = side.ceiling.as_ref().expect("100 values have a ceiling");
    let fit = ceiling
        .fit
        .expect("a ceiling of 100 values is extrapolated");
    values.sort_by(f64::total_cmp);
    let end = (ceiling.bound / 10.0).ceil() * 10.0;
    let ticks: Vec<f64> = (0..=(end as usize / 10))
        .map(|tick| tick as f64 * 10.0)
        .collect();
    let mut plot = Plot::new(
        "The tail of 100 samples, the fitted tail, and the ceiling",
        Axis::linear("value, in standard deviations", 0.0, end, &ticks),
        Axis::log(
            "share of runs beyond it",
            &[1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0],
        ),
    );
    let n = values.len() as f64;
    for (index, value) in values.iter().enumerate().filter(|(_, value)| **value > 0.0) {
        plot.dot(*value, (n - index as f64 - 0.5) / n, BLUE);
    }
    let share = fit.exceedances as f64 / n;
    let points: Vec<(f64, f64)> = (0..=200)
        .map(|step| end * f64::from(step) / 200.0)
        .filter(|value| *value >= fit.threshold)
        .map(|value| (value, share * fit.excess.survival(value - fit.threshold)))
        .filter(|(_, beyond)| *beyond >= 1e-6)
        .collect();
    plot.line(&points, GREY, 2.0);
    plot.words(3.0, 0.06, "100 samples", BLUE);
    plot.words(6.0, 0.0016, "the fitted tail, on average", GREY);
    let words = format!(
        "ceiling {}: with a margin for what 100 samples do not tell",
        short(ceiling.bound)
    );
    plot.mark_x(ceiling.bound, &words, RED, 1);
    plot.done()
}
