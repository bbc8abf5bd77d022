//! What becomes of bounds that are calibrated again and again, while the code moves.

use std::fmt::Write;

use flex_bounds::change::{Change, NewSamples};
use flex_bounds::file::{Entry, Learned};
use flex_core::bound::ceiling::Promise;
use flex_core::bound::confidence::Confidence;
use flex_core::bound::guard::Settling;
use flex_core::tail::{Side, Tail};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::bars::most_by_chance;
use super::law::Moved;
use super::rates::{Tier, TrueRates};
use crate::daily::learn;
use crate::distribution::{self, Distribution};
use crate::page::Section;
use crate::parallel::in_parallel;
use crate::statistics::percent;

/// Moves between two calibrations, in standard deviations, each time in one direction or the other.
const MOVES: [f64; 6] = [0.0, 0.1, 0.25, 0.5, 0.75, 1.0];

/// Recalibrations in a row.
const STEPS: usize = 10;

const NAMES: [&str; 4] = ["normal", "exponential", "t with 4 degrees", "Poisson 50"];

/// How the number of runs goes on: as before, or by so much more that a new bound is worth it.
const GROWTH: [(&str, f64); 2] = [("constant", 1.0), ("growing", 1.5)];

/// The most runs of a calibration.
const MOST: f64 = 1000.0;

/// The section of the part `recalibration`.
pub fn section(sequences: usize) -> Section {
    let distributions = distribution::named(&NAMES);
    let mut jobs: Vec<(&Distribution, f64, f64)> = Vec::new();
    for distribution in &distributions {
        for (_, growth) in GROWTH {
            jobs.extend(MOVES.map(|moves| (distribution, growth, moves)));
        }
    }
    let found = in_parallel(&jobs, |job| measure(*job, sequences));
    let mut text = format!(
        "
## Recalibration after recalibration

{STEPS} calibrations after the first, each of code that moved on purpose by so many standard deviations since the last
one, up or down; with 100 runs each time, or 1.5 times as many as before up to {MOST}. What waits for a review is accepted.
After each, the entry that is then in the file is judged by the true rate of the code as it is now: the share of entries
over their promise at the worst of all steps, of {sequences} sequences; in brackets the share of calibrations that kept
their entry.

| distribution | runs |"
    );
    text += &MOVES.map(|moves| format!(" {moves} sd |")).concat();
    text += "\n|---|---|---|---|---|---|---|---|\n";
    let mut missed = Vec::new();
    let mut found = found.iter();
    for distribution in &distributions {
        for (word, _) in GROWTH {
            let _ = write!(text, "| {} | {word} |", distribution.name);
            for (moves, sequence) in MOVES.iter().zip(&mut found) {
                let worst = sequence.worst();
                let share = |count: usize, of: usize| percent(count as f64 / of.max(1) as f64);
                let (over, kept) = (
                    share(worst, sequences),
                    share(sequence.kept, sequences * STEPS),
                );
                let _ = write!(text, " {over} ({kept}) |");
                if worst > most_by_chance(sequences) {
                    missed.push(format!(
                        "{}, runs {word}, moves of {moves} sd: {worst} of {sequences} entries are over their promise",
                        distribution.name
                    ));
                }
            }
            text.push('\n');
        }
    }
    Section {
        text,
        missed,
        ..Section::default()
    }
}

/// What became of entries.
#[derive(Default)]
struct Sequence {
    /// How many are over their promise, after each step.
    over: [usize; STEPS + 1],
    kept: usize,
}

impl Sequence {
    fn worst(&self) -> usize {
        self.over.iter().fold(0, |worst, over| worst.max(*over))
    }
}

fn measure((distribution, growth, moves): (&Distribution, f64, f64), sequences: usize) -> Sequence {
    let sd = distribution.standard_deviation();
    let mut rng = ChaCha8Rng::seed_from_u64(0x5e_9e);
    let mut found = Sequence::default();
    for _ in 0..sequences {
        let mut by = 0.0;
        let mut runs = 100.0;
        let mut entry: Option<Entry> = None;
        for over in &mut found.over {
            let values: Vec<f64> = (0..runs as usize)
                .map(|_| distribution.draw(&mut rng) + by)
                .collect();
            let (new, samples) = learn(&values, Tail::Upper);
            let seen = NewSamples {
                sides: &samples,
                missed: 0,
                promise: Promise::Assured,
            };
            let change = Change::between(entry.as_ref(), &new, seen, 1, false);
            found.kept += usize::from(change == Change::Kept);
            entry = match change {
                Change::Kept => entry,
                Change::New | Change::Replaced | Change::Pending(_) => Some(new),
            };
            let moved = Moved { distribution, by };
            let learned = entry
                .as_ref()
                .and_then(|entry| entry.sides.get(Side::Upper));
            *over += usize::from(learned.is_some_and(|learned| is_over(learned, moved)));
            runs = (runs * growth).min(MOST);
            by += if rng.random() {
                moves * sd
            } else {
                -moves * sd
            };
        }
    }
    found
}

/// Whether an entry breaks its promise, if values are like this now.
fn is_over(learned: &Learned, moved: Moved<'_>) -> bool {
    let rates = TrueRates::of(learned, Settling::Replay, |x| moved.beyond(x));
    rates.exceeds(Tier::All, Confidence::DEFAULT.false_alarm_rate())
}
