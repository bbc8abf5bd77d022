//! The entropy of a run: a stream for each of its threads, all of them decided by the seed.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use chacha20::ChaCha8Rng;
use flex_core::seed::{Phase, Seeds};
use rand_core::{Rng, SeedableRng};

use flex_run::project::env;

/// The entropy of a run, or of a part of it.
#[derive(Debug)]
pub(crate) struct Entropy {
    key: [u8; 32],
    /// Streams and parts that were taken from it.
    taken: AtomicU64,
    /// Whether the run drew anything, by whatever thread.
    drawn: Arc<AtomicBool>,
}

/// What a thread draws.
struct Stream {
    key: [u8; 32],
    rng: ChaCha8Rng,
    drawn: bool,
    /// Children that the thread forked.
    forks: u64,
}

impl Stream {
    fn new(key: [u8; 32]) -> Self {
        Stream {
            key,
            rng: ChaCha8Rng::from_seed(key),
            drawn: false,
            forks: 0,
        }
    }
}

thread_local! {
    static STREAM: RefCell<Option<Stream>> = const { RefCell::new(None) };
}

/// In a forked child, a number that follows from which child of whom it is; 0 elsewhere.
static LINEAGE: AtomicU64 = AtomicU64::new(0);

/// The entropy of the whole process, for threads that are in no run, if the environment states a seed for it.
static PROCESS: OnceLock<Entropy> = OnceLock::new();

/// Reads the environment, before any thread can ask. Nobody waits for it: until it is done, the kernel answers.
pub(crate) fn control_process() {
    let seed = match env::entropy() {
        Ok(None) => return,
        Ok(Some(seed)) => seed,
        Err(error) => {
            eprintln!("error: {error}");
            std::process::exit(2);
        }
    };
    let (phase, run) = seed.run.unwrap_or((Phase::Enforce, 0));
    // Which test asks is not known down here, and the process runs one.
    let seed = Seeds::new(&seed.base, phase, "", "").run(run);
    let _ = PROCESS.set(Entropy::new(derived(seed, OF_RUN)));
}

/// The stream of a seed that decides the entropy; `TestRng` is stream 0 of the same seed.
const OF_RUN: u64 = 1;

impl Entropy {
    /// The entropy of the run under this seed.
    pub fn of_run(seed: [u8; 32]) -> Option<Self> {
        Some(Entropy::new(derived(seed, OF_RUN)))
    }

    pub(crate) fn new(key: [u8; 32]) -> Self {
        Entropy {
            key,
            taken: AtomicU64::new(0),
            drawn: Arc::default(),
        }
    }

    /// A part for a thread of its own: what it draws depends on how many parts were split off before, and on nothing
    /// else.
    pub fn split(&self) -> Self {
        Entropy {
            key: self.next_key(),
            taken: AtomicU64::new(0),
            drawn: Arc::clone(&self.drawn),
        }
    }

    fn next_key(&self) -> [u8; 32] {
        let taken = self.taken.fetch_add(1, Ordering::Relaxed);
        match LINEAGE.load(Ordering::Relaxed) {
            0 => derived(self.key, taken),
            lineage => derived(derived(self.key, lineage), taken),
        }
    }

    /// A stream for a thread of its own.
    fn stream(&self) -> Stream {
        Stream::new(self.next_key())
    }

    /// Whether the run drew anything so far, other than by threads that are still in it.
    pub fn drawn(&self) -> bool {
        self.drawn.load(Ordering::Relaxed)
    }

    /// Lets this thread draw from here while `body` runs.
    pub fn during<T>(&self, body: impl FnOnce() -> T) -> T {
        /// Puts back what was there before, also when `body` panics.
        struct Restore<'a> {
            before: Option<Stream>,
            drawn: &'a AtomicBool,
        }
        impl Drop for Restore<'_> {
            fn drop(&mut self) {
                let stream = STREAM.replace(self.before.take());
                if stream.is_some_and(|stream| stream.drawn) {
                    self.drawn.store(true, Ordering::Relaxed);
                }
            }
        }
        let _restore = Restore {
            before: STREAM.replace(Some(self.stream())),
            drawn: &self.drawn,
        };
        body()
    }
}

fn derived(key: [u8; 32], stream: u64) -> [u8; 32] {
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(stream);
    let mut derived = [0; 32];
    rng.fill_bytes(&mut derived);
    derived
}

/// Draws for this thread, if it is in a controlled run or all of the process is controlled.
pub(crate) fn draw(bytes: &mut [u8]) -> bool {
    with_stream(|stream| {
        stream.drawn |= !bytes.is_empty();
        stream.rng.fill_bytes(bytes);
    })
}

/// This thread forks.
pub(crate) fn before_fork() {
    with_stream(|stream| stream.forks += 1);
}

/// This is the child of a thread that forked: it goes on with streams of its own, which follow from the seed and from
/// how many children came before it.
pub(crate) fn in_forked_child() {
    with_stream(|stream| {
        // Far from the streams of threads, which are counted from 0.
        let key = derived(stream.key, u64::MAX - stream.forks);
        *stream = Stream::new(key);
        let [a, b, c, d, e, f, g, h, ..] = key;
        let lineage = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        LINEAGE.store(lineage | 1, Ordering::Relaxed);
    });
}

/// Does something with the stream of this thread; `false` if it has none.
fn with_stream(work: impl FnOnce(&mut Stream)) -> bool {
    let done = STREAM.try_with(|stream| {
        // A thread that ends and a signal that interrupts a draw get what they would get without flex.
        let Ok(mut stream) = stream.try_borrow_mut() else {
            return false;
        };
        if stream.is_none() {
            // In the order in which threads first ask. Those that run at the same time may change places; whoever
            // repeats the run sees it.
            *stream = PROCESS.get().map(Entropy::stream);
        }
        stream.as_mut().map(work).is_some()
    });
    done.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn() -> [u8; 4] {
        let mut bytes = [0; 4];
        assert!(draw(&mut bytes));
        bytes
    }

    #[test]
    fn what_a_seed_gives_is_fixed_for_good() {
        let entropy = Entropy::of_run([7; 32]).unwrap();
        // By an implementation of ChaCha8 of its own, in Python.
        assert_eq!(entropy.during(drawn), [101, 247, 252, 99]);
        assert_eq!(entropy.split().during(drawn), [23, 215, 75, 12]);
    }

    #[test]
    fn parts_depend_on_their_order_alone() {
        let (a, b) = (Entropy::new([1; 32]), Entropy::new([1; 32]));
        let (first, second) = (a.split(), a.split());
        let parts = (second.during(drawn), first.during(drawn));
        let (first, second) = (b.split(), b.split());
        assert_eq!(
            (first.during(drawn), second.during(drawn)),
            (parts.1, parts.0)
        );
        assert_ne!(parts.0, parts.1);
        assert_ne!(Entropy::new([2; 32]).split().during(drawn), parts.1);
    }

    #[test]
    fn a_run_knows_whether_it_drew() {
        let entropy = Entropy::new([1; 32]);
        entropy.during(|| ());
        entropy.during(|| draw(&mut []));
        assert!(!entropy.drawn());
        let part = entropy.split();
        std::thread::scope(|scope| scope.spawn(|| part.during(drawn)).join().map(|_| ())).unwrap();
        assert!(entropy.drawn());
    }

    #[test]
    fn a_panic_ends_the_control() {
        let panics = || Entropy::new([1; 32]).during(|| std::panic::resume_unwind(Box::new(())));
        assert!(std::panic::catch_unwind(panics).is_err());
        assert!(!draw(&mut [0]));
    }
}
