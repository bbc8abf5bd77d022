//! The request for a session: seeds, runs and processes.

use std::num::NonZero;

use flex_core::seed::SeedRequest;
use flex_run::calibrate::fresh_base;

use crate::exit::Failure;

/// Refuses what clap cannot see: the seed of a single run, and fewer runs at most than to begin with. `what` names the
/// session: "a calibration".
pub fn check_request(
    what: &str,
    seed: Option<&SeedRequest>,
    first: Option<u32>,
    most: Option<u32>,
) -> Result<(), Failure> {
    if seed.is_some_and(|seed| seed.run.is_some()) {
        return Err(Failure::input(
            format!("{what} has a base seed, not a single run"),
            "leave out what begins with `@`; `cargo test` replays single runs",
        ));
    }
    match (first, most) {
        (Some(first), Some(most)) if first > most => Err(Failure::input(
            format!("{first} runs to begin with are more than {most} at most"),
            "lower --runs or raise --max-runs",
        )),
        _ => Ok(()),
    }
}

/// Returns the base seed that is asked for, else a fresh one.
pub fn base_seed(seed: Option<&SeedRequest>) -> String {
    seed.map_or_else(fresh_base, |seed| seed.base.clone())
}

/// Returns the number of processes at a time that is asked for, else one per processor.
pub fn jobs(asked: Option<NonZero<usize>>) -> usize {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.map_or_else(processors, usize::from)
}
