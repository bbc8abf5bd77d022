//! Findings as text for people, and as JSON.
//!
//! Both are data: they belong on standard output.

mod block;
mod fixed;
mod json;
mod replay;
mod summary;
#[cfg(test)]
mod tests;

use crate::verdict::Findings;
pub use fixed::fixed;
use flex_core::paint::Paint;
pub use json::touches;
pub use replay::{base, replay, seed};

/// The findings for people: a block for each, notes, a table of the tests, and a last line that counts.
///
/// Readable without colour, and 80 columns wide but for commands and sources. Assertions of which there is nothing to say
/// are told only if `verbose`, and so are tests in which nothing varies or fails; `paint` adds weight and colour, and no word.
pub fn text(findings: &Findings, verbose: bool, paint: Paint) -> String {
    let mut text = String::new();
    for test in &findings.tests {
        let told = test.findings.iter();
        for finding in told.filter(|finding| verbose || finding.is_notable()) {
            text += &block::block(test, finding, paint);
            text.push('\n');
        }
    }
    text += &summary::notes(findings);
    if !findings.tests.is_empty() {
        text += &summary::table(findings, verbose);
        text.push('\n');
    }
    text + &summary::last_line(findings, paint)
}

/// Everything that was judged, as JSON with `version` 1. Numbers that JSON does not know are the texts `nan`, `inf` and
/// `-inf`, as in the record.
pub fn json(findings: &Findings) -> String {
    json::json(findings)
}
