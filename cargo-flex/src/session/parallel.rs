//! Work in parallel.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Does some work for each of many, `jobs` at a time, begun in their order.
pub fn for_each<T: Send>(all: Vec<T>, jobs: usize, work: impl Fn(T) + Sync) {
    let queue = Mutex::new(VecDeque::from(all));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let next = locked(&queue).pop_front();
                    let Some(next) = next else { break };
                    work(next);
                }
            });
        }
    });
}

/// Locks a mutex. What other threads left behind is whole: nothing panics while it holds a lock.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
