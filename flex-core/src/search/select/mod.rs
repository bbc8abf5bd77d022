//! Choosing features that tell some of many from the others: which functions flaky tests call, and others do not
//! (docs/design/trace.md, "Learning which functions tell").

mod bits;
mod folds;
mod greedy;

pub use bits::BitSet;
pub use folds::folds;
pub use greedy::{Labelled, betas, choose, f_beta};
