//! What flex finds in existing tests, and how to mend it.
//!
//! Whoever runs tests, cargo or pytest, writes down what their assertions compared: a [`record::Record`]. From that come
//! verdicts, and from those the patches. Everything here is values in and values out: no file is read, no test is run.

#![forbid(unsafe_code)]

pub mod closeness;
pub mod compare;
pub mod diff;
pub mod domain;
pub mod invocation;
mod limit;
pub mod markdown;
pub mod menu;
mod p_value;
pub mod picture;
pub mod proposal;
pub mod pull_request;
pub mod record;
pub mod report;
pub mod search;
pub mod source;
pub mod trace;
pub mod verdict;
mod xml;
