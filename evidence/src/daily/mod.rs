//! `cargo xtask daily`: the bars of daily use. What a check finds, what a recalibration changes, what merges.

mod drift;
mod merging;
mod page;
mod recalibration;
mod values;

use clap::{Args, ValueEnum};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::page::judge;
use crate::process::{self, cargo, write};

#[derive(Debug, Default, Args)]
pub struct DailyArgs {
    /// One part only, printed and not written
    #[arg(long)]
    part: Option<Part>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Values that moved, and checks that find it
    Moved,
    /// Suites that did not move, and checks that find nothing
    Unmoved,
    /// Fifty tests, calibrated again and again
    Recalibration,
    /// Bounds files of two branches
    Merging,
}

/// Measures, writes docs/daily.md, and fails if a bar is missed.
pub fn run(args: &DailyArgs) -> Result<(), String> {
    let mut sections = Vec::new();
    for part in Part::value_variants() {
        if args.part.is_none_or(|only| only == *part) {
            let section = match part {
                Part::Moved => page::moved(&drift::moved()),
                Part::Unmoved => page::unmoved(&drift::unmoved()),
                Part::Recalibration => {
                    process::run(&mut cargo(&["build", "--release", "--package=cargo-flex"]))?;
                    page::recalibration(&recalibration::measure()?)
                }
                Part::Merging => page::merging(&merging::measure()?),
            };
            eprintln!("{}", section.text);
            sections.push(section);
        }
    }
    if args.part.is_none() {
        let texts: Vec<&str> = sections.iter().map(|s| s.text.as_str()).collect();
        write("docs/daily.md", &page::page(&texts))?;
    }
    judge(sections.into_iter().flat_map(|s| s.missed).collect())
}

/// A stream of random numbers of its own for each part and place.
fn seeded(part: &str, place: usize) -> ChaCha8Rng {
    let mut seed = [0; 32];
    let name = part.as_bytes();
    seed[..name.len()].copy_from_slice(name);
    seed[24..].copy_from_slice(&(place as u64).to_le_bytes());
    ChaCha8Rng::from_seed(seed)
}
