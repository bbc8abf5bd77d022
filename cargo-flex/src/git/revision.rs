//! Revisions: the commit that a name stands for, and the one that a branch of one's own began with.

use std::fmt;

use super::Repository;
use crate::exit::Failure;

/// A commit, by its number in hexadecimal: it cannot be taken for an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit(String);

impl Commit {
    /// Its number.
    pub fn id(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Commit {
    /// Writes the beginning of its number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.get(..10).unwrap_or(&self.0))
    }
}

/// What servers call the branch that a change is to be merged into, with what is put before it.
const TARGETS: [&str; 2] = ["GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"];

impl Repository {
    /// The commit that a revision stands for.
    pub fn commit(&self, revision: &str) -> Result<Commit, Failure> {
        self.find(revision).ok_or_else(|| {
            Failure::input(
                format!(
                    "`{}` is no commit here",
                    flex_core::visible::visible(revision)
                ),
                "check its name; in CI, fetch enough of the history (`fetch-depth: 0`)",
            )
        })
    }

    /// The commit that is checked out.
    pub fn head(&self) -> Result<Commit, Failure> {
        self.commit("HEAD")
    }

    /// The newest commit that two have in common.
    pub fn merge_base(&self, a: &Commit, b: &Commit) -> Result<Commit, Failure> {
        let found = self.line(&["merge-base", a.id(), b.id()]);
        let found = found.ok().and_then(|line| is_id(&line.to_string_lossy()));
        found.ok_or_else(|| {
            Failure::input(
                format!("{a} and {b} have no commit in common"),
                "in CI, fetch enough of the history (`fetch-depth: 0`)",
            )
        })
    }

    /// The commit that the default branch was at when the one that is checked out began.
    pub fn default_base(&self) -> Result<Commit, Failure> {
        let head = self.head()?;
        let branch = self.default_branch().ok_or_else(|| {
            Failure::input(
                "it is not known which branch is the default one",
                "name two: --branches main HEAD",
            )
        })?;
        self.merge_base(&branch, &head)
    }

    /// The default branch: that of a merge request, that of the remote repository, else `main` or `master`.
    fn default_branch(&self) -> Option<Commit> {
        let target = TARGETS.iter().find_map(|name| std::env::var(name).ok());
        let target = target.filter(|name| !name.is_empty());
        let of_target = target.into_iter().flat_map(|name| {
            [
                format!("refs/remotes/origin/{name}"),
                format!("refs/heads/{name}"),
            ]
        });
        let usual = [
            "refs/remotes/origin/HEAD",
            "refs/heads/main",
            "refs/heads/master",
            "refs/remotes/origin/main",
            "refs/remotes/origin/master",
        ];
        let mut names = of_target.chain(usual.map(str::to_owned));
        names.find_map(|name| self.find(&name))
    }

    fn find(&self, revision: &str) -> Option<Commit> {
        let commit = format!("{revision}^{{commit}}");
        let words = [
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &commit,
        ];
        is_id(&self.line(&words).ok()?.to_string_lossy())
    }
}

/// The commit, if a text is the number of one.
fn is_id(text: &str) -> Option<Commit> {
    let is_hex = text.len() >= 40 && text.chars().all(|c| c.is_ascii_hexdigit());
    is_hex.then(|| Commit(text.to_owned()))
}
