//! The watch over runs in this process: a thread that notices a run that does not end.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError, Weak};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use flex_core::seed::Phase;

use super::hang::{Hang, rounded};
use super::limit::RunLimit;
use super::process::end_children;
use super::thread::{beside, look_regularly};

/// The longest that nobody looks.
const PAUSE: Duration = Duration::from_millis(200);

/// What hangs may hold what the end of a process waits for; so much later it ends in any case.
const PATIENCE: Duration = Duration::from_secs(2);

/// The watch over the runs of one test. Until a run has a limit, it costs two looks at the clock.
#[derive(Debug)]
pub struct RunWatch {
    limit: RunLimit,
    /// When every run must have ended, whatever its limit is.
    all_by: Option<Instant>,
    slot: Option<Arc<Slot>>,
}

/// What is done about a run that hangs; `true` says that it exceeded its own limit, and not only that of all runs.
pub type OnHang = Box<dyn Fn(&Hang, bool) + Send + Sync>;

struct Slot {
    under_way: Mutex<Option<UnderWay>>,
    /// Whether a run was said to hang. Whatever becomes of it now, it has failed.
    has_hung: AtomicBool,
    on_hang: OnHang,
}

impl std::fmt::Debug for Slot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Slot").finish_non_exhaustive()
    }
}

struct UnderWay {
    began: Instant,
    due: Instant,
    limit: RunLimit,
    base: Arc<str>,
    phase: Phase,
    run: u64,
    thread: Thread,
}

/// All that is watched, by the one thread that does it.
static SLOTS: Mutex<Vec<Weak<Slot>>> = Mutex::new(Vec::new());

impl RunWatch {
    /// Watches runs; `on_hang` is called on another thread while the run still hangs, and ends the process.
    pub fn new(limit: RunLimit, all_by: Option<Instant>, on_hang: OnHang) -> Self {
        let slot = Arc::new(Slot {
            under_way: Mutex::new(None),
            has_hung: AtomicBool::new(false),
            on_hang,
        });
        locked(&SLOTS).push(Arc::downgrade(&slot));
        RunWatch {
            limit,
            all_by,
            slot: Some(slot),
        }
    }

    /// Knows the limit of each run, and leaves it to somebody else to keep it.
    pub fn by_others(limit: RunLimit) -> Self {
        RunWatch {
            limit,
            all_by: None,
            slot: None,
        }
    }

    /// The limit of the next run.
    pub fn limit(&self) -> Option<Duration> {
        self.limit.of_next()
    }

    /// A run begins on this thread. Hand the answer to [`RunWatch::end`].
    pub fn begin(&self, base: &Arc<str>, phase: Phase, run: u64) -> Instant {
        let began = Instant::now();
        let own = self.limit.of_next();
        let own = own.and_then(|limit| began.checked_add(limit));
        let due = own.into_iter().chain(self.all_by).min();
        if let (Some(slot), Some(due)) = (&self.slot, due) {
            static WATCHING: Once = Once::new();
            WATCHING.call_once(|| look_regularly(look));
            *locked(&slot.under_way) = Some(UnderWay {
                began,
                due,
                limit: self.limit,
                base: Arc::clone(base),
                phase,
                run,
                thread: thread::current(),
            });
        }
        began
    }

    /// The run has ended.
    pub fn end(&mut self, began: Instant) {
        if let Some(slot) = &self.slot {
            *locked(&slot.under_way) = None;
            while slot.has_hung.load(Ordering::Relaxed) {
                // It ended after all, as when what it waits for is ended first. The process is about to end, and must not
                // come to another end before.
                thread::park();
            }
        }
        self.limit.took(began.elapsed());
    }

    /// The slowest run so far.
    pub fn slowest(&self) -> Option<Duration> {
        self.limit.slowest()
    }
}

/// Looks at every run that is under way, and says when the next is due.
fn look(now: Instant) -> Duration {
    let mut pause = PAUSE;
    let slots: Vec<Arc<Slot>> = {
        let mut slots = locked(&SLOTS);
        slots.retain(|slot| slot.strong_count() > 0);
        slots.iter().filter_map(Weak::upgrade).collect()
    };
    for slot in slots {
        let hang = match &*locked(&slot.under_way) {
            Some(run) if run.due <= now => {
                slot.has_hung.store(true, Ordering::Relaxed);
                Some(run.hang(now))
            }
            Some(run) => {
                pause = pause.min(run.due - now);
                None
            }
            None => None,
        };
        // Without the lock, since a run that ends after all must not wait for what is done about it.
        if let Some((hang, is_own)) = hang {
            (slot.on_hang)(&hang, is_own);
        }
    }
    pause
}

impl UnderWay {
    fn hang(&self, now: Instant) -> (Hang, bool) {
        let after = now - self.began;
        let hang = Hang {
            base: self.base.to_string(),
            phase: self.phase,
            run: self.run,
            after: rounded(after),
            thread: self.thread.name().map(str::to_owned),
        };
        (hang, self.limit.is_exceeded_by(after))
    }
}

/// Says why, past what captures the output of tests, and ends the process in any case, with what it started.
pub fn end_process(words: &str, code: i32) -> ! {
    beside(|| {
        thread::sleep(PATIENCE);
        std::process::abort();
    });
    // If standard error is gone, there is nobody to tell.
    let _ = std::io::stderr().write_all(words.as_bytes());
    end_children();
    std::process::exit(code)
}

/// Locks a mutex. Nothing panics while it holds one of these.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn watched(
        limit: RunLimit,
        all_by: Option<Instant>,
    ) -> (RunWatch, mpsc::Receiver<(Hang, bool)>) {
        let (send, receive) = mpsc::channel();
        let send = Mutex::new(send);
        let on_hang = Box::new(move |hang: &Hang, is_own| {
            let _ = locked(&send).send((hang.clone(), is_own));
        });
        (RunWatch::new(limit, all_by, on_hang), receive)
    }

    const SOON: Duration = Duration::from_millis(20);
    /// Longer than any machine takes to come to it.
    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_run_that_does_not_end_is_noticed_with_its_seed_and_thread() {
        let (watch, noticed) = watched(RunLimit::new(Some(SOON), None), None);
        let thread = thread::Builder::new().name("the test".to_owned());
        let began = move || {
            watch.begin(&"base".into(), Phase::Enforce, 3);
            watch
        };
        let _watch = thread.spawn(began).unwrap().join().unwrap();
        let (hang, is_own) = noticed.recv_timeout(LONG).unwrap();
        assert!(is_own && hang.after >= SOON);
        assert_eq!(hang.seed().to_string(), "base@enforce:3");
        assert_eq!(hang.thread.as_deref(), Some("the test"));
    }

    #[test]
    fn a_run_that_ends_is_not_noticed() {
        let (mut watch, noticed) = watched(RunLimit::new(Some(LONG), None), None);
        let began = watch.begin(&"base".into(), Phase::Enforce, 0);
        watch.end(began);
        assert!(noticed.try_recv().is_err() && watch.slowest().is_some());
    }

    #[test]
    fn when_the_time_of_all_is_up_it_is_known_whether_the_run_hangs() {
        for (slowest, expected) in [(None, false), (Some(Duration::from_millis(1)), true)] {
            let by = Instant::now() + 2 * SOON;
            let (watch, noticed) = watched(RunLimit::new(None, slowest), Some(by));
            watch.begin(&"base".into(), Phase::Calibrate, 0);
            let (_, is_own) = noticed.recv_timeout(LONG).unwrap();
            assert_eq!(is_own, expected);
        }
    }
}
