//! The arguments of `report`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Shows what was learned and seen: all tests and sites, their bounds, samples, tails, races and what they cost.
///
/// Example: cargo flex report --open
///
/// It is one HTML file that needs no network, made from the bounds files and from what the last calibrations, searches,
/// comparisons and test runs left in the target folder and in pytest's cache.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Path to Cargo.toml
    #[arg(long, value_name = "PATH")]
    pub manifest_path: Option<PathBuf>,

    /// Show only these packages
    #[arg(long, short, value_name = "NAME")]
    pub package: Vec<String>,

    /// Show the pytest tests whose bounds lie here, or in the nearest folder above: beside those of cargo packages, where
    /// there is a Cargo.toml
    #[arg(long, value_name = "PATH")]
    pub pytest: Option<PathBuf>,

    /// What to write: a page, a summary for CI, or all of it for programs
    #[arg(long, value_enum, default_value_t = Format::Html)]
    pub format: Format,

    /// The file to write, instead of target/flex/report.html, or of standard output for Markdown and JSON
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Show the page in a browser
    #[arg(long)]
    pub open: bool,
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One page that needs nothing else
    Html,
    /// A table, for the summary of a CI job
    Markdown,
    /// Everything, as docs/reference/report.schema.json describes it
    Json,
}
