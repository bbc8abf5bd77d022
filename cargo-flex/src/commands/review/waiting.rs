//! Entries that wait for a decision, and what a decision does.

use std::fmt;

use flex_bounds::change::is_refused;
use flex_bounds::file::{BoundsFile, Entry};
use flex_run::calibrate::pending_store;
use flex_run::store::Store;

use crate::exit::Failure;

/// A new entry that waits, and the one that there is; or one that waits in the bounds file itself, since it refuses its
/// site.
pub struct WaitingEntry {
    pub store: Store,
    pub old: Option<Entry>,
    pub new: Entry,
    /// Whether there is something to accept or to reject.
    pub is_pending: bool,
}

/// A decision about an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ReviewDecision {
    Accept,
    Reject,
    Unenforced,
}

impl WaitingEntry {
    /// Everything that waits in a store and beside it.
    pub fn in_store(store: Store) -> Result<Vec<WaitingEntry>, Failure> {
        let pending = pending_store(&store).read().map_err(unreadable)?;
        let bounds = store.read().map_err(unreadable)?;
        let with_old = |new: &Entry| WaitingEntry {
            store: store.clone(),
            old: bounds.get(&new.key).cloned(),
            new: new.clone(),
            is_pending: true,
        };
        let refused = |entry: &&Entry| {
            is_refused(entry) && !entry.unenforced && pending.get(&entry.key).is_none()
        };
        let as_it_is = |entry: &Entry| WaitingEntry {
            store: store.clone(),
            old: None,
            new: entry.clone(),
            is_pending: false,
        };
        let waiting = pending.entries().iter().map(with_old);
        Ok(waiting
            .chain(bounds.entries().iter().filter(refused).map(as_it_is))
            .collect())
    }

    /// Carries out a decision.
    pub fn decide(&self, decision: ReviewDecision) -> Result<(), Failure> {
        let change = |file: &mut BoundsFile| {
            let entry = match decision {
                ReviewDecision::Reject => return,
                ReviewDecision::Accept => self.new.clone(),
                ReviewDecision::Unenforced => {
                    let mut entry = self.old.clone().unwrap_or_else(|| self.new.clone());
                    entry.unenforced = true;
                    entry
                }
            };
            // It was read from a file, so it is one that a file can hold.
            let _ = file.insert(entry);
        };
        self.store.update(change).map_err(unreadable)?;
        let pending = pending_store(&self.store);
        pending
            .update(|file| file.remove(&self.new.key))
            .and_then(|_| pending.remove_if_empty())
            .map_err(unreadable)
    }
}

fn unreadable(error: impl fmt::Display) -> Failure {
    Failure::input(error, "mend the file first; nothing was decided")
}
