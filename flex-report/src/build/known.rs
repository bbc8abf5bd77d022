//! All that is known of one test, before it is put together; and the commands that make its runs again.

use flex_bounds::file::Entry;
use flex_core::seed::{Phase, SeedRequest};
use flex_detect::compare::ComparedTest;
use flex_detect::record::ObservedTest;
use flex_detect::verdict::JudgedTest;
use flex_run::model::Runner;
use flex_run::project::commands::Commands;

use crate::kept::{Calibration, VerdictLine};

/// All that is known of a test.
#[derive(Debug, Default)]
pub struct Known<'a> {
    pub entries: Vec<&'a Entry>,
    pub pending: Vec<&'a Entry>,
    /// The older ones first.
    pub calibrations: Vec<&'a Calibration>,
    /// In the order of time.
    pub verdicts: Vec<&'a VerdictLine>,
    pub observed: Option<(&'a ObservedTest, &'a JudgedTest)>,
    pub compared: Option<&'a ComparedTest>,
}

impl<'a> Known<'a> {
    /// The last calibration.
    pub fn calibration(&self) -> Option<&'a Calibration> {
        self.calibrations.last().copied()
    }

    /// The calibration that an entry was learned from, if what it saw was kept.
    pub fn calibration_of(&self, entry: &Entry) -> Option<&'a Calibration> {
        let base = entry.base.as_deref()?;
        let mut newest = self.calibrations.iter().rev();
        newest.find(|one| one.base == base).copied()
    }
}

/// The command that makes a run of a calibration again.
pub fn replay_of(calibration: &Calibration, runner: Runner) -> String {
    let commands = Commands {
        runner,
        selection: &calibration.about.selection,
    };
    let seed = SeedRequest {
        base: calibration.base.clone(),
        run: Some((Phase::Calibrate, ANY_RUN)),
    };
    any_run(&commands.replay(&seed))
}

/// A run that no test has, which stands for any.
pub const ANY_RUN: u64 = 987_654_321;

/// A command for [`ANY_RUN`], as one for any run.
pub fn any_run(command: &str) -> String {
    command.replace(&ANY_RUN.to_string(), "{run}")
}
