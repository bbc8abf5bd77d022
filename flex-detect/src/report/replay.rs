//! Which run shows what was found, and the command that repeats it.

use flex_core::words::quoted;

use crate::verdict::{Diagnosis, Finding, JudgedTest, Remark};

/// The seed of one run, as `FLEX_SEED` takes it.
pub(super) fn seed(test: &JudgedTest, run: u32) -> String {
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
