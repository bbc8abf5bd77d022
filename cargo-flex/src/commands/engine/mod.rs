//! `flex-harness engine`: what schedulers are given that flex does not talk to itself.

mod k8s;

use clap::{Args, Subcommand};

use crate::exit::{Exit, Failure};

/// Writes what a scheduler needs to make the shards of a calibration.
///
/// Slurm, Dask, Ray and workers on this machine need nothing: `calibrate --engine` talks to them.
///
/// Example: flex-harness engine k8s --print --image registry.example/tests:1
#[derive(Debug, Args)]
pub struct EngineArgs {
    #[command(subcommand)]
    scheduler: Scheduler,
}

#[derive(Debug, Subcommand)]
enum Scheduler {
    #[command(name = "k8s")]
    Kubernetes(k8s::K8sArgs),
}

/// Runs the command.
pub fn run(args: &EngineArgs) -> Result<Exit, Failure> {
    match &args.scheduler {
        Scheduler::Kubernetes(args) => k8s::run(args),
    }
}
