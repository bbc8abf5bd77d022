//! What is proposed, as values.

use std::path::{Path, PathBuf};

use crate::menu::Menu;
use crate::record::ObservedSite;
use crate::verdict::Finding;

/// What is proposed for all tests.
#[derive(Debug, Clone, Default)]
pub struct FixPlan {
    /// One for each number that can be changed, in the order of the record.
    pub proposals: Vec<Proposal>,
    /// The patches, to be applied one after the other.
    pub patches: Vec<Patch>,
}

impl FixPlan {
    /// The last patch of each file, after which it is what it will be.
    pub fn last_patches(&self) -> Vec<Patch> {
        let patches = &self.patches;
        let is_last = |at: usize| !patches[at + 1..].iter().any(|p| p.file == patches[at].file);
        let last = (0..patches.len()).filter(|at| is_last(*at));
        last.map(|at| patches[at].clone()).collect()
    }

    /// Takes back all patches of a file, and says why in their place. Other files keep theirs.
    pub fn withdraw(&mut self, file: &Path, why: &str) {
        let (gone, kept) = std::mem::take(&mut self.patches)
            .into_iter()
            .partition(|patch| patch.file == file);
        self.patches = kept;
        let gone: Vec<Patch> = gone;
        for proposal in gone.iter().flat_map(|patch| &patch.proposals) {
            self.proposals[*proposal].choice = Err(why.to_owned());
        }
    }
}

/// What is proposed for one number of an assertion.
#[derive(Debug, Clone)]
pub struct Proposal {
    /// The test's index in the record.
    pub test: usize,
    /// The assertion; `None` if the test fails elsewhere.
    pub site: Option<ObservedSite>,
    /// The verdict.
    pub finding: Finding,
    /// The probability that unchanged code passes the assertion.
    pub confidence: f64,
    /// What can be done.
    pub menu: Menu,
    /// What will be done, or why nothing.
    pub choice: Result<Choice, String>,
}

/// What will be done.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The offer's index in the menu.
    pub offer: usize,
    /// What changes, in words.
    pub words: String,
}

/// A change of one file for the sake of one test.
#[derive(Debug, Clone, PartialEq)]
pub struct Patch {
    /// The test's index in the record.
    pub test: usize,
    /// The file.
    pub file: PathBuf,
    /// Its text before this patch, and after those before it.
    pub before: String,
    /// Its text with this patch.
    pub after: String,
    /// The indices of the proposals that it carries out.
    pub proposals: Vec<usize>,
}
