//! Did this pass by lately? A filter for crawlers and message queues that must not do the same work twice, in a few
//! bits for each item.
//!
//! It keeps two Bloom filters of the published crate `bloomfilter`: one for the current period and one for the period
//! before, which is forgotten when the current one is full. An item that was seen lately is always recognised; by
//! chance one that was not is taken for seen. Which ones depends on hash functions that are seeded by the operating
//! system: this library takes no seed and hands none on. Its tests, at the end of this file, say how many they may be,
//! and can still be replayed.

#![forbid(unsafe_code)]

use std::hash::Hash;
use std::mem;

use bloomfilter::Bloom;

/// Remembers at least the latest `period` different items, and at most twice as many.
pub struct SeenLately<T> {
    current: Bloom<T>,
    before: Bloom<T>,
    period: usize,
    room: usize,
}

impl<T: Hash> SeenLately<T> {
    /// A filter that has seen nothing. Of the items that were not seen lately, at most this share is taken for seen.
    ///
    /// # Errors
    ///
    /// If the operating system gives no entropy.
    ///
    /// # Panics
    ///
    /// If the period is 0, or the share is not between 0 and 1.
    pub fn new(period: usize, false_positives: f64) -> Result<Self, &'static str> {
        // Either filter may be wrong.
        let filter = || Bloom::new_for_fp_rate(period, false_positives / 2.0);
        Ok(SeenLately {
            current: filter()?,
            before: filter()?,
            period,
            room: period,
        })
    }

    /// Sees an item. Was it seen lately?
    pub fn see(&mut self, item: &T) -> bool {
        let seen = self.was_seen(item);
        if !self.current.check_and_set(item) {
            self.room -= 1;
        }
        if self.room == 0 {
            mem::swap(&mut self.current, &mut self.before);
            self.current.clear();
            self.room = self.period;
        }
        seen
    }

    /// Was this item seen lately?
    pub fn was_seen(&self, item: &T) -> bool {
        self.current.check(item) || self.before.check(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flex_harness::prelude::*;

    fn filter(period: usize, false_positives: f64) -> SeenLately<usize> {
        SeenLately::new(period, false_positives).expect("the system has entropy")
    }

    // Nothing draws from a `TestRng` here: on Linux, what the system gives follows the seed of the run. Elsewhere the
    // bounds hold as well, but a failure cannot be replayed.

    #[cfg_attr(target_os = "linux", stochastic_test(entropy = controlled))]
    #[cfg_attr(not(target_os = "linux"), stochastic_test)]
    fn strangers_are_rarely_taken_for_seen() {
        const STRANGERS: usize = 10_000;
        for promised in [0.1, 0.03] {
            let mut filter = filter(500, promised);
            for item in 0..1_250 {
                filter.see(&item);
            }
            let strangers = usize::MAX - STRANGERS..usize::MAX;
            let mistaken = strangers.filter(|item| filter.was_seen(item)).count();
            let share = mistaken as f64 / STRANGERS as f64;
            assert_tail_bound!(share < _, case = promised, domain = 0.0..=1.0);
            assert_tail_bound!(share < promised, case = promised);
        }
    }

    #[cfg_attr(target_os = "linux", stochastic_test(entropy = controlled))]
    #[cfg_attr(not(target_os = "linux"), stochastic_test)]
    fn a_crawler_visits_nearly_every_page() {
        const PAGES: usize = 5_000;
        let mut filter = filter(1_000, 0.05);
        let visited = (0..PAGES).filter(|page| !filter.see(page)).count();
        assert_close!(visited, PAGES, rel = _);
    }

    // An ordinary test beside them: it holds whatever the hash functions are.
    #[test]
    fn what_was_seen_lately_is_always_recognised() {
        let mut filter = filter(100, 0.01);
        for item in 0..1_000_usize {
            filter.see(&item);
            let lately = item.saturating_sub(99)..=item;
            assert!(lately.into_iter().all(|item| filter.was_seen(&item)));
        }
    }
}
