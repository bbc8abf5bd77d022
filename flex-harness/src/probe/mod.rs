//! What a run touches that can differ from run to run: counted while it runs, on its own thread
//! (docs/reference/probes.md).
//!
//! The functions that count stand in for libc's, in [`replaced`](crate::replaced). Here is what they count into, without
//! any memory of its own to ask for: they may be called from within an allocator.

mod kind;
mod path;
mod tally;
pub(crate) use {
    kind::TouchKind,
    path::{Folders, LONGEST},
    tally::{Stack, is_watched, keep_stack, seen, start, touched, unwatched, watched},
};
