//! Engines: who makes the shards of a calibration, and what is done when workers die.
//!
//! The [handout] decides which shard is where, as a machine without IO; a [round] drives it with what a [scheduler] tells:
//! Slurm, Dask, Ray, or processes on this machine. A [journal] lets a second submitter go on where the first was killed.

mod args;
mod command;
mod driver;
mod handout;
mod journal;
mod local;
mod round;
mod scheduler;
mod shown;
mod slurm;
mod words;

pub use args::EngineOptions;
pub use command::ShardCommand;
pub use driver::Driver;
pub use journal::{Held, Journal, LOCK};
pub use local::Local;
pub use round::{Round, RoundEnd};
pub use scheduler::Scheduler;
pub use shown::Shown;
pub use slurm::Slurm;
