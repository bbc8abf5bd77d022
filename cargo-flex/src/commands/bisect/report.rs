//! What was found, for people and programs.

use std::io::{self, Write};

use flex_core::visible::visible;
use flex_core::words::{count, short};
use flex_detect::compare::{ComparedTest, DecidedSeries, SeriesVerdict};
use serde_json::json;

use crate::exit::Failure;
use crate::git::{BisectionAnswer, Commit, Next, Repository};
use crate::terminal;

/// The version of the JSON.
const VERSION: u32 = 1;

/// A commit that was looked at.
pub struct Step {
    pub commit: Commit,
    pub answer: BisectionAnswer,
    /// In words.
    pub why: String,
    pub pairs: u64,
}

impl Step {
    /// The step in one line.
    pub fn line(&self, repository: &Repository) -> String {
        let what = match self.answer {
            BisectionAnswer::Skip => {
                format!("skipped: {}", self.why.lines().next().unwrap_or_default())
            }
            _ => format!(
                "{} ({})",
                self.why,
                count(self.pairs as usize, "pair", "pairs")
            ),
        };
        format!("{}: {what}", repository.described(&self.commit))
    }
}

/// The end of a search.
pub struct BisectionEnd {
    pub found: Next,
    pub test: ComparedTest,
    /// What has moved, from the good to the bad commit.
    pub moved: DecidedSeries,
    pub steps: Vec<Step>,
    /// Commits that were searched.
    pub commits: usize,
    pub alpha: f64,
    pub ends: [Commit; 2],
}

impl BisectionEnd {
    /// Prints it on standard output.
    pub fn print(&self, as_json: bool, repository: &Repository) -> Result<(), Failure> {
        match as_json {
            true => writeln!(io::stdout(), "{}", self.json())?,
            false => write!(terminal::stdout(), "{}", self.text(repository))?,
        }
        Ok(())
    }

    fn commits_found(&self) -> Vec<&Commit> {
        match &self.found {
            Next::Found(commit) | Next::Look(commit) => vec![commit],
            Next::AmongSkipped(commits) => commits.iter().collect(),
        }
    }

    fn text(&self, repository: &Repository) -> String {
        let moved = &self.moved;
        let lines = self.commits_found().into_iter();
        let lines: Vec<String> = lines
            .map(|commit| visible(&repository.described(commit)).into_owned())
            .collect();
        let first = match self.found {
            Next::AmongSkipped(_) => format!(
                "the first of these that moved is not known, since commits between were skipped:\n{}",
                lines.join("\n")
            ),
            _ => format!("{}\nis the first commit that moved", lines.join("\n")),
        };
        let word = match moved.verdict {
            SeriesVerdict::Better => "better",
            _ => "worse",
        };
        format!(
            "{first}\n  {}\n  {}: {} -> {} ({word})\n\n{} in {}; a wrong turn has a probability of at most {} in all\n",
            visible(&self.test.label()),
            visible(&moved.key.label()),
            short(moved.old.mean),
            short(moved.new.mean),
            count(self.commits, "commit", "commits"),
            count(self.steps.len(), "step", "steps"),
            self.alpha
        )
    }

    fn json(&self) -> String {
        let step = |step: &Step| {
            json!({
                "commit": step.commit.id(),
                "answer": match step.answer {
                    BisectionAnswer::Good => "not-yet",
                    BisectionAnswer::Bad => "moved",
                    BisectionAnswer::Skip => "skipped",
                },
                "why": step.why,
                "pairs": step.pairs,
            })
        };
        let found: Vec<&str> = self.commits_found().into_iter().map(Commit::id).collect();
        json!({
            "version": VERSION,
            "test": self.test.label(),
            "moved": self.moved.key,
            "verdict": self.moved.verdict,
            "good": self.ends[0].id(),
            "bad": self.ends[1].id(),
            "first_moved": found,
            "is_sure": matches!(self.found, Next::Found(_)),
            "alpha": self.alpha,
            "steps": self.steps.iter().map(step).collect::<Vec<_>>(),
        })
        .to_string()
    }
}
