//! How many processes run at a time.

use std::sync::{Condvar, Mutex, PoisonError};

/// Lets only so many processes run at a time.
#[derive(Debug)]
pub struct Gate {
    free: Mutex<usize>,
    freed: Condvar,
}

impl Gate {
    /// A gate for so many processes.
    pub fn new(processes: usize) -> Self {
        Gate {
            free: Mutex::new(processes.max(1)),
            freed: Condvar::new(),
        }
    }

    /// Waits for a place and keeps it while `work` is done.
    pub fn pass<T>(&self, work: impl FnOnce() -> T) -> T {
        struct Place<'a>(&'a Gate);
        impl Drop for Place<'_> {
            fn drop(&mut self) {
                *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
                self.0.freed.notify_one();
            }
        }
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = self
            .freed
            .wait_while(free, |free| *free == 0)
            .unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        drop(free);
        let _place = Place(self);
        work()
    }
}
