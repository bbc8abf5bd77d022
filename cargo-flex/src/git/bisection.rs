//! `git bisect` in a worktree of our own.

use super::{Commit, Repository, Worktree};
use crate::exit::Failure;

/// What is known of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BisectionAnswer {
    Good,
    Bad,
    /// It cannot be said.
    Skip,
}

/// What to look at next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// The commit that is checked out now.
    Look(Commit),
    /// The first bad commit.
    Found(Commit),
    /// Only commits of which nothing could be said are left: the first bad one is among these.
    AmongSkipped(Vec<Commit>),
}

/// A search for the first bad commit.
#[derive(Debug)]
pub struct Bisection<'a> {
    worktree: &'a mut Worktree,
    repository: &'a Repository,
}

impl<'a> Bisection<'a> {
    /// Begins between two commits, in this worktree.
    pub fn start(
        repository: &'a Repository,
        worktree: &'a mut Worktree,
        good: &Commit,
        bad: &Commit,
    ) -> Result<(Self, Next), Failure> {
        let mut bisection = Bisection {
            worktree,
            repository,
        };
        // Of a search that was interrupted; its commit need not be there any more.
        let _ = bisection.worktree.git(&["bisect", "reset", "HEAD"]);
        let next = bisection.step(&["bisect", "start", bad.id(), good.id()])?;
        Ok((bisection, next))
    }

    /// Tells of the commit that is checked out.
    pub fn answer(&mut self, answer: BisectionAnswer) -> Result<Next, Failure> {
        let word = match answer {
            BisectionAnswer::Good => "good",
            BisectionAnswer::Bad => "bad",
            BisectionAnswer::Skip => "skip",
        };
        self.step(&["bisect", word])
    }

    /// The worktree, with the commit to look at.
    pub fn worktree(&self) -> &Worktree {
        self.worktree
    }

    fn step(&mut self, arguments: &[&str]) -> Result<Next, Failure> {
        let said = self.worktree.git(arguments);
        let is_found = |line: &&str| line.ends_with(" is the first bad commit");
        let text = said.as_deref().unwrap_or_default();
        if let Some(line) = text.lines().find(is_found) {
            let id = line.split(' ').next().unwrap_or_default();
            return Ok(Next::Found(self.repository.commit(id)?));
        }
        match said {
            Ok(_) => {
                self.worktree.was_moved()?;
                Ok(Next::Look(self.worktree.commit().clone()))
            }
            Err(why) => self.among_skipped().ok_or_else(|| {
                Failure::build(
                    format!("git bisect cannot go on: {why}"),
                    "is the good commit an ancestor of the bad one?",
                )
            }),
        }
    }

    /// The commits of which the first bad one may be any, if all that are left were skipped.
    fn among_skipped(&self) -> Option<Next> {
        let listed = |arguments: &[&str]| -> Option<Vec<String>> {
            let said = self.worktree.git(arguments).ok()?;
            Some(said.lines().map(str::to_owned).collect())
        };
        let skipped = listed(&[
            "for-each-ref",
            "--format=%(objectname)",
            "refs/bisect/skip-*",
        ])?;
        let left = [
            "rev-list",
            "refs/bisect/bad",
            "--not",
            "--glob=bisect/good-*",
        ];
        let left = listed(&left).filter(|left| !left.is_empty())?;
        let (bad, others) = left.split_first()?;
        let all_skipped = others.iter().all(|commit| skipped.contains(commit));
        let commits = || others.iter().rev().chain([bad]);
        let commits = commits().filter_map(|id| self.repository.commit(id).ok());
        all_skipped.then(|| Next::AmongSkipped(commits.collect()))
    }
}

impl Drop for Bisection<'_> {
    fn drop(&mut self) {
        // The next search would do it.
        let _ = self.worktree.git(&["bisect", "reset", "HEAD"]);
    }
}

impl Repository {
    /// The number of commits that one has and the other has not.
    pub fn commits_between(&self, good: &Commit, bad: &Commit) -> Result<usize, Failure> {
        let range = format!("{good}..{bad}", good = good.id(), bad = bad.id());
        let count = self.line(&["rev-list", "--count", &range]);
        let count = count
            .ok()
            .and_then(|line| line.to_string_lossy().parse().ok());
        match count {
            None | Some(0) => Err(Failure::input(
                format!("no commit leads from {good} to {bad}"),
                "name the good commit first: --good OLD --bad NEW",
            )),
            Some(count) => Ok(count),
        }
    }

    /// A commit in one line for people: its number, when and what.
    pub fn described(&self, commit: &Commit) -> String {
        let format = "--format=%h %ad %s";
        let line = self.line(&["show", "-s", "--date=short", format, commit.id()]);
        line.map_or_else(
            |_| commit.to_string(),
            |line| line.to_string_lossy().into_owned(),
        )
    }
}
