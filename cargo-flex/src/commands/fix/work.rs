//! What a `fix` is about, for all that is said and done with it.

use std::path::{Path, PathBuf};

use flex_detect::diff::unified;
use flex_detect::menu::Standing;
use flex_detect::proposal::{FixPlan, Patch};
use flex_detect::record::Record;
use flex_detect::verdict::Findings;

use super::args::FixArgs;
use super::root::Root;

/// What was recorded, found and planned.
pub struct FixWork<'a> {
    pub args: &'a FixArgs,
    pub record: &'a Record,
    pub root: &'a Root,
    pub findings: &'a Findings,
    pub plan: &'a FixPlan,
}

impl FixWork<'_> {
    /// Where a file of the record really is, in the project.
    pub fn path(&self, file: &Path) -> Result<PathBuf, String> {
        self.root.file(&self.record.root.join(file))
    }

    /// A patch as a diff that is applied in the current folder.
    pub fn diff(&self, patch: &Patch) -> String {
        let path = self.path(&patch.file).unwrap_or_default();
        let here = std::env::current_dir().and_then(|here| here.canonicalize());
        let shown = here.ok().and_then(|here| path.strip_prefix(here).ok());
        let shown = shown.unwrap_or(&patch.file);
        let shown = shown.to_string_lossy().replace('\\', "/");
        unified(&shown, &patch.before, &patch.after)
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
