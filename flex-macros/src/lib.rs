//! The macros of `flex-harness`, which re-exports them. They know no statistics.

#![forbid(unsafe_code)]
