//! Findings as text for people, and as JSON.
//!
//! Both are data: they belong on standard output.

mod block;
mod json;
mod summary;
#[cfg(test)]
mod tests;

use flex_core::words::quoted;

use crate::verdict::{Diagnosis, Finding, Findings, JudgedTest, Remark};

/// The findings for people: a block for each, notes, a table of the tests, and a last line that counts.
///
/// Readable without colour, and 80 columns wide but for commands and sources. Assertions of which there is nothing to say
/// are told only if `verbose`.
pub fn text(findings: &Findings, verbose: bool) -> String {
    let mut text = String::new();
    for test in &findings.tests {
        let told = test.findings.iter();
        for finding in told.filter(|finding| verbose || finding.is_notable()) {
            text += &block::block(test, finding);
            text.push('\n');
        }
    }
    text += &summary::notes(findings);
    if !findings.tests.is_empty() {
        text += &summary::table(findings);
        text.push('\n');
    }
    text + &summary::last_line(findings)
}

/// Everything that was judged, as JSON with `version` 1. Numbers that JSON does not know are the texts `nan`, `inf` and
/// `-inf`, as in the record.
pub fn json(findings: &Findings) -> String {
    json::json(findings)
}

/// The seed of one run, as `FLEX_SEED` takes it.
fn seed(test: &JudgedTest, run: u32) -> String {
    format!("{}:{run}", test.seeds)
}

/// The command that repeats one run; `None` if no seed controls the test.
pub fn replay(test: &JudgedTest, run: u32) -> Option<String> {
    let command = test.replay.as_ref()?;
    Some(command.replace("{seed}", &quoted(&seed(test, run))))
}

/// The command that runs the whole test under the base of its seeds; `None` if no seed controls it.
pub fn replay_all(test: &JudgedTest) -> Option<String> {
    let command = test.replay.as_ref()?;
    let base = test.seeds.split('@').next().unwrap_or_default();
    Some(command.replace("{seed}", &quoted(base)))
}

/// The run that shows what was found: one that fails, that lies apart, that ended otherwise, or that came nearest.
fn telling_run(finding: &Finding) -> Option<u32> {
    let failed = finding.figures.failed.first().copied();
    let apart = match &finding.verdict {
        Diagnosis::SecondMode(cluster) => cluster.runs.first().copied(),
        _ => None,
    };
    let remarked = finding.remarks.iter().find_map(|remark| match remark {
        Remark::OtherOutcome(runs) => runs.first().copied(),
        Remark::FailsAsWritten => Some(0),
        _ => None,
    });
    failed.or(apart).or(remarked).or(finding.figures.nearest)
}
