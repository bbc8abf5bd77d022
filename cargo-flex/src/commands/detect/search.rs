//! What the searches of all tests, annotated or plain, have in common.

use std::path::Path;

use flex_core::search::convergence::End;
use flex_detect::search::{SearchEnd, SearchRule};
use flex_run::calibrate::Gate;

use super::args::DetectArgs;
use crate::session::Display;

/// What all tests have in common.
pub struct Searching<'a> {
    pub args: &'a DetectArgs,
    pub base: &'a str,
    /// The folder of the workspace.
    pub root: &'a Path,
    pub rule: SearchRule,
    pub gate: Gate,
    pub display: &'a Display,
}

/// What is to be said of how a search ended.
pub fn note_of(end: SearchEnd) -> Option<String> {
    let is_cut_short = end == SearchEnd::Rule(End::OutOfTime);
    is_cut_short.then(|| "the time was up before its failure rate was known".to_owned())
}
