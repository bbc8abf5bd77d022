//! The options that say who makes the runs.

use clap::Args;
use flex_bounds::config::{Engine, EngineConfig};

/// Who makes the runs of a calibration.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Engines")]
pub struct EngineOptions {
    /// Let shards be made by tasks of slurm, dask or ray, or by workers on this machine (local), and put them together; what
    /// dies is made again, and the same command goes on where it was interrupted [default: what flex.toml says, else none]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["shard", "from", "time_budget"])]
    pub engine: Option<Engine>,

    /// Into how many shards the runs are cut [default: 4 for each worker, 16 for cargo's tests on this machine, 64 for Slurm]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), conflicts_with_all = ["shard", "from"])]
    pub shards: Option<u32>,

    /// Where the scheduler of Dask or Ray is, such as tcp://10.0.0.1:8786 [default: as their own variables say]
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["shard", "from"])]
    pub address: Option<String>,
}

impl EngineOptions {
    /// What is asked for here, else what the project says.
    pub fn or(&self, config: &EngineConfig) -> EngineConfig {
        let mut asked = config.clone();
        asked.name = self.engine.or(asked.name);
        asked.shards = self.shards.or(asked.shards);
        asked.address = self.address.clone().or(asked.address);
        asked
    }
}
