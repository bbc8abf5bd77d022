//! What the runs of a recording process touch.

use std::path::Path;

use flex_run::model::{FirstStack, Probe};

use super::counted::{can_watch, prepare};
use super::stack::program;
use crate::probe;

/// Counts what the runs of one test touch. There is one at a time.
#[derive(Debug)]
pub(crate) struct Watch(());

impl Watch {
    /// Begins to count for a test of the package in this folder; `None` where that cannot be done.
    pub fn begin(package: &Path) -> Option<Self> {
        if !can_watch() {
            return None;
        }
        prepare(package);
        probe::start();
        Some(Watch(()))
    }

    /// Counts what `body` touches, on this thread.
    pub fn during<T>(&self, body: impl FnOnce() -> T) -> T {
        probe::watched(body)
    }

    /// All that was touched so far, with the stacks of what came first.
    pub fn seen(&self) -> (Probe, Vec<FirstStack>) {
        probe::seen(program())
    }
}
