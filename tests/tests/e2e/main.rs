//! The real program on real crates, as a user runs it. One test program for all of them: they share what they build, and
//! run side by side where they do not share a package.

mod archive;
mod attempts;
mod bound;
mod calibrate;
mod ci;
mod claims;
mod compare;
mod config;
mod corpus;
mod detect;
mod enforce;
#[cfg(target_os = "linux")]
mod engine;
#[cfg(target_os = "linux")]
mod entropy;
mod expensive;
mod features;
mod fix;
mod gate;
#[cfg(target_os = "linux")]
mod hangs;
mod harness_kinds;
mod held;
mod history;
mod hostile;
mod journey;
mod merge;
mod plan;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod probes;
mod promises;
mod published;
mod recalibration;
mod record;
mod report;
mod review;
#[cfg(target_os = "linux")]
mod sharded;
mod shards;
mod store_cli;
mod targets;
mod terminal;
mod times;
mod trace;
