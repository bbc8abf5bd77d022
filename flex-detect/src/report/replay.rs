//! Which run shows what was found, and the command that repeats it.

use crate::invocation::Invocation;
use crate::verdict::{Diagnosis, Finding, JudgedTest, Remark};

/// The seed of one run, as `FLEX_SEED` takes it.
pub fn seed(test: &JudgedTest, run: u32) -> String {
    format!("{}:{run}", test.seeds)
}

/// The base of the seeds of all runs.
pub fn base(test: &JudgedTest) -> &str {
    test.seeds.split('@').next().unwrap_or_default()
}

/// The command that repeats one run, for the reader to paste; `None` if no seed controls the test.
pub fn replay(test: &JudgedTest, run: u32) -> Option<Invocation> {
    Some(test.replay.as_ref()?.shown(&seed(test, run)))
}

/// The command that repeats any run, with `{seed}` where its seed stands.
pub(super) fn replay_of_any(test: &JudgedTest) -> Option<String> {
    // A word that no shell asks to be quoted, and no test is called.
    const SEED: &str = "%seed%";
    let command = test.replay.as_ref()?.shown(SEED).to_string();
    Some(command.replace(SEED, "{seed}"))
}

/// The run that shows what was found: one that fails, that lies apart, that ended otherwise, or that came nearest.
pub(super) fn telling_run(finding: &Finding) -> Option<u32> {
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
