//! The memory of a calibration: what the engine keeps for a sample, and what the whole process takes at its peak.

use std::fmt::Write;
use std::fs;
use std::process::Stdio;
use std::time::Duration;

use xtask::process::{capture, cargo};

use crate::page::{Bar, Section};
use crate::project::{Build, Project, WITH_FLEX, build_flex};

/// The section of the part `memory`.
pub fn section() -> Result<Section, String> {
    let memory = measure()?;
    let bars: Vec<Bar> = memory
        .kept
        .iter()
        .map(|(runs, bytes)| Bar {
            what: format!("bytes kept for a sample of a site, {runs} runs"),
            measured: format!("{bytes:.1}"),
            bar: "24".to_owned(),
            // To a digit: room that is reserved and not used yet counts, too.
            kept: *bytes <= 24.05,
        })
        .collect();
    let mut section = Section::with_bars("## Memory\n\n".to_owned(), &bars);
    let _ = write!(
        section.text,
        "
Counted at the allocator, as the difference between eleven sites and one; a site without samples takes {:.0} bytes. The whole calibrating process has its peak while it
reads what a test process recorded: {:.1} MB with {} runs, {:.1} MB with {}, so {:.0} bytes for each run of a test with one site.
",
        memory.site,
        memory.peaks[0].1 / 1e6,
        memory.peaks[0].0,
        memory.peaks[1].1 / 1e6,
        memory.peaks[1].0,
        memory.peak_slope()
    );
    Ok(section)
}

/// The memory of calibrations.
struct Memory {
    /// Bytes that the engine keeps for a site without samples.
    site: f64,
    /// Runs, and bytes that the engine keeps for each sample of a site.
    kept: Vec<(usize, f64)>,
    /// Runs, and the peak of the calibrating process in bytes.
    peaks: Vec<(usize, f64)>,
}

impl Memory {
    /// Returns the bytes that each further run adds to the peak.
    fn peak_slope(&self) -> f64 {
        let (few, many) = (self.peaks[0], self.peaks[self.peaks.len() - 1]);
        (many.1 - few.1) / (many.0 - few.0) as f64
    }
}

const SOURCE: &str = r"
use flex_harness::prelude::*;

#[stochastic_test]
fn small(rng: &mut TestRng) {
    let x = rng.seed_u64() as f64;
    assert_tail_bound!(x < _);
}
";

fn measure() -> Result<Memory, String> {
    build_flex()?;
    let mut bench = cargo(&["bench", "--quiet", "--package=flex-core", "--bench=memory"]);
    let printed = capture(&mut bench, "")?;
    let site = printed.lines().find_map(|line| line.strip_prefix("site "));
    let site = site.and_then(|bytes| bytes.parse().ok());
    let site = site.ok_or("the benchmark does not say what a site takes")?;
    let kept = printed.lines().filter_map(|line| {
        let (runs, bytes) = line.split_once(' ')?;
        Some((runs.parse().ok()?, bytes.parse().ok()?))
    });
    let kept = kept.collect();
    let files = [("src/lib.rs", ""), ("tests/small.rs", SOURCE)];
    let project = Project::new("memory", WITH_FLEX, &files)?;
    project.build(Build::Release)?;
    let mut peaks = Vec::new();
    for runs in [3_000, 300_000] {
        peaks.push((runs, peak(&project, runs)?));
    }
    Ok(Memory { site, kept, peaks })
}

/// The peak of the process that calibrates with so many runs. Linux tells while it runs, and the peak only grows.
fn peak(project: &Project, runs: usize) -> Result<f64, String> {
    let _ = fs::remove_file(project.path("flex-bounds.toml"));
    let runs = runs.to_string();
    let args = ["--runs", &runs, "--max-runs", &runs, "--seed", "memory"];
    let mut command = project.calibrate(Build::Release, &args);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak: f64 = 0.0;
    loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<f64>().ok());
        peak = peak.max(1024.0 * kilobytes.unwrap_or(0.0));
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            let done = status.success() && peak > 0.0;
            return done
                .then_some(peak)
                .ok_or_else(|| format!("no peak: {status}"));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
