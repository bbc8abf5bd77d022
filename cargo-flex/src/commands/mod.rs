//! The commands, one file or folder each. None imports another: what two of them need lives outside.

pub mod bisect;
pub mod bound;
pub mod budget;
pub mod calibrate;
pub mod compare;
pub mod completions;
pub mod detect;
pub mod drift;
pub mod engine;
pub mod fix;
pub mod gate;
pub mod ingest;
pub mod man;
pub mod plan;
pub mod reference;
pub mod report;
pub mod review;
pub mod trace;
