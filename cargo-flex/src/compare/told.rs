//! What came of a comparison, with all that belongs to it, and what it says about the exit code.

use flex_detect::compare::{Compared, Revision, SeriesVerdict, VERSION};
use flex_run::model::Runner;

use super::{ComparedTests, Plan};
use crate::exit::{Exit, Failure};
use crate::git::{Commit, Repository};

impl ComparedTests {
    /// The comparison of the checkout with an older commit, and its exit codes.
    pub fn told(
        self,
        plan: &Plan<'_>,
        runner: Runner,
        repository: &Repository,
        (name, commit): (&str, &Commit),
    ) -> Result<(Compared, Vec<Exit>), Failure> {
        let compared = Compared {
            version: VERSION,
            runner,
            old: Revision {
                name: Some(name.to_owned()),
                commit: commit.id().to_owned(),
            },
            new: Revision {
                name: None,
                commit: repository.head()?.id().to_owned(),
            },
            base: plan.base.to_owned(),
            alpha: plan.alpha,
            margin: plan.rule.margin,
            tests: self.tests,
            gone: self.gone,
            added: self.added,
        };
        let exits = self.exits.into_iter().chain(exit_of(&compared)).collect();
        Ok((compared, exits))
    }
}

/// What the verdicts say about the exit code: something worse is a finding, and a margin that was asked for and not shown
/// is an answer that is missing.
fn exit_of(compared: &Compared) -> Option<Exit> {
    let is_open = compared.margin.is_some() && compared.has(SeriesVerdict::Undecided);
    match compared.has(SeriesVerdict::Worse) {
        true => Some(Exit::Findings),
        false => is_open.then_some(Exit::Refused),
    }
}
