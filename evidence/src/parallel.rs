//! Work on all processors, whose result does not depend on their number.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Maps a slice over all processors, in order, and says how far it is.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], map: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    on_threads(threads, items, map)
}

/// Maps a slice over so many threads, in order, and says how far it is.
pub fn on_threads<T: Sync, R: Send>(
    threads: usize,
    items: &[T],
    map: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    let result = map(item);
                    let mut done = done.lock().expect("no worker panicked");
                    done.push((index, result));
                    if done.len().is_multiple_of(20) || done.len() == items.len() {
                        eprintln!("{} of {} simulated", done.len(), items.len());
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().expect("no worker panicked");
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..100).collect();
        let squares: Vec<u64> = items.iter().map(|item| item * item).collect();
        for threads in [1, 3] {
            assert_eq!(on_threads(threads, &items, |item| item * item), squares);
        }
    }
}
