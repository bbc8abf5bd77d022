//! Functions that are known to have touched something in the present run, so that another call is only counted.
//!
//! Some tests draw, or look at a clock, a hundred thousand times: such a call takes no lock and needs no interpreter.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// As many functions can report.
pub const ENTRIES: usize = 64;

/// A function in the table of those that report their calls.
struct Counted {
    /// The object whose calls are counted, by its address, and whether the seed decides what they give, in the last bit;
    /// `NOBODY` before a call is known.
    whose: AtomicUsize,
    /// Calls since it is known.
    calls: AtomicU64,
}

static COUNTED: [Counted; ENTRIES] = [const {
    Counted {
        whose: AtomicUsize::new(NOBODY),
        calls: AtomicU64::new(0),
    }
}; ENTRIES];

const NOBODY: usize = 0;
/// Whatever the object is.
const ANYBODY: usize = usize::MAX - 1;
const SEEDED: usize = 1;

/// Counts a call on the object at this address, and returns whether that is all there is to do.
pub fn count(number: usize, object: usize) -> bool {
    let counted = &COUNTED[number];
    let whose = counted.whose.load(Ordering::Relaxed) & !SEEDED;
    let is_known = whose == ANYBODY || (whose == object && whose != NOBODY);
    if is_known {
        counted.calls.fetch_add(1, Ordering::Relaxed);
    }
    is_known
}

/// One more than the highest number of a function that is known.
static KNOWN: AtomicUsize = AtomicUsize::new(0);

/// The functions that may be known, which are none afterwards.
pub fn take_known() -> std::ops::Range<usize> {
    0..KNOWN.swap(0, Ordering::Relaxed)
}

/// From now on, counts calls on the object at this address, or on any.
pub fn know(number: usize, object: Option<usize>, is_seeded: bool) {
    let whose = object.unwrap_or(ANYBODY) | if is_seeded { SEEDED } else { 0 };
    KNOWN.fetch_max(number + 1, Ordering::Relaxed);
    COUNTED[number].whose.store(whose, Ordering::Relaxed);
}

/// Forgets what is known of a function, and returns the calls that were counted and whether the seed decides them.
pub fn forget(number: usize) -> (u64, bool) {
    let counted = &COUNTED[number];
    let whose = counted.whose.swap(NOBODY, Ordering::Relaxed);
    (
        counted.calls.swap(0, Ordering::Relaxed),
        whose & SEEDED != 0,
    )
}
