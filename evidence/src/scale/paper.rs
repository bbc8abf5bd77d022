//! What a million tests of a hundred runs would cost, by constants that are measured on sixty-four.

use std::fs;
use std::path::Path;
use std::time::Instant;

use xtask::process::{printed, target};

use super::sleeping::Sleeping;
use crate::page::{Section, Size};

/// Tests that are measured, in the quick form and otherwise, and tests on paper.
const MEASURED: [usize; 2] = [8, 64];
const TESTS: f64 = 1e6;

/// A file of ours may have so many bytes (flex-run/src/text_file.rs).
const MOST_BYTES: f64 = (256_u64 << 20) as f64;

/// Measures the part.
pub fn section(size: Size) -> Result<Section, String> {
    let measured = MEASURED[usize::from(size == Size::Full)];
    let sleeping = Sleeping::new(&[measured])?;
    let folder = target().join("harness/paper");
    let _ = fs::remove_dir_all(&folder);
    let out = folder.display().to_string();
    let seconds = |options: &[&str]| -> Result<f64, String> {
        let mut command = sleeping.command(measured, 0.0, options);
        let began = Instant::now();
        let output = command.output().map_err(|error| error.to_string())?;
        match output.status.success() {
            true => Ok(began.elapsed().as_secs_f64()),
            false => Err(format!("{command:?} failed:\n{}", printed(&output))),
        }
    };
    let made = seconds(&["--shard", "1/1", "--out", &out, "--jobs", "1"])?;
    let merged = seconds(&["--from", &out])?;
    let tests = measured as f64;
    let shard_bytes = bytes_below(&folder) / tests;
    let bounds = fs::metadata(sleeping.bounds()).map_err(|error| error.to_string())?;
    let bounds_bytes = bounds.len() as f64 / tests;
    let (of_test, of_merge) = (made / tests, merged / tests);
    let days = |seconds: f64| seconds / 86_400.0;
    let gb = |bytes: f64| bytes / 1e9;
    let text = format!(
        "Measured on {measured} tests of 100 runs with one site each, whose runs take no time: making the shard {made:.2} s, one \
         process after the other, merging {merged:.2} s, {shard_bytes:.0} bytes of shards and {bounds_bytes:.0} bytes of bounds for a \
         test. So a million such tests would cost, beside their runs:\n\n\
         | | for a test | for a million |\n|---|---|---|\n\
         | starting and following processes, one after the other | {:.0} ms | {:.1} days, {:.1} hours on 64 workers |\n\
         | shards | {shard_bytes:.0} bytes | {:.1} GB, in as many files as there are shards |\n\
         | merging, on one machine | {:.2} ms | {:.1} minutes |\n\
         | bounds files | {bounds_bytes:.0} bytes | {:.1} GB |\n\n\
         What breaks first is a bounds file: flex reads none with more than 256 MiB, which is {:.0} tests of one site each in one \
         package. A million tests are fine in {:.0} packages or more. Next come runs of a second: 10⁸ of them are {:.0} days on \
         64 workers, beside which everything above is small.\n",
        1e3 * of_test,
        days(of_test * TESTS),
        of_test * TESTS / 64.0 / 3600.0,
        gb(shard_bytes * TESTS),
        1e3 * of_merge,
        of_merge * TESTS / 60.0,
        gb(bounds_bytes * TESTS),
        (MOST_BYTES / bounds_bytes).floor(),
        (TESTS * bounds_bytes / MOST_BYTES).ceil(),
        days(1e8 / 64.0),
    );
    Ok(text.into())
}

fn bytes_below(folder: &Path) -> f64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let length = |entry: fs::DirEntry| entry.metadata().map_or(0, |metadata| metadata.len());
    files.map(length).sum::<u64>() as f64
}
