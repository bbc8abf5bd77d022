//! The options by which a command makes a part of its runs, or puts parts together.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use flex_shard::{Shard, WrongShard};

use crate::exit::Failure;

/// Shards, made or put together.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Shards")]
pub struct ShardArgs {
    #[command(flatten)]
    pub making: MakingArgs,

    /// Put together what shards left in this folder, and decide; exit code 5 if more runs are needed
    #[arg(long, value_name = "DIR", conflicts_with = "shard")]
    pub from: Vec<PathBuf>,
}

impl ShardArgs {
    /// The folders of shards that are put together, and the file for a plan.
    pub fn asked(&self) -> (&[PathBuf], Option<&PathBuf>) {
        (&self.from, self.making.plan_to_write())
    }
}

/// The making of a shard.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Shards")]
pub struct MakingArgs {
    /// Make a part of the runs and write down what they show, nothing else: 3/16 is the third of sixteen parts, `auto` asks
    /// the CI server or the cluster; with --out, and --seed, which must be the same for all
    #[arg(long, value_name = "K/N", requires = "out")]
    pub shard: Option<AskedShard>,

    /// The folder for what a shard shows
    #[arg(long, value_name = "DIR", requires = "shard")]
    pub out: Option<PathBuf>,

    /// The plan of a further round: with --from it is written if more runs are needed [default: plan.json in the first
    /// folder]; with --shard, only what it names is made
    #[arg(long, value_name = "FILE")]
    pub plan: Option<PathBuf>,
}

impl MakingArgs {
    /// The file for a plan; one that a shard follows is none.
    pub fn plan_to_write(&self) -> Option<&PathBuf> {
        self.plan.as_ref().filter(|_| self.shard.is_none())
    }

    /// Options that decide something have nothing to do where nothing is decided: each with whether it is given.
    pub fn refuse(&self, command: &str, given: &[(&str, bool)]) -> Result<(), Failure> {
        match given.iter().find(|(_, given)| *given) {
            Some((option, _)) if self.shard.is_some() => Err(Failure::input(
                format!("{option} is for whoever decides, and a shard only makes runs"),
                format!("give {option} to `{command} --from`"),
            )),
            _ => Ok(()),
        }
    }
}

/// Which shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskedShard {
    /// As the environment tells.
    Auto,
    /// This one.
    This(Shard),
}

impl fmt::Display for AskedShard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AskedShard::Auto => f.write_str("auto"),
            AskedShard::This(shard) => shard.fmt(f),
        }
    }
}

impl FromStr for AskedShard {
    type Err = WrongShard;

    fn from_str(text: &str) -> Result<Self, WrongShard> {
        match text {
            "auto" => Ok(AskedShard::Auto),
            text => text.parse().map(AskedShard::This),
        }
    }
}
