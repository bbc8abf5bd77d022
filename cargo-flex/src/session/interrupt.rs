//! Interruption: at Ctrl-C or SIGTERM the tests under way are ended, and what is finished is kept and reported. At the
//! second one the program ends at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::exit::Exit;

/// Whether somebody wants the program to end.
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    wanted: Arc<AtomicBool>,
    terminated: Arc<AtomicBool>,
}

impl Interrupt {
    /// Listens from now on. Where signals cannot be had, they end the program, as without us.
    pub fn listen() -> Self {
        let interrupt = Interrupt::default();
        for signal in [SIGINT, SIGTERM] {
            let wanted = || Arc::clone(&interrupt.wanted);
            let _ = flag::register_conditional_shutdown(signal, Exit::Interrupted as i32, wanted());
            let _ = flag::register(signal, wanted());
        }
        let _ = flag::register(SIGTERM, Arc::clone(&interrupt.terminated));
        interrupt
    }

    /// The flag, for whoever lets processes run.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.wanted)
    }

    /// Whether it has happened.
    pub fn has_come(&self) -> bool {
        self.wanted.load(Ordering::Relaxed)
    }

    /// Whether it came to this process alone: Ctrl-C comes to all that a terminal runs.
    pub fn has_come_here_only(&self) -> bool {
        self.terminated.load(Ordering::Relaxed)
    }
}
