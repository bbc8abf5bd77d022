//! Fuzzing, for so many executions that little new is found.

use std::fmt::Write;

use xtask::fuzz::{self, Length};

use crate::page::{Bar, Section, Size};
use crate::parallel::in_parallel;

/// Executions of each target: more of those that are quick. Those that take longest come first.
const EXECUTIONS: [(&str, usize); 11] = [
    ("wire", 75_000_000),
    ("flex_toml", 15_000_000),
    ("bounds_conflict", 6_000_000),
    ("bounds_edit", 3_500_000),
    ("python_source", 60_000),
    ("rust_source", 30_000),
    ("engine", 30_000),
    ("jsonl", 600_000),
    ("history", 100_000),
    ("bounds_file", 150_000),
    ("record", 500_000),
];

/// The executions that all targets together must come to.
const BAR: usize = 100_000_000;

/// The section of the part `fuzzing`.
pub fn section(size: Size) -> Result<Section, String> {
    let mut names = EXECUTIONS.map(|(name, _)| name);
    names.sort_unstable();
    if fuzz::targets()? != names {
        return Err(format!("the targets are no longer {names:?}"));
    }
    let programs = fuzz::build()?;
    let runs = in_parallel(&EXECUTIONS, |(name, length)| {
        let length = Length::Executions(size.of(*length) as u64);
        let fuzzed = fuzz::run(&programs, name, length);
        eprintln!("{name}: {fuzzed:?}");
        fuzzed
    });
    let mut text =
        "| target | executions | inputs kept | findings |\n|---|---|---|---|\n".to_owned();
    let (mut executions, mut findings) = (0, 0);
    for ((name, _), fuzzed) in EXECUTIONS.iter().zip(runs) {
        let fuzzed = fuzzed?;
        let found = usize::from(fuzzed.finding.is_some());
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| `{name}` | {} | {} | {found} |",
            fuzzed.executions, fuzzed.corpus
        );
        executions += fuzzed.executions;
        findings += found;
    }
    let patched = fuzz::check_python(&programs)?;
    let _ = writeln!(
        text,
        "\nOf the Python sources that were patched along the way, {patched} were such as a record speaks of; Python can still \
         read all of them.\n"
    );
    let bars = [
        Bar {
            what: "executions".to_owned(),
            measured: executions.to_string(),
            bar: format!("≥ {}", size.of(BAR)),
            kept: executions >= size.of(BAR) as u64,
        },
        Bar {
            what: "findings left".to_owned(),
            measured: findings.to_string(),
            bar: "0".to_owned(),
            kept: findings == 0,
        },
    ];
    Ok(Section::with_bars(text, &bars))
}
