//! Work on many things at once: there may be ten thousand sites, and tens of megabytes of samples.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread;

/// Things that are not worth a thread more.
const FEW: usize = 32;

/// What becomes of each item, in the order of the items.
pub(crate) fn mapped<T: Sync, U: Send>(items: &[T], of: impl Fn(&T) -> U + Sync) -> Vec<U> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = processors.min(items.len().div_ceil(FEW)).max(1);
    let mut parts = items.chunks(items.len().div_ceil(threads).max(1));
    let own = parts.next().unwrap_or_default();
    thread::scope(|scope| {
        let others: Vec<_> = parts
            .map(|part| scope.spawn(|| part.iter().map(&of).collect::<Vec<U>>()))
            .collect();
        let mut all: Vec<U> = own.iter().map(&of).collect();
        for other in others {
            all.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        all
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_the_order_of_the_items() {
        for count in [0, 1, 31, 32, 33, 1000] {
            let items: Vec<usize> = (0..count).collect();
            let expected: Vec<usize> = items.iter().map(|item| 2 * item).collect();
            assert_eq!(mapped(&items, |item| 2 * item), expected);
        }
    }
}
