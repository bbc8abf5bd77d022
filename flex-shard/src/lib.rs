//! Runs that were made in many places, as files and put together again.
//!
//! A *shard* makes a part of the runs of all tests and writes a [file](mod@file); it decides nothing. Whoever has the files of
//! all shards puts the runs of each test together, which is a [union](mod@union): files may come in any order, more than once,
//! cut short, or not at all. What is put together [answers](mod@answers) the machines that usually start processes, and if it
//! cannot, a [plan] says which runs are to be made next.

#![forbid(unsafe_code)]

pub mod answers;
pub mod auto;
pub mod calibrate;
pub mod deal;
pub mod file;
pub mod folder;
pub mod plan;
pub mod platform;
pub mod report;
mod shard;
pub mod share;
mod test_key;
pub mod union;

pub use shard::{Shard, WrongShard};
pub use test_key::TestKey;
