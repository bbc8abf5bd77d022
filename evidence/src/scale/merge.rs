//! Putting shards together: how long that takes, and how much memory. The benchmark of flex-shard measures both.

use xtask::process::{capture, cargo};

use crate::page::{Bar, Section};

/// Seconds that may pass, and bytes that a sample may take at the peak.
const SECONDS: f64 = 10.0;
const BYTES: f64 = 24.0;

/// Measures the part.
pub fn section() -> Result<Section, String> {
    let words = ["bench", "--package=flex-shard", "--bench=merge"];
    let printed = capture(&mut cargo(&words), "")?;
    let numbers = |line: &str| -> Option<(f64, f64)> {
        let line = printed.lines().find_map(|l| l.strip_prefix(line))?;
        let mut numbers = line.split(' ').filter_map(|word| word.parse().ok());
        Some((numbers.next()?, numbers.next().unwrap_or(f64::NAN)))
    };
    let unread = || format!("the benchmark printed something else:\n{printed}");
    let (_, on_disk) = numbers("written: ").ok_or_else(unread)?;
    let (seconds, in_memory) = numbers("merged: ").ok_or_else(unread)?;
    let (of_site, _) = numbers("merged and decided: ").ok_or_else(unread)?;
    let text = format!(
        "1,000 tests with ten sites each, 1,000 runs, from 64 files with {on_disk:.1} bytes a sample, on one thread. The time is that \
         of reading all files, checking every checksum, and putting the runs of each test together; memory is the peak beyond what \
         the process had before. Deciding on bounds comes on top, with {of_site:.2} ms a site.\n\n"
    );
    let bars = [
        Bar {
            what: "10,000 sites of 1,000 runs put together".to_owned(),
            measured: format!("{seconds:.1} s"),
            bar: format!("≤ {SECONDS} s"),
            kept: seconds <= SECONDS,
        },
        Bar {
            what: "memory at the peak, a sample".to_owned(),
            measured: format!("{in_memory:.1} bytes"),
            bar: format!("≤ {BYTES} bytes"),
            kept: in_memory <= BYTES,
        },
    ];
    Ok(Section::with_bars(text, &bars))
}
