//! Runs of plain tests: the command, and what the process tells of what its test touched.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use flex_core::seed::SeedRequest;
use flex_run::calibrate::RUNS_IF_FIXED;
use flex_run::model::{FirstStack, Probe, Variability};
use flex_run::project::env;
use flex_run::wire;
use tempfile::TempPath;

use super::places::Places;
use crate::cargo::FoundTest;
use crate::session::tied;

/// The command that runs one plain test, whose entropy follows the seed if there is one.
pub fn plain_command(test: &FoundTest<'_>, seed: Option<&SeedRequest>) -> Command {
    let program = &test.program.program;
    let mut command = tied(&program.exe);
    command
        .args(["--exact", &test.name, "--include-ignored"])
        .args(["--test-threads=1", "--nocapture"])
        .envs(program.env.iter().map(|(name, value)| (name, value)))
        .env_remove(env::PROBE)
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    if let Some(folder) = &program.folder {
        command.current_dir(folder);
    }
    match seed {
        Some(seed) => command.env(env::ENTROPY, seed.to_string()),
        None => command.env_remove(env::ENTROPY),
    };
    command
}

/// Asks a process what its plain test touches.
pub struct PlainProbe(TempPath);

impl PlainProbe {
    /// Has the command tell.
    pub fn of(command: &mut Command) -> io::Result<Self> {
        let file = tempfile::NamedTempFile::new()?.into_temp_path();
        command.env(env::PROBE, &file);
        Ok(PlainProbe(file))
    }

    /// What the process told once it has ended; `None` if it could not, or did not come so far.
    pub fn read(&self) -> Touched {
        wire::read_probe(&std::fs::read(&self.0).ok()?)
    }
}

/// What a run touched, with the stacks of what came first; `None` where nobody could watch to the end.
pub type Touched = Option<(Probe, Vec<FirstStack>)>;

/// What the runs of a plain test touched, each in a process of its own.
#[derive(Default)]
pub struct TouchedRuns {
    probe: Option<Probe>,
    stacks: Vec<FirstStack>,
    made: u32,
    watched: u32,
}

impl TouchedRuns {
    /// Takes what a run touched.
    pub fn take(&mut self, touched: Touched) {
        self.made += 1;
        if let Some((probe, stacks)) = touched {
            self.watched += 1;
            self.probe.get_or_insert_default().absorb(&probe);
            self.stacks.extend(stacks);
        }
    }

    /// Whether the runs show that the test is fixed, provided that all of them showed the same.
    pub fn show_fixed(&self) -> bool {
        let touches_nothing = |probe: &Probe| probe.variability() == Variability::Fixed;
        self.made == RUNS_IF_FIXED
            && self.watched == self.made
            && self.probe.as_ref().is_some_and(touches_nothing)
    }

    /// All that was touched, with its places in the sources.
    pub fn located(&self, places: &Places, exe: &Path) -> Option<Probe> {
        let probe = self.probe.as_ref()?;
        Some(places.located(exe, probe, &self.stacks))
    }
}
