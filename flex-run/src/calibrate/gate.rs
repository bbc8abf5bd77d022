//! How many processes run at a time, and where they leave what they recorded.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use crate::scratch::Scratch;
use crate::watch::{ProcessEnd, in_group, wait};

/// Lets only so many processes run at a time.
#[derive(Debug)]
pub struct Gate {
    free: Mutex<usize>,
    freed: Condvar,
    closed: Arc<AtomicBool>,
    /// A folder for each program that runs.
    scratches: Mutex<Vec<(PathBuf, Arc<Scratch>)>>,
}

impl Gate {
    /// A gate for so many processes.
    pub fn new(processes: usize) -> Self {
        Gate {
            free: Mutex::new(processes.max(1)),
            freed: Condvar::new(),
            closed: Arc::default(),
            scratches: Mutex::default(),
        }
    }

    /// The same, closed for good as soon as somebody sets this: what runs is ended, and nothing else begins.
    pub fn closed_by(self, closed: Arc<AtomicBool>) -> Self {
        Gate { closed, ..self }
    }

    /// A folder for the files of this program's processes, below this one, which is asked for once. It is there as long as
    /// the gate is.
    pub(super) fn scratch(
        &self,
        exe: &Path,
        parent: impl FnOnce() -> PathBuf,
    ) -> io::Result<Arc<Scratch>> {
        let mut scratches = (self.scratches.lock()).unwrap_or_else(PoisonError::into_inner);
        if let Some((_, scratch)) = scratches.iter().find(|(known, _)| known == exe) {
            return Ok(Arc::clone(scratch));
        }
        let scratch = Arc::new(Scratch::within(&parent())?);
        scratches.push((exe.to_owned(), Arc::clone(&scratch)));
        Ok(scratch)
    }

    /// Whether nothing is to run any more.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Starts a process of a test and waits for it, as soon as there is a place for it. It is ended with all that it
    /// started when the time is up, and when the gate is closed.
    pub fn run(&self, until: Option<Instant>, command: &mut Command) -> io::Result<ProcessEnd> {
        self.run_looking(until, command, &|| {})
    }

    /// The same, and somebody looks at it meanwhile.
    pub fn run_looking(
        &self,
        until: Option<Instant>,
        command: &mut Command,
        look: &dyn Fn(),
    ) -> io::Result<ProcessEnd> {
        self.pass(|| {
            if self.is_closed() {
                return Ok(ProcessEnd::Stopped);
            }
            let mut child = in_group(command).spawn()?;
            wait(&mut child, until, &self.closed, look)
        })
    }

    /// Waits for a place and keeps it while `work` is done.
    fn pass<T>(&self, work: impl FnOnce() -> T) -> T {
        struct Seat<'a>(&'a Gate);
        impl Drop for Seat<'_> {
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
        let _place = Seat(self);
        work()
    }
}
