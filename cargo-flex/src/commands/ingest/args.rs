//! The arguments of `ingest`.

use std::path::PathBuf;

use clap::Args;
use flex_core::bound::confidence::Confidence;

/// Adds what other files know of test runs to a history, and learns bounds for benchmarks.
///
/// Example: cargo flex ingest --criterion
///
/// Takes lines of other histories, JUnit files that pytest-flex or calibrate --junit wrote, shards of calibrations, and
/// folders with those; what is there already is not added again. From criterion and pytest-benchmark, one value is taken of
/// each run: the median time. Once there are 20 runs of a benchmark, a bound is learned for its time and written into
/// flex-benchmarks.toml, and --check holds the last run against it.
#[derive(Debug, Args)]
pub struct IngestArgs {
    /// Files and folders: lines of a history (.jsonl, .json), JUnit files (.xml), shards of a calibration (.shard)
    pub files: Vec<PathBuf>,

    /// Take the last run of each of criterion's benchmarks from this folder [default: target/criterion]
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, require_equals = true)]
    #[expect(
        clippy::option_option,
        reason = "clap's form of an option whose value may be left out"
    )]
    pub criterion: Option<Option<PathBuf>>,

    /// Take all benchmarks from this file, which pytest --benchmark-json wrote
    #[arg(long, value_name = "FILE")]
    pub pytest_benchmark: Vec<PathBuf>,

    /// The history to add to: a folder or a file [default: that of FLEX_HISTORY]
    #[arg(long, value_name = "PATH")]
    pub history: Option<PathBuf>,

    /// Write nothing; hold the last run of each benchmark against its bound, and exit with 1 if it is not kept
    #[arg(long)]
    pub check: bool,

    /// The bounds file of benchmarks
    #[arg(long, value_name = "FILE", default_value = "flex-benchmarks.toml")]
    pub bounds: PathBuf,

    /// The probability that an unchanged benchmark keeps its bound in a run
    #[arg(long, value_name = "P", default_value = "0.9999", value_parser = confidence)]
    pub confidence: Confidence,

    /// Path to Cargo.toml
    #[arg(long, value_name = "PATH")]
    pub manifest_path: Option<PathBuf>,
}

fn confidence(text: &str) -> Result<Confidence, String> {
    let number: f64 = text.parse().map_err(|_| "it is no number".to_owned())?;
    Confidence::new(number)
}
