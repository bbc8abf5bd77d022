//! `cargo xtask harness`: the bars of the harness, measured on real crates that use flex as users do.

mod build_time;
mod end_to_end;
mod false_alarms;
mod memory;
mod page;
mod speed;

use clap::{Args, ValueEnum};

use crate::page::judge;
use crate::process::{self, cargo, write};

#[derive(Debug, Default, Args)]
pub struct HarnessArgs {
    /// One part only, printed and not written
    #[arg(long)]
    part: Option<Part>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Annotate, calibrate, enforce, break, replay
    EndToEnd,
    /// False alarms of many calibrations, counted
    FalseAlarms,
    /// What flex costs beside the test itself
    Speed,
    /// The memory of a calibration
    Memory,
    /// What adding flex costs in building
    BuildTime,
}

impl Part {
    /// Times first, while nothing else has warmed the machine.
    const ALL: [Part; 5] = [
        Part::BuildTime,
        Part::Speed,
        Part::Memory,
        Part::EndToEnd,
        Part::FalseAlarms,
    ];
}

/// Measures, writes docs/harness.md, and fails if a bar is missed.
pub fn run(args: &HarnessArgs) -> Result<(), String> {
    process::run(&mut cargo(&["build", "--release", "--package=cargo-flex"]))?;
    let mut sections = Vec::new();
    for part in Part::ALL {
        if args.part.is_none_or(|only| only == part) {
            let section = match part {
                Part::EndToEnd => page::end_to_end(&end_to_end::measure()?),
                Part::FalseAlarms => page::false_alarms(&false_alarms::measure()?),
                Part::Speed => page::speed(&speed::measure()?),
                Part::Memory => page::memory(&memory::measure()?),
                Part::BuildTime => page::build_time(&build_time::measure()?),
            };
            eprintln!("{}", section.text);
            sections.push((part, section));
        }
    }
    if args.part.is_none() {
        // The page begins with what matters most.
        let order = [
            Part::EndToEnd,
            Part::FalseAlarms,
            Part::Speed,
            Part::Memory,
            Part::BuildTime,
        ];
        sections.sort_by_key(|(part, _)| order.iter().position(|other| other == part));
        let texts: Vec<&str> = sections.iter().map(|(_, s)| s.text.as_str()).collect();
        write("docs/harness.md", &page::page(&texts))?;
    }
    judge(sections.into_iter().flat_map(|(_, s)| s.missed).collect())
}

/// The middle of some measurements.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Processor seconds of all ended children and of theirs. Linux tells.
fn children_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program may hold spaces and ends with the last parenthesis; it is field 2.
    let fields: Vec<f64> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .map(|field| field.parse().unwrap_or(0.0))
        .collect();
    let (user, system) = (fields.get(13), fields.get(14));
    (user.unwrap_or(&0.0) + system.unwrap_or(&0.0)) / 100.0
}
