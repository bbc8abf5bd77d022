//! Runs that hang: how long one may take, who notices, and how a process is ended with all that it started.
//!
//! A thread cannot be ended, so whatever hangs within a process ends with the process. Where runs have processes of their
//! own, the one that makes the runs notices first, since it alone knows when each began (`runs`); the one that waits for
//! it is the second line (`process`).

pub mod hang;
mod limit;
mod parent;
mod process;
mod runs;
mod thread;

pub use hang::Hang;
pub use limit::{RunLimit, Slowest};
pub use parent::{follow_parent, name_parent};
pub use process::{ProcessEnd, end_children, end_group, in_group, wait};
pub use runs::{RunWatch, end_process};
