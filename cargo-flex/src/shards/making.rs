//! The making of a shard: which one it is, under which seed, and where it goes.

use std::path::PathBuf;

use flex_core::seed::{Phase, SeedRequest};
use flex_core::visible::visible;
use flex_run::project::base::fresh_base;
use flex_shard::auto::told;
use flex_shard::deal::{Dealt, deal};
use flex_shard::file::{Header, ShardWriter};
use flex_shard::plan::{Plan, PlanError};
use flex_shard::platform::{Platform, host};
use flex_shard::{Shard, TestKey, auto};

use super::again;
use super::args::{AskedShard, MakingArgs};
use crate::exit::Failure;

/// A shard that is to be made.
#[derive(Debug)]
pub struct Making {
    /// What all of its runs have in common.
    pub header: Header,
    /// Where it goes.
    pub folder: PathBuf,
    /// What it makes, if this is not the first round.
    pub plan: Option<Plan>,
}

impl Making {
    /// The shard that the options ask for; `None` if they ask for none.
    pub fn asked(
        args: &MakingArgs,
        command: &str,
        phase: Phase,
        seed: Option<&SeedRequest>,
        runs: (Option<u32>, Option<u32>),
    ) -> Result<Option<Self>, Failure> {
        let (Some(asked), Some(folder)) = (args.shard, &args.out) else {
            return Ok(None);
        };
        let plan = args.plan.as_ref().map(|path| {
            Plan::read_for(path, command).map_err(|error| {
                let hint = match &error {
                    PlanError::Missing | PlanError::Unreadable(_) | PlanError::NoPlan(_) => {
                        format!("`{command} --from DIR` writes plans")
                    }
                    PlanError::Version(_) => format!(
                        "let all machines have one version of flex; `{command} --from DIR` writes the plan anew"
                    ),
                    PlanError::Other { theirs, .. } => {
                        format!("give it to `{}`", visible(theirs))
                    }
                };
                Failure::input(format!("{}: {error}", path.display()), hint)
            })
        });
        let plan = plan.transpose()?;
        let (shard, start) = which(asked)?;
        let base = base(seed, plan.as_ref(), start)?;
        if let Some(plan) = plan.as_ref().filter(|plan| plan.phase != phase.as_str()) {
            return Err(Failure::input(
                format!("the plan is for runs of phase {}, not {phase}", plan.phase),
                "give the options of the first round, such as --check",
            ));
        }
        Ok(Some(Making {
            folder: folder.clone(),
            header: Header {
                flex: env!("CARGO_PKG_VERSION").to_owned(),
                command: command.to_owned(),
                phase: phase.as_str().to_owned(),
                shard,
                round: plan.as_ref().map_or(1, |plan| plan.round),
                runs: runs.0,
                max_runs: runs.1,
                against: None,
                id: fresh_base(),
                host: host(),
                pid: std::process::id(),
                platform: Platform::here(None),
                again: again::command(shard, &base),
                base,
            },
            plan,
        }))
    }

    /// The same of code that is compared with this commit.
    pub fn against(mut self, commit: Option<String>) -> Self {
        self.header.against = commit;
        self
    }

    /// The tests of this shard, with what is made of each.
    pub fn deal<T>(
        &self,
        tests: Vec<T>,
        key: impl Fn(&T) -> TestKey,
    ) -> Result<Vec<Dealt<T>>, Failure> {
        let dealt = deal((self.header.shard, self.plan.as_ref()), tests, key);
        dealt
            .map_err(|gone| Failure::input(gone, "give the options and filters of the first round"))
    }

    /// What could not be written is made again.
    pub fn unwritten(&self, error: &std::io::Error) -> Failure {
        Failure::input(
            format!("cannot write into {}: {error}", self.folder.display()),
            "what was made before is whole; make room, and start the same shard again",
        )
    }

    /// Begins its file.
    pub fn begin(&self) -> Result<ShardWriter, Failure> {
        ShardWriter::begin(&self.folder, &self.header).map_err(|error| {
            let folder = self.folder.display();
            Failure::input(
                format!("cannot write a shard into {folder}: {error}"),
                "name a folder with --out in which files may be made",
            )
        })
    }
}

/// Which shard this is, and what all shards of this start have in common.
fn which(asked: AskedShard) -> Result<(Shard, Option<String>), Failure> {
    let variable = |name: &str| std::env::var(name).ok();
    let found = match (asked, told(variable)) {
        (AskedShard::This(shard), told) => return Ok((shard, told.ok().and_then(|t| t.start))),
        (AskedShard::Auto, found) => found.map_err(|error| {
            let (index, total) = (auto::INDEX, auto::TOTAL);
            let hint = format!(
                "set {} to K/N such as 3/16, or {index} (from 0) and {total}",
                auto::SHARD
            );
            Failure::input(error, hint)
        })?,
    };
    found.answer();
    Ok((found.shard, found.start))
}

/// The base seed, which all shards must have in common.
fn base(
    seed: Option<&SeedRequest>,
    plan: Option<&Plan>,
    start: Option<String>,
) -> Result<String, Failure> {
    match (seed.map(|seed| &seed.base), plan.map(|plan| &plan.base)) {
        (Some(stated), Some(planned)) if stated != planned => Err(Failure::input(
            format!("the plan has the base seed `{planned}`, and `{stated}` is stated"),
            "leave out --seed: a plan has its own",
        )),
        (Some(base), _) | (None, Some(base)) => Ok(base.clone()),
        (None, None) => start.map(|start| start.replace('@', "-")).ok_or_else(|| {
            Failure::input(
                "a shard has no base seed, and all shards must have the same",
                "give all of them one --seed, such as the hash of the commit",
            )
        }),
    }
}
