//! The arguments of `drift`.

use std::path::PathBuf;

use clap::Args;
use flex_report::history::Since;

use crate::number_args::positive;

/// Says which values of tests have moved over many test runs, and since which commit.
///
/// Example: cargo flex drift --history ci-history
///
/// Test runs with FLEX_HISTORY set collect what assertions saw, red or green. Each value is ranked among those before it and
/// the samples of calibrations; evidence against "nothing moved" is kept in such a way that it may be looked at after every
/// run. No test runs are made, and no bounds file is read. The exit code is 1 if something moved.
#[derive(Debug, Args)]
pub struct DriftArgs {
    /// Show only tests whose path contains one of these words
    pub filters: Vec<String>,

    /// The history: a folder or a file; several are put together [default: that of FLEX_HISTORY]
    #[arg(long, value_name = "PATH")]
    pub history: Vec<PathBuf>,

    /// Runs of the whole suite between two false alarms, on average and at least
    #[arg(long, value_name = "N", default_value_t = 1e4, value_parser = positive)]
    pub runs: f64,

    /// Look only at what came later: a commit, or a day such as 2026-11-18
    #[arg(long, value_name = "WHEN", value_parser = since)]
    pub since: Option<Since>,

    /// One JSON object, with all series of values
    #[arg(long)]
    pub json: bool,
}

/// Reads a day, or the beginning of a commit's hash.
fn since(text: &str) -> Result<Since, String> {
    let is_day = text.len() == 10 && text.split('-').map(str::len).eq([4, 2, 2]);
    if is_day {
        let at = flex_run::project::date::time_of_day(text);
        return at
            .map(Since::Time)
            .ok_or_else(|| "it is no day of the calendar".to_owned());
    }
    match text.len() >= 4 && text.chars().all(|c| c.is_ascii_alphanumeric()) {
        true => Ok(Since::Commit(text.to_owned())),
        false => Err("it is neither a day such as 2026-11-18 nor a commit's hash".to_owned()),
    }
}
