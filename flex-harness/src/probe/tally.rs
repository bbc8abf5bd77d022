//! How often a run touched what, and where first.
//!
//! One run is watched at a time, on one thread. What other threads do is not counted: that they were started is.

use std::cell::Cell;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};

use flex_run::model::{FirstStack, Probe, Touch};

use super::kind::TouchKind;

const KINDS: usize = TouchKind::ALL.len();

/// Frames of a stack that are kept.
const DEPTH: usize = 64;

/// Bytes of the first path that are kept.
const PATH: usize = 256;

thread_local! {
    /// Nothing is initialised or dropped, so that it can be read at any time, by whoever calls.
    static IS_WATCHED: Cell<bool> = const { Cell::new(false) };
}

static COUNTS: [AtomicU64; KINDS] = [const { AtomicU64::new(0) }; KINDS];
static STACKS: [[AtomicUsize; DEPTH]; KINDS] =
    [const { [const { AtomicUsize::new(0) }; DEPTH] }; KINDS];
static FILE: [AtomicU8; PATH] = [const { AtomicU8::new(0) }; PATH];

/// Return addresses, innermost first.
#[derive(Debug)]
pub(crate) struct Stack {
    frames: [usize; DEPTH],
    length: usize,
}

impl Stack {
    pub const EMPTY: Stack = Stack {
        frames: [0; DEPTH],
        length: 0,
    };

    /// Adds an address; `false` if there is no room for more.
    pub fn push(&mut self, address: usize) -> bool {
        if let Some(frame) = self.frames.get_mut(self.length) {
            *frame = address;
            self.length += 1;
        }
        self.length < DEPTH
    }
}

/// Whether what this thread does is counted.
pub(crate) fn is_watched() -> bool {
    IS_WATCHED.get()
}

/// Forgets what was counted.
pub(crate) fn start() {
    for count in &COUNTS {
        count.store(0, Ordering::Relaxed);
    }
}

/// Counts what `body` does on this thread.
pub(crate) fn watched<T>(body: impl FnOnce() -> T) -> T {
    with_watch(true, body)
}

/// Does not count what `body` does.
pub(crate) fn unwatched<T>(body: impl FnOnce() -> T) -> T {
    with_watch(false, body)
}

fn with_watch<T>(is_watched: bool, body: impl FnOnce() -> T) -> T {
    /// Puts back what was there before, also when `body` panics.
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            IS_WATCHED.set(self.0);
        }
    }
    let _restore = Restore(IS_WATCHED.replace(is_watched));
    body()
}

/// This thread, which is watched, touches something; whether that is the first time.
pub(crate) fn touched(kind: TouchKind) -> bool {
    COUNTS[kind as usize].fetch_add(1, Ordering::Relaxed) == 0
}

/// Keeps where something was touched first, and for a file which one it was.
pub(crate) fn keep_stack(kind: TouchKind, stack: &Stack, path: &[u8]) {
    let frames = stack.frames.iter().zip(&STACKS[kind as usize]);
    for (index, (address, kept)) in frames.enumerate() {
        let address = if index < stack.length { *address } else { 0 };
        kept.store(address, Ordering::Relaxed);
    }
    if kind == TouchKind::File {
        for (index, kept) in FILE.iter().enumerate() {
            kept.store(path.get(index).copied().unwrap_or(0), Ordering::Relaxed);
        }
    }
}

/// All that was counted, and the stacks of what came first; addresses count from the beginning of the program.
pub(crate) fn seen(program: usize) -> (Probe, Vec<FirstStack>) {
    let (mut probe, mut stacks) = (Probe::default(), Vec::new());
    for kind in TouchKind::ALL {
        let count = COUNTS[kind as usize].load(Ordering::Relaxed);
        if count == 0 {
            continue;
        }
        let what = match kind {
            TouchKind::File => format!("{} {}", kind.what(), first_file()),
            _ => kind.what().to_owned(),
        };
        let frames = STACKS[kind as usize].iter();
        let addresses = frames.map(|frame| frame.load(Ordering::Relaxed));
        stacks.push(FirstStack {
            what: what.clone(),
            frames: addresses
                .take_while(|address| *address != 0)
                .map(|address| address.wrapping_sub(program) as u64)
                .collect(),
        });
        probe.add(Touch {
            cause: kind.cause(),
            what,
            seeded: kind.is_seeded(),
            count,
            place: None,
        });
    }
    (probe, stacks)
}

fn first_file() -> String {
    let bytes = FILE.iter().map(|byte| byte.load(Ordering::Relaxed));
    let path: Vec<u8> = bytes.take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&path).into_owned()
}
