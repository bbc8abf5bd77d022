//! Making the page: from the bounds file and the samples of a large suite, by our program as it is shipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use xtask::process::{cargo, run, target};

use crate::page::{Bar, Section, Size};
use crate::program;
use crate::project::build_flex;

/// Times that a page is made; the median counts.
const TIMES: usize = 5;

/// A suite: tests of one site, and the runs of each.
#[derive(Debug, Clone, Copy)]
pub struct Suite {
    pub sites: usize,
    pub runs: usize,
}

/// The suites that bars are stated for.
pub const SUITES: [Suite; 2] = [
    Suite {
        sites: 1000,
        runs: 1000,
    },
    Suite {
        sites: 10_000,
        runs: 100,
    },
];

/// What was measured of one suite.
struct Made {
    seconds: f64,
    /// Processor time.
    worked: f64,
    megabytes: f64,
    page: f64,
    json: f64,
}

/// Measures both suites.
pub fn section(size: Size) -> Result<Section, String> {
    let [thousand, many] = SUITES.map(|suite| measured(suite.of(size)));
    let (thousand, many) = (thousand?, many?);
    let row = |suite: Suite, made: &Made| {
        let suite = suite.of(size);
        format!(
            "| {} | {} | {:.2} s | {:.2} s | {:.0} MB | {:.1} MB | {:.1} MB |\n",
            suite.sites,
            suite.runs,
            made.seconds,
            made.worked,
            made.megabytes,
            made.page,
            made.json
        )
    };
    let text = format!(
        "The median of {TIMES} times by the clock, the processor time of the same, and the largest memory; the release build.\n\n\
         | sites | samples of each | time | processor time | memory | page | JSON |\n|---|---|---|---|---|---|---|\n{}{}\n",
        row(SUITES[0], &thousand),
        row(SUITES[1], &many)
    );
    let bars = [
        Bar {
            what: "1,000 sites with 1,000 samples: time".to_owned(),
            measured: format!("{:.2} s", thousand.seconds),
            bar: "≤ 2 s".to_owned(),
            kept: thousand.seconds <= 2.0,
        },
        Bar {
            what: "the same: memory".to_owned(),
            measured: format!("{:.0} MB", thousand.megabytes),
            bar: "≤ 200 MB".to_owned(),
            kept: thousand.megabytes <= 200.0,
        },
        Bar {
            what: "10,000 sites: the page".to_owned(),
            measured: format!("{:.1} MB", many.page),
            bar: "< 20 MB".to_owned(),
            kept: many.page < 20.0,
        },
    ];
    Ok(Section::with_bars(text, &bars))
}

impl Suite {
    /// The suite, or one with a tenth of the sites.
    pub fn of(self, size: Size) -> Suite {
        Suite {
            sites: size.of(self.sites),
            ..self
        }
    }

    /// Makes the suite, and its page; returns the folder.
    pub fn made(self) -> Result<PathBuf, String> {
        build_flex()?;
        let words = [
            "build",
            "--release",
            "--package=flex-tests",
            "--bin=report-project",
        ];
        run(&mut cargo(&words))?;
        let folder = program::fresh_folder(&format!("evidence/report-{}", self.sites))?;
        let mut project = Command::new(target().join("release/report-project"));
        project.arg(&folder);
        run(project.args([self.sites.to_string(), self.runs.to_string()]))?;
        Ok(folder)
    }
}

/// The page of a suite in this folder.
pub fn page_in(folder: &Path) -> PathBuf {
    folder.join("target/flex/report.html")
}

/// The command that writes it in this form.
pub fn report(folder: &Path, format: &str, out: &Path) -> Command {
    let mut command = Command::new(program::path());
    command.args(["report", "--format", format, "--manifest-path"]);
    command.arg(folder.join("Cargo.toml")).arg("--out").arg(out);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn measured(suite: Suite) -> Result<Made, String> {
    let folder = suite.made()?;
    let page = page_in(&folder);
    let mut times = Vec::new();
    let mut megabytes: f64 = 0.0;
    for _ in 0..TIMES {
        let (seconds, worked, peak) = watched(&mut report(&folder, "html", &page))?;
        times.push((seconds, worked));
        megabytes = megabytes.max(peak);
    }
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (seconds, worked) = times[TIMES / 2];
    let json = folder.join("report.json");
    run(&mut report(&folder, "json", &json))?;
    let size = |path: &Path| {
        let file = fs::metadata(path).map_err(|error| error.to_string())?;
        Ok::<f64, String>(file.len() as f64 / 1e6)
    };
    Ok(Made {
        seconds,
        worked,
        megabytes,
        page: size(&page)?,
        json: size(&json)?,
    })
}

/// Runs a program; its seconds by the clock and of processor time, and its largest memory in megabytes, as the kernel
/// last said before it ended.
fn watched(command: &mut Command) -> Result<(f64, f64, f64), String> {
    let began = Instant::now();
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let place = PathBuf::from(format!("/proc/{}", child.id()));
    let (mut worked, mut peak): (f64, f64) = (0.0, 0.0);
    loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            let seconds = began.elapsed().as_secs_f64();
            return match status.success() && peak > 0.0 {
                true => Ok((seconds, worked, peak)),
                false => Err(format!("{command:?} ended with {status}")),
            };
        }
        peak = peak.max(peak_of(&place).unwrap_or(0.0));
        worked = worked.max(worked_by(&place).unwrap_or(0.0));
        sleep(Duration::from_millis(1));
    }
}

/// The largest memory of a process so far, in megabytes.
fn peak_of(place: &Path) -> Option<f64> {
    let status = fs::read_to_string(place.join("status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024.0 / 1e6)
}

/// The processor time of a process so far. A tick is a hundredth of a second, on every Linux that there is.
fn worked_by(place: &Path) -> Option<f64> {
    let stat = fs::read_to_string(place.join("stat")).ok()?;
    // Behind the name of the program, which may hold anything, the twelfth and thirteenth are its ticks.
    let (_, rest) = stat.rsplit_once(')')?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let ticks = |index: usize| words.get(index)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100.0)
}
