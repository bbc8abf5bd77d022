//! Which tests pass under which seeds: by the test programs themselves, and by whole commands.

use std::collections::BTreeMap;

use xtask::process::{output, printed};

use crate::project::{Build, Project};

/// Seeds that also go through `cargo test` and `cargo nextest run` themselves.
const WHOLE_SEEDS: usize = 5;

/// Outcomes by seed, then by target and test: whether the test passed.
pub type SeedVerdicts = Vec<BTreeMap<(String, String), bool>>;

/// Runs the test programs themselves under the seeds 0, 1, …
pub fn outcomes(project: &Project, seeds: usize) -> Result<SeedVerdicts, String> {
    let programs = project.build(Build::Dev)?;
    (0..seeds)
        .map(|seed| {
            let mut found = BTreeMap::new();
            for (target, exe) in &programs {
                let mut command = project.program(exe);
                let output = output(command.env("FLEX_SEED", seed.to_string()))?;
                let text = printed(&output);
                let tests = text.lines().filter_map(|line| {
                    let (name, word) = line.strip_prefix("test ")?.split_once(" ... ")?;
                    Some(((target.clone(), name.trim().to_owned()), word == "ok"))
                });
                found.extend(tests);
            }
            Ok(found)
        })
        .collect()
}

/// A test command as users type it.
pub struct WholeCommand {
    /// The command as it is typed.
    pub command: &'static str,
    /// Outcomes of unchanged and of broken code.
    pub verdicts: [usize; 2],
    /// Those that were the same as under the test program itself.
    pub same: [usize; 2],
}

impl WholeCommand {
    /// Nothing compared yet.
    pub fn new(command: &'static str) -> Self {
        WholeCommand {
            command,
            verdicts: [0; 2],
            same: [0; 2],
        }
    }

    /// Compares the verdicts of this command with those of the test programs, under a few seeds.
    pub fn compare(
        &mut self,
        project: &Project,
        known: &SeedVerdicts,
        at: usize,
    ) -> Result<(), String> {
        let args: &[&str] = match self.command {
            "cargo test" => &["test", "--no-fail-fast"],
            _ => &["nextest", "run", "--no-fail-fast", "--status-level=all"],
        };
        for (seed, known) in known.iter().take(WHOLE_SEEDS).enumerate() {
            let mut command = project.cargo(args);
            let text = printed(&output(command.env("FLEX_SEED", seed.to_string()))?);
            let count = |passed: bool| {
                let is = |line: &&str| match (line.strip_prefix("test "), passed) {
                    (Some(rest), true) => rest.ends_with("... ok"),
                    (Some(rest), false) => rest.ends_with("... FAILED"),
                    // nextest names failures again at its end, after the summary.
                    (None, true) => line.trim_start().starts_with("PASS ["),
                    (None, false) => line.trim_start().starts_with("FAIL ["),
                };
                let before_summary = |line: &&str| !line.trim_start().starts_with("Summary [");
                text.lines().take_while(before_summary).filter(is).count()
            };
            let expected = |passed| known.values().filter(|p| **p == passed).count();
            let (reds, greens) = (count(false), count(true));
            self.verdicts[at] += known.len();
            self.same[at] += reds.min(expected(false)) + greens.min(expected(true));
        }
        Ok(())
    }
}
