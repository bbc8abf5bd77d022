//! `--shard auto`: which shard this is, as whoever started this process tells it.
//!
//! One table has what each system sets. Where two systems say different things, or one of them says half, that is an
//! error: a shard that makes the wrong runs is worse than none.

use std::fmt;
use std::path::PathBuf;

use super::Shard;

pub use flex_run::project::env::{JOB_INDEX as INDEX, JOB_TOTAL as TOTAL, SHARD};

/// A system that starts jobs, and what it tells them.
#[derive(Debug, Clone, Copy)]
pub struct System {
    /// Its name.
    pub name: &'static str,
    /// The variable with the number of the job.
    pub index: &'static str,
    /// How jobs are counted.
    pub counted: Counted,
    /// The variable with the number of jobs.
    pub total: &'static str,
    /// A variable that all jobs of one start share, and no others: the seed, unless one is stated.
    pub start: Option<&'static str>,
}

/// How jobs are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// From 0.
    FromZero,
    /// From 1.
    FromOne,
    /// As Slurm does: from any number, in steps.
    BySlurm,
}

/// All systems that are known.
pub const SYSTEMS: &[System] = &[
    System {
        name: "GitHub Actions (strategy.job-index and job-total, handed over)",
        index: INDEX,
        counted: Counted::FromZero,
        total: TOTAL,
        start: Some("GITHUB_RUN_ID"),
    },
    System {
        name: "GitLab (parallel)",
        index: "CI_NODE_INDEX",
        counted: Counted::FromOne,
        total: "CI_NODE_TOTAL",
        start: Some("CI_PIPELINE_ID"),
    },
    System {
        name: "CircleCI (parallelism)",
        index: "CIRCLE_NODE_INDEX",
        counted: Counted::FromZero,
        total: "CIRCLE_NODE_TOTAL",
        start: Some("CIRCLE_WORKFLOW_ID"),
    },
    System {
        name: "Buildkite (parallelism)",
        index: "BUILDKITE_PARALLEL_JOB",
        counted: Counted::FromZero,
        total: "BUILDKITE_PARALLEL_JOB_COUNT",
        start: Some("BUILDKITE_BUILD_ID"),
    },
    System {
        name: "Slurm (sbatch --array)",
        index: "SLURM_ARRAY_TASK_ID",
        counted: Counted::BySlurm,
        total: "SLURM_ARRAY_TASK_COUNT",
        start: Some("SLURM_ARRAY_JOB_ID"),
    },
    System {
        name: "Kubernetes (indexed jobs)",
        index: "JOB_COMPLETION_INDEX",
        counted: Counted::FromZero,
        total: TOTAL,
        start: None,
    },
    System {
        name: "Bazel (shard_count)",
        index: "TEST_SHARD_INDEX",
        counted: Counted::FromZero,
        total: "TEST_TOTAL_SHARDS",
        start: None,
    },
    System {
        name: "Bazel (--runs_per_test)",
        index: "TEST_RUN_NUMBER",
        counted: Counted::FromOne,
        total: TOTAL,
        start: None,
    },
];

/// A file that Bazel wants to be made by tests that know of shards.
const STATUS_FILE: &str = "TEST_SHARD_STATUS_FILE";

/// What a system told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AutoShard {
    /// The shard.
    pub shard: Shard,
    /// Who told it.
    pub by: &'static str,
    /// What all jobs of this start have in common, if anything is known.
    pub start: Option<String>,
    /// A file to make.
    status_file: Option<PathBuf>,
}

impl AutoShard {
    /// Lets the system know that shards are known here.
    pub fn answer(&self) {
        if let Some(file) = &self.status_file {
            // Bazel takes its absence for a test that knows of no shards, and says so.
            let _ = std::fs::File::create(file);
        }
    }
}

/// Why it is not known which shard this is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Untold {
    /// Nobody says anything.
    Nobody,
    /// A variable makes no sense, with why.
    Wrong(&'static str, String, String),
    /// A number is there, and the other one is not.
    Missing {
        /// What is there.
        index: &'static str,
        /// What is not.
        total: &'static str,
    },
    /// Two systems say different things.
    Ambiguous((&'static str, Shard), (&'static str, Shard)),
}

/// Reads what the variables tell; empty ones are not there.
pub fn told(variable: impl Fn(&str) -> Option<String>) -> Result<AutoShard, Untold> {
    let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
    let status_file = variable(STATUS_FILE).map(PathBuf::from);
    if let Some(text) = variable(SHARD) {
        let shard = text.parse::<Shard>();
        let shard = shard.map_err(|error| Untold::Wrong(SHARD, text, error.to_string()))?;
        let starts = SYSTEMS.iter().filter_map(|system| system.start);
        return Ok(AutoShard {
            shard,
            by: SHARD,
            start: starts.filter_map(variable).next(),
            status_file,
        });
    }
    let mut found: Option<(&System, Shard)> = None;
    let mut missing = None;
    for system in SYSTEMS {
        let shard = match system.shard(&variable) {
            Ok(Some(shard)) => shard,
            Ok(None) => continue,
            Err(error @ Untold::Missing { .. }) => {
                missing.get_or_insert(error);
                continue;
            }
            Err(error) => return Err(error),
        };
        found = match found {
            // Many set the numbers of a single job, too, which say nothing beside those of several.
            Some((before, known)) if known.total() > 1 && shard.total() > 1 && known != shard => {
                let (one, other) = ((before.index, known), (system.index, shard));
                return Err(Untold::Ambiguous(one, other));
            }
            Some(known) if known.1.total() >= shard.total() => Some(known),
            _ => Some((system, shard)),
        };
    }
    let Some((system, shard)) = found.filter(|(_, shard)| shard.total() > 1 || missing.is_none())
    else {
        return Err(missing.unwrap_or(Untold::Nobody));
    };
    Ok(AutoShard {
        shard,
        by: system.name,
        start: system.start.and_then(variable),
        status_file,
    })
}

impl System {
    /// The shard that a system tells of; `None` if it tells nothing.
    fn shard(&self, variable: &impl Fn(&str) -> Option<String>) -> Result<Option<Shard>, Untold> {
        let number = |name: &'static str| -> Result<Option<u32>, Untold> {
            let Some(text) = variable(name) else {
                return Ok(None);
            };
            let wrong = |_| Untold::Wrong(name, text.clone(), "it is no number".to_owned());
            text.parse().map(Some).map_err(wrong)
        };
        let Some(index) = number(self.index)? else {
            return Ok(None);
        };
        let total = number(self.total)?;
        let wrong = |why: String| Err(Untold::Wrong(self.index, index.to_string(), why));
        let (place, total) = match self.counted {
            Counted::BySlurm => {
                let least = number("SLURM_ARRAY_TASK_MIN")?.unwrap_or(0);
                let step = number("SLURM_ARRAY_TASK_STEP")?.unwrap_or(1).max(1);
                let greatest = number("SLURM_ARRAY_TASK_MAX")?;
                let by_ends = greatest.and_then(|most| Some(most.checked_sub(least)? / step + 1));
                let Some(total) = total.or(by_ends) else {
                    return self.missing();
                };
                let from = index.checked_sub(least);
                let place = from.filter(|from| from % step == 0).map(|from| from / step);
                let is_even = by_ends.is_none_or(|ends| ends == total);
                match place.filter(|_| is_even) {
                    Some(place) => (Some(place), total),
                    None => {
                        return wrong(
                            "the tasks of the array are not evenly apart; write it as --array=0-15"
                                .to_owned(),
                        );
                    }
                }
            }
            counted => {
                let Some(total) = total else {
                    return self.missing();
                };
                match counted {
                    Counted::FromOne => (index.checked_sub(1), total),
                    _ => (Some(index), total),
                }
            }
        };
        match place.and_then(|place| Shard::new(place, total)) {
            Some(shard) => Ok(Some(shard)),
            None => wrong(format!("it is none of {total}, by {}", self.total)),
        }
    }

    fn missing(&self) -> Result<Option<Shard>, Untold> {
        Err(Untold::Missing {
            index: self.index,
            total: self.total,
        })
    }
}

impl fmt::Display for Untold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Untold::Nobody => {
                let known: Vec<&str> = SYSTEMS.iter().map(|system| system.index).collect();
                write!(
                    f,
                    "nothing says which shard this is: neither {SHARD} is set nor one of {}",
                    known.join(", ")
                )
            }
            Untold::Wrong(name, text, why) => {
                let text = flex_core::visible::visible(text);
                write!(f, "{name}={text} tells no shard: {why}")
            }
            Untold::Missing { index, total } => {
                write!(f, "{index} is set, but not {total}, the number of all jobs")
            }
            Untold::Ambiguous((one, shard), (other, differing)) => write!(
                f,
                "{one} says that this is shard {shard}, and {other} that it is {differing}"
            ),
        }
    }
}

impl std::error::Error for Untold {}

#[cfg(test)]
mod tests;
