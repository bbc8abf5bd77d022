//! `cargo xtask detect`: the bars of the search for flaky tests.

mod clusters;
mod corpus;
mod cost;
mod finding;
mod library;
mod page;
mod real;
mod simulated;
mod sound;

use clap::{Args, ValueEnum};

use crate::page::judge;
use crate::process::write;

#[derive(Debug, Default, Args)]
pub struct DetectArgs {
    /// One part only, printed and not written
    #[arg(long)]
    part: Option<Part>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Simulated tests, flaky and sound
    Finding,
    /// Samples of healthy values, and clusters that are seen in them
    Clusters,
    /// Real tests without a flaw
    Sound,
    /// The corpus: searched, mended, and searched again
    Corpus,
    /// Tests of scikit-learn
    Library,
    /// What recording and searching cost
    Cost,
}

/// Measures, writes docs/detect.md, and fails if a bar is missed.
pub fn run(args: &DetectArgs) -> Result<(), String> {
    let mut sections = Vec::new();
    for part in Part::value_variants() {
        if args.part.is_none_or(|only| only == *part) {
            let section = match part {
                Part::Finding => page::finding(&finding::measure()),
                Part::Clusters => page::clusters(&clusters::measure()),
                Part::Sound => real::sound(&sound::measure(&corpus::prepare()?)?),
                Part::Corpus => real::corpus(&corpus::measure(&corpus::prepare()?)?),
                Part::Library => real::library(&library::measure(&corpus::prepare()?)?),
                Part::Cost => real::cost(&cost::measure(&corpus::prepare()?)?),
            };
            eprintln!("{}", section.text);
            sections.push(section);
        }
    }
    if args.part.is_none() {
        let texts: Vec<&str> = sections.iter().map(|s| s.text.as_str()).collect();
        write("docs/detect.md", &page::page(&texts))?;
    }
    judge(sections.into_iter().flat_map(|s| s.missed).collect())
}
