//! The processor time of one piece of code over that of another, measured in turn: `assert_time!`.

use std::hint::black_box;
use std::time::Duration;

use crate::processor_time::processor_time;

/// A batch takes at least this long, so that the clock is exact enough.
const BATCH: Duration = Duration::from_micros(100);

/// Evaluations in a batch at most.
const MOST_IN_A_BATCH: u32 = 1 << 20;

/// All rounds together take about this long at most, if that leaves the fewest.
const ALL: Duration = Duration::from_millis(50);

/// Rounds, each of which times both: an odd number, so that one of them is the median.
const ROUNDS: [u32; 2] = [5, 21];

/// How many times as long as the reference something takes: both are timed in turn, and the median of the ratios counts.
pub fn time_ratio<A, B>(mut new: impl FnMut() -> A, mut reference: impl FnMut() -> B) -> f64 {
    // Finding out how many make a batch warms both up.
    let (first, second) = (Batch::of(&mut new), Batch::of(&mut reference));
    let rounds = rounds(first.took + second.took);
    let mut ratios: Vec<f64> = (0..rounds)
        .map(|round| {
            // Whoever comes second finds another state of the caches.
            let (new, reference) = match round % 2 {
                0 => {
                    let new = first.each(&mut new);
                    (new, second.each(&mut reference))
                }
                _ => {
                    let reference = second.each(&mut reference);
                    (first.each(&mut new), reference)
                }
            };
            new / reference
        })
        .collect();
    ratios.sort_unstable_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}

/// So many rounds, if one takes so long.
fn rounds(one: Duration) -> u32 {
    let fitting = ALL.as_secs_f64() / one.as_secs_f64().max(1e-9);
    let [fewest, most] = ROUNDS;
    // A number that is too large for the type is the largest.
    (fitting as u32).clamp(fewest, most) | 1
}

/// So many evaluations that the clock can time them.
#[derive(Debug, Clone, Copy)]
struct Batch {
    size: u32,
    took: Duration,
}

impl Batch {
    fn of<T>(code: &mut impl FnMut() -> T) -> Batch {
        let mut size = 1;
        loop {
            let took = time(size, code);
            if took >= BATCH || size >= MOST_IN_A_BATCH {
                return Batch { size, took };
            }
            size *= 2;
        }
    }

    /// The seconds of one evaluation.
    fn each<T>(self, code: &mut impl FnMut() -> T) -> f64 {
        time(self.size, code).as_secs_f64() / f64::from(self.size)
    }
}

/// How long so many evaluations take. The last result is dropped after the clock was read: one that is slow to drop is
/// mostly large, and made once.
fn time<T>(size: u32, code: &mut impl FnMut() -> T) -> Duration {
    let began = processor_time();
    for _ in 1..size {
        black_box(code());
    }
    let last = black_box(code());
    let took = processor_time().saturating_sub(began);
    drop(last);
    took
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_is_evaluated_in_turn() {
        let order = std::cell::RefCell::new(Vec::new());
        let code = |name: char| {
            let order = &order;
            move || {
                let mut sum = 0u64;
                for i in 0..200_000u64 {
                    sum = black_box(sum.wrapping_add(i));
                }
                order.borrow_mut().push(name);
                sum
            }
        };
        let ratio = time_ratio(code('a'), code('b'));
        assert!(ratio > 0.0 && ratio.is_finite(), "{ratio}");
        let mut order = order.into_inner();
        // What found the sizes of the batches comes first.
        let turns = order.split_off(order.len() - 8);
        let text: String = turns.iter().collect();
        assert!(text.contains("ab") && text.contains("ba"), "{text}");
    }

    #[test]
    fn slow_code_has_few_rounds_and_quick_code_many() {
        assert_eq!(rounds(Duration::from_secs(9)), 5);
        assert_eq!(rounds(Duration::from_micros(200)), 21);
        assert_eq!(rounds(Duration::ZERO), 21);
        assert_eq!(rounds(Duration::from_millis(5)) % 2, 1);
    }
}
