//! The words and tables of docs/harness.md.

use std::fmt::Write;

use super::build_time::BuildTime;
use super::end_to_end::EndToEnd;
use super::false_alarms::{self, Kind};
use super::memory::Memory;
use super::speed::Speed;
use crate::page::{Bar, Section, table};

pub fn page(sections: &[&str]) -> String {
    format!(
        "# The harness, measured

Written by `cargo xtask harness`, which fails if a bar is missed. Everything here happened in real crates that have
flex as a dev-dependency, with the real `cargo flex calibrate`, `cargo test` and `cargo nextest run`; seeds are fixed,
so the counts are the same each time. Times come from a shared machine with 2 cores: each table was measured in one
run, its rows in turn, and only differences and ratios mean something.

{}",
        sections.join("\n")
    )
}

pub fn end_to_end(seen: &EndToEnd) -> Section {
    let mut text = "## From annotation to replay

A fresh crate has four stochastic tests at C = 0.9999, each in three homes: a unit test in `src`, a file in `tests`, and
a `harness = false` target. Their values are sums of twelve uniform numbers, whose standard deviation is 1 exactly.
`cargo flex calibrate` learns from 100 runs of each. The unchanged code is then judged under the seeds 0 to 199. Then
one constant in `src/lib.rs` moves the values by 4 standard deviations (in `one_of_three`, those of one site of three),
and the seeds 0 to 99 judge again. Bars: green 200 of 200, red at least 95 of 100.

| home | test | unchanged: green | 4 sd worse: red |
|---|---|---|---|
"
    .to_owned();
    for row in &seen.rows {
        let _ = writeln!(
            text,
            "| {} | `{}` | {} of 200 | {} of 100 |",
            row.home, row.test, row.green, row.red
        );
    }
    let _ = writeln!(
        text,
        "
Every failure prints one line that replays it. That line, run by a shell as it stands, failed again with exactly the same
report (value, bounds, picture, every rerun) for {} of {} tests.

The seeds above ran the test programs themselves, which is quicker. For five seeds the whole commands gave their verdicts
too, on unchanged and on broken code:

| command | verdicts | the same |
|---|---|---|",
        seen.replayed,
        seen.rows.len()
    );
    for whole in &seen.whole {
        let _ = writeln!(
            text,
            "| `{}` | {} + {} | {} + {} |",
            whole.command, whole.verdicts[0], whole.verdicts[1], whole.same[0], whole.same[1]
        );
    }
    Section {
        text,
        missed: seen.problems.clone(),
    }
}

pub fn false_alarms(kinds: &[Kind]) -> Section {
    let calibrations = kinds.first().map_or(0, |kind| kind.reds.len());
    let confidence = false_alarms::CONFIDENCE;
    let seeds = false_alarms::SEEDS;
    let mut text = format!(
        "## False alarms, counted

The promise: unchanged code fails with probability at most 1 − C, and of all calibrations at most 5 % fall short of that.
At C = {confidence} the promise can be counted. Each kind of test was calibrated {calibrations} times (100 runs each) and then enforced
under {seeds} fresh seeds per calibration, race and all; nothing was changed, so every red verdict is a false alarm. The
promise allows {:.0} reds in {seeds}. *Above*: calibrations that showed more than that. A calibration that sits exactly on
its promise shows more in four cases of ten, by chance, so this count errs on the strict side.

| values and sites | false alarms | rate | allowed | above | most reds in {seeds} |
|---|---|---|---|---|---|
",
        (1.0 - confidence) * seeds as f64
    );
    for kind in kinds {
        let _ = writeln!(
            text,
            "| {} | {} of {} | {:.2} % | {:.0} % | {} of {} | {} |",
            kind.what,
            kind.reds.iter().sum::<usize>(),
            kind.reds.len() * seeds,
            100.0 * kind.rate(),
            100.0 * (1.0 - confidence),
            kind.above(),
            kind.reds.len(),
            kind.reds.iter().max().unwrap_or(&0)
        );
    }
    Section {
        text,
        missed: kinds.iter().filter_map(Kind::missed).collect(),
    }
}

pub fn speed(speed: &Speed) -> Section {
    let mut bars = Vec::new();
    let extra = speed.rerun.recorded - speed.rerun.bare;
    bars.push(Bar {
        what: "one more run, release".to_owned(),
        measured: format!(
            "{:.0} ns, bare {:.0} ns: {extra:.0} ns more",
            speed.rerun.recorded, speed.rerun.bare
        ),
        bar: "≤ 300 ns more".to_owned(),
        kept: extra <= 300.0,
    });
    for c in &speed.calibrating {
        let [all, bare, starts] = c.cpu();
        let [ratio, by_clock] = c.ratios();
        bars.push(Bar {
            what: format!(
                "calibrating 100 tests with 3,000 runs each, {}",
                c.build.name()
            ),
            measured: format!(
                "{all:.2} s; bare {bare:.2} s + starts {starts:.2} s: ratio {ratio:.2} (by the clock {by_clock:.2})"
            ),
            bar: "≤ 1.5".to_owned(),
            kept: ratio <= 1.5,
        });
    }
    for e in &speed.enforcing {
        let extra = e.with_thousand - e.alone;
        bars.push(Bar {
            what: format!(
                "a test process with 1,000 entries in the file, {}",
                e.build.name()
            ),
            measured: format!(
                "{:.2} ms, with its own {:.2} ms: {extra:.2} ms more",
                e.with_thousand, e.alone
            ),
            bar: "≤ 2 ms more".to_owned(),
            kept: extra <= 2.0,
        });
    }
    let (table, missed) = table(&bars);
    let mut text = format!(
        "## Time

All times are of the processor, summed over all processes: they hardly depend on what else the machine does. The bare loop derives the seed, makes the generator, calls the body under `catch_unwind`, and throws the value away; it lies
in the same program as the tests. Calibration starts six processes for a test; *starts* is as many starts of the same program that
make one run each. What cargo takes to find that there is nothing to build is left out on both sides. Calibration runs one
process at a time here (`--jobs 1`).

{table}
"
    );
    for e in &speed.enforcing {
        let _ = writeln!(
            text,
            "For a whole program of 100 tests ({}), the file with 1,000 entries costs {:.1} ms instead of {:.1} ms with its own 100.",
            e.build.name(),
            e.all_with_thousand,
            e.all_alone
        );
    }
    Section { text, missed }
}

pub fn memory(memory: &Memory) -> Section {
    let bars: Vec<Bar> = memory
        .kept
        .iter()
        .map(|(runs, bytes)| Bar {
            what: format!("bytes kept for a sample of a site, {runs} runs"),
            measured: format!("{bytes:.1}"),
            bar: "24".to_owned(),
            // The name of the site itself is a few bytes more, whatever the number of runs.
            kept: *bytes <= 24.5,
        })
        .collect();
    let (table, missed) = table(&bars);
    let text = format!(
        "## Memory

{table}
Counted at the allocator, as the difference between eleven sites and one. The whole calibrating process has its peak while it
reads what a test process recorded: {:.1} MB with {} runs, {:.1} MB with {}, so {:.0} bytes for each run of a test with one site.
",
        memory.peaks[0].1 / 1e6,
        memory.peaks[0].0,
        memory.peaks[1].1 / 1e6,
        memory.peaks[1].0,
        memory.peak_slope()
    );
    Section { text, missed }
}

pub fn build_time(built: &[BuildTime; 2]) -> Section {
    let mut text = "## Building

A crate with one test and one dev-dependency; `cargo test --no-run` in an empty target folder, sources already downloaded,
median of three, in turn; not incremental, as crates of a registry are built. Bar: flex is no slower than proptest.

| dev-dependency | seconds | processor seconds | crates |
|---|---|---|---|
"
    .to_owned();
    for b in built {
        let _ = writeln!(
            text,
            "| {} | {:.1} | {:.1} | {} |",
            b.what, b.wall, b.cpu, b.crates
        );
    }
    let [flex, proptest] = built;
    let missed = (flex.wall > proptest.wall).then(|| {
        format!(
            "building: {:.1} s, proptest {:.1} s",
            flex.wall, proptest.wall
        )
    });
    Section {
        text,
        missed: missed.into_iter().collect(),
    }
}
