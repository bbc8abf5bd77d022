//! What a `fix` is about, for all that is said and done with it.

use flex_detect::diff::unified;
use flex_detect::menu::Standing;
use flex_detect::proposal::{Patch, Plan};
use flex_detect::record::Record;
use flex_detect::verdict::Findings;

use super::args::FixArgs;

/// What was recorded, found and planned.
pub struct Work<'a> {
    pub args: &'a FixArgs,
    pub record: &'a Record,
    pub findings: &'a Findings,
    pub plan: &'a Plan,
}

impl Work<'_> {
    /// A patch as a diff that is applied in the current folder.
    pub fn diff(&self, patch: &Patch) -> String {
        let path = self.record.root.join(&patch.file);
        let here = std::env::current_dir().unwrap_or_default();
        let shown = path.strip_prefix(&here).unwrap_or(&patch.file);
        let shown = shown.to_string_lossy().replace('\\', "/");
        unified(&shown, &patch.before, &patch.after)
    }

    /// The last patch of each file, after which it is what it will be.
    pub fn last_patches(&self) -> Vec<&Patch> {
        let patches = &self.plan.patches;
        let is_last = |at: usize| !patches[at + 1..].iter().any(|p| p.file == patches[at].file);
        let last = (0..patches.len()).filter(|at| is_last(*at));
        last.map(|at| &patches[at]).collect()
    }

    /// How many assertions can fail a build and get no patch.
    pub fn unmended(&self) -> usize {
        let proposals = self.plan.proposals.iter();
        let remain = proposals.filter(|proposal| {
            let is_fine = proposal.menu.standing == Standing::Keep;
            proposal.finding.is_finding() && proposal.choice.is_err() && !is_fine
        });
        let mut places: Vec<_> = remain
            .map(|proposal| (proposal.test, proposal.finding.site))
            .collect();
        places.dedup();
        places.len()
    }
}
