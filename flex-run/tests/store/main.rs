//! The bounds file on a real disk: writers at once, killed writers, full disks, and files that must not be touched.

#![expect(
    clippy::unwrap_used,
    reason = "a folder that cannot be used is no failure of the store"
)]

mod fixture;
mod processes;
mod refused;
mod written;
