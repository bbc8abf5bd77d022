//! What is said of shards: what is missing and how it is made, and what speaks against what is there.

use std::collections::BTreeMap;

use flex_core::words::{count, duration};

use crate::TestKey;
use crate::answers::Answers;
use crate::calibrate::Wanted;
use crate::folder::{ShardStatus, Shards};
use crate::plan::{Plan, PlannedTest, VERSION};
use crate::union::RunConflict;

/// What is missing of one test.
#[derive(Debug)]
pub struct Missing {
    /// The test.
    pub key: TestKey,
    /// What it wants.
    pub wanted: Wanted,
    /// How long its runs take; 0 if nobody knows.
    pub seconds_per_run: f64,
}

/// What runs on several kinds of machines tell.
#[derive(Debug, Default)]
pub struct Kinds {
    /// Runs that were made on two of them, and showed the same.
    pub agreed: u32,
    /// Tests with a run that did not.
    pub differing: BTreeMap<TestKey, RunConflict>,
}

impl Kinds {
    /// Adds what is known of one test.
    pub fn add(&mut self, test: &TestKey, answers: &Answers) {
        let (agreed, differing) = answers.between_platforms();
        self.agreed += agreed;
        self.differing
            .extend(differing.map(|conflict| (test.clone(), conflict)));
    }
}

/// The plan of a further round, in which what is missing is made.
pub fn plan_for(shards: &Shards, missing: &[Missing]) -> Plan {
    let tests = missing.iter().map(|missing| {
        PlannedTest::new(
            missing.key.clone(),
            &missing.wanted,
            missing.seconds_per_run,
        )
    });
    let tests: Vec<PlannedTest> = tests.collect();
    let header = shards.header();
    Plan {
        version: VERSION,
        command: header.command.clone(),
        phase: header.phase.clone(),
        base: header.base.clone(),
        round: shards.round() + 1,
        runs: tests.iter().map(PlannedTest::count).sum(),
        seconds: tests
            .iter()
            .map(|test| test.count() as f64 * test.seconds_per_run)
            .sum(),
        tests,
    }
}

/// Shards that are lost or cut, in lines, with the command that makes each.
pub fn lost_in_words(shards: &Shards) -> Vec<String> {
    let mut lines = Vec::new();
    for status in shards.status().iter().filter(|status| !status.whole) {
        lines.push(shard_in_words(status));
        lines.extend(
            shards
                .command_for(status)
                .map(|command| format!("  {command}")),
        );
    }
    lines
}

/// What is missing, in lines: shards that are lost or cut, and runs.
pub fn missing_in_words(shards: &Shards, plan: &Plan, written_to: &str) -> Vec<String> {
    let mut lines = lost_in_words(shards);
    let mut new = 0;
    for test in &plan.tests {
        if test.all {
            new += 1;
            continue;
        }
        let runs = count(test.count() as usize, "run", "runs");
        let what = match (test.runs.is_empty(), test.repeat.is_empty()) {
            (false, _) => "further runs",
            (true, false) => "runs that are made once more, in another process",
            (true, true) => "a run that confirms that nothing varies",
        };
        lines.push(format!("more runs: {}: {runs} ({what})", test.key));
    }
    if new > 0 {
        let tests = count(new, "test", "tests");
        lines.push(format!(
            "more runs: all of {tests} of which no shard holds any"
        ));
    }
    let runs = match (plan.runs, new) {
        (0, _) => "all ".to_owned(),
        (runs, 0) => format!("{} ", count(runs as usize, "run", "runs")),
        (runs, _) => format!("{} and all of others ", count(runs as usize, "run", "runs")),
    };
    let tests = count(plan.tests.len(), "test", "tests");
    let takes = match plan.seconds > 0.0 {
        true => format!(", {} one after the other", duration(plan.seconds)),
        false => String::new(),
    };
    lines.push(format!(
        "error: not enough to decide: {runs}of {tests} are missing{takes}; nothing was written but {written_to}"
    ));
    lines
}

fn shard_in_words(status: &ShardStatus) -> String {
    let shard = status.shard;
    let round = match status.round {
        1 => String::new(),
        round => format!(" of round {round}"),
    };
    let hosts = status.hosts.join(", ");
    let damaged = match status.damaged {
        0 => String::new(),
        frames => format!(
            ", {} damaged or cut",
            count(frames, "record is", "records are")
        ),
    };
    match status.tests {
        0 if status.hosts.is_empty() => format!("missing: shard {shard}{round}; to make it:"),
        _ if status.out_of_time => format!(
            "not whole: shard {shard}{round} on {hosts} had no time left{damaged}; to make the rest:"
        ),
        tests => format!(
            "not whole: shard {shard}{round} on {hosts} ended early, with {}{damaged}; to make the rest:",
            count(tests, "test", "tests")
        ),
    }
}

/// What is to be said of several kinds of machines; nothing if there is one.
pub fn kinds_in_words(shards: &Shards, kinds: &Kinds) -> Vec<String> {
    let platforms = shards.platforms();
    if platforms.len() < 2 {
        return Vec::new();
    }
    let mut lines = vec![format!(
        "warning: the shards come from {} kinds of machines:",
        platforms.len()
    )];
    let numbered = (1..).zip(platforms);
    lines.extend(numbered.map(|(number, platform)| format!("  kind {number}: {platform}")));
    for (test, conflict) in &kinds.differing {
        let (one, other) = conflict.platforms;
        lines.push(format!(
            "  {test}: values differ between kinds {} and {}: {conflict}",
            one.min(other) + 1,
            one.max(other) + 1
        ));
    }
    let runs = count(kinds.agreed as usize, "run that was", "runs that were");
    lines.push(match kinds.differing.is_empty() {
        true if kinds.agreed == 0 => {
            "  no run was made on two of them: whether values differ is not known".to_owned()
        }
        true => format!("  {runs} made on two of them showed the same"),
        false => "hint: bounds allow for last digits; if more differs, learn a variant for each kind: FLEX_VARIANT, or `[[variant]]` in flex.toml".to_owned(),
    });
    lines
}

/// What is to be said of a test whose runs were not the same twice; `None` if all were.
pub fn conflicts_in_words(label: &str, conflicts: &[RunConflict]) -> Option<String> {
    let words = first_and_more(conflicts)?;
    Some(format!(
        "error: {label}: randomness is not controlled: under one seed, {words}"
    ))
}

/// The same where that is no reason to fail.
pub fn conflicts_as_warning(label: &str, conflicts: &[RunConflict]) -> Option<String> {
    let words = first_and_more(conflicts)?;
    Some(format!(
        "warning: {label}: runs were made twice, and were not the same: {words}"
    ))
}

fn first_and_more(conflicts: &[RunConflict]) -> Option<String> {
    let first = conflicts.first()?;
    Some(match conflicts.len() {
        1 => first.to_string(),
        all => format!("{first}, and {} more", all - 1),
    })
}
