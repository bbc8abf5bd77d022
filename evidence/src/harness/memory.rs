//! The memory of a calibration: what the engine keeps for a sample, and what the whole process takes at its peak.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use crate::process::{capture, cargo};
use crate::project::{Build, Project};

pub struct Memory {
    /// Runs, and bytes that the engine keeps for each sample of a site.
    pub kept: Vec<(usize, f64)>,
    /// Runs, and the peak of the calibrating process in bytes.
    pub peaks: Vec<(usize, f64)>,
}

impl Memory {
    /// Bytes that each further run adds to the peak.
    pub fn peak_slope(&self) -> f64 {
        let (few, many) = (self.peaks[0], self.peaks[self.peaks.len() - 1]);
        (many.1 - few.1) / (many.0 - few.0) as f64
    }
}

const MANIFEST: &str = r#"
[dev-dependencies]
flex-harness = { path = "{flex}/flex-harness" }
"#;

const SOURCE: &str = r"
use flex_harness::prelude::*;

#[stochastic_test]
fn small(rng: &mut TestRng) {
    let x = rng.seed_u64() as f64;
    assert_tail_bound!(x < _);
}
";

pub fn measure() -> Result<Memory, String> {
    let mut bench = cargo(&["bench", "--quiet", "--package=flex-core", "--bench=memory"]);
    let printed = capture(&mut bench, "")?;
    let kept = printed.lines().filter_map(|line| {
        let (runs, bytes) = line.split_once(' ')?;
        Some((runs.parse().ok()?, bytes.parse().ok()?))
    });
    let kept = kept.collect();
    let files = [("src/lib.rs", ""), ("tests/small.rs", SOURCE)];
    let project = Project::new("memory", MANIFEST, &files)?;
    project.build(Build::Release)?;
    let mut peaks = Vec::new();
    for runs in [3_000, 300_000] {
        peaks.push((runs, peak(&project, runs)?));
    }
    Ok(Memory { kept, peaks })
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
