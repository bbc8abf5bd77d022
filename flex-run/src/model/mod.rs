//! Tests, sites and runs as plain values.

pub mod run;
pub mod site;
pub mod test;
