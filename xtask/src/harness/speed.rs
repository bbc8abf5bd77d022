//! What flex costs beside the test itself, measured in one run: everything is a difference or a ratio.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use super::median;
use super::project::{Build, Project, output, succeed, words};

const TESTS: usize = 100;
pub const RUNS: usize = 3000;
/// Processes that a calibration starts for a test: five share the runs, one repeats some.
const PROCESSES: usize = 6;

const MANIFEST: &str = r#"
[dev-dependencies]
chacha20 = { version = "0.10", default-features = false, features = ["rng"] }
flex-core = { path = "{flex}/flex-core", default-features = false }
flex-harness = { path = "{flex}/flex-harness" }
"#;

/// The same body in a bare loop: a seed, a generator, `catch_unwind`, one number.
const BARE: &str = r#"
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use flex_core::seed::{Phase, Seeds};
use flex_harness::prelude::*;

#[test]
#[ignore = "a benchmark"]
fn bare() {
    let runs: u64 = std::env::var("BARE_RUNS").unwrap().parse().unwrap();
    let seeds = Seeds::new("speed", Phase::Calibrate, "test:trivial", "bare");
    let body: fn(&mut ChaCha8Rng) -> Result<(), String> = black_box(|rng| {
        black_box(rng.next_u64() as f64);
        Ok(())
    });
    let started = std::time::Instant::now();
    for run in 0..runs {
        let mut rng = ChaCha8Rng::from_seed(seeds.run(run));
        black_box(catch_unwind(AssertUnwindSafe(|| body(&mut rng))).is_ok());
    }
    println!("bare {}", started.elapsed().as_nanos());
}
"#;

/// A run, in nanoseconds.
pub struct Rerun {
    pub bare: f64,
    pub recorded: f64,
}

/// Calibrating all the tests, in seconds.
pub struct Calibrating {
    pub build: Build,
    pub calibrate: f64,
    /// `cargo test --no-run` with nothing to build, which is a part of it.
    pub cargo: f64,
    pub bare: f64,
    pub starts: f64,
}

impl Calibrating {
    pub fn ratio(&self) -> f64 {
        (self.calibrate - self.cargo) / (self.bare + self.starts)
    }
}

/// A test process, in milliseconds.
pub struct Enforcing {
    pub build: Build,
    pub alone: f64,
    pub with_thousand: f64,
    /// All the tests in one process, with their entries alone and with others to a thousand.
    pub all_alone: f64,
    pub all_with_thousand: f64,
}

pub struct Speed {
    pub rerun: Rerun,
    pub calibrating: Vec<Calibrating>,
    pub enforcing: Vec<Enforcing>,
}

pub fn measure() -> Result<Speed, String> {
    let mut source = BARE.to_owned();
    for test in 0..TESTS {
        let _ = writeln!(
            source,
            "#[stochastic_test]\nfn t{test:03}(rng: &mut TestRng) {{ let x = rng.seed_u64() as f64; assert_tail_bound!(x < _); }}"
        );
    }
    let files = [("src/lib.rs", ""), ("tests/trivial.rs", source.as_str())];
    let project = Project::new("speed", MANIFEST, &files)?;
    let mut speed = Speed {
        rerun: rerun(&project)?,
        calibrating: Vec::new(),
        enforcing: Vec::new(),
    };
    for build in [Build::Release, Build::Dev] {
        let bench = Bench::new(&project, build)?;
        speed.calibrating.push(bench.calibrating()?);
        speed.enforcing.push(bench.enforcing()?);
    }
    Ok(speed)
}

/// Two numbers of runs, so that starting and ending cancel.
fn rerun(project: &Project) -> Result<Rerun, String> {
    const FEW: usize = 20_000;
    const MANY: usize = 520_000;
    let bench = Bench::new(project, Build::Release)?;
    let (mut bare, mut recorded) = (Vec::new(), Vec::new());
    for _ in 0..9 {
        let few = bench.record(FEW)?;
        let many = bench.record(MANY)?;
        recorded.push((many - few) / (MANY - FEW) as f64 * 1e9);
        bare.push(bench.bare(MANY)? / MANY as f64 * 1e9);
    }
    Ok(Rerun {
        bare: median(bare),
        recorded: median(recorded),
    })
}

/// The built test program.
struct Bench<'a> {
    project: &'a Project,
    build: Build,
    exe: PathBuf,
}

impl<'a> Bench<'a> {
    fn new(project: &'a Project, build: Build) -> Result<Self, String> {
        let mut programs = project.build(build)?;
        let exe = programs.remove("trivial").ok_or("no test program")?;
        Ok(Bench {
            project,
            build,
            exe,
        })
    }

    fn test(&self) -> Command {
        let mut command = self.project.program(&self.exe);
        command.args(["--exact", "t000", "--test-threads=1"]);
        command
    }

    /// Seconds of a process that records so many runs.
    fn record(&self, runs: usize) -> Result<f64, String> {
        let file = self.project.path("record");
        let mut command = self.test();
        command
            .env("FLEX_MODE", "record")
            .env("FLEX_SEED", "speed")
            .env("FLEX_RECORD", &file)
            .env("FLEX_RECORD_RUNS", format!("0..{runs}"));
        let seconds = timed(&mut command);
        let _ = std::fs::remove_file(file);
        seconds
    }

    /// Seconds of a bare loop of so many runs.
    fn bare(&self, runs: usize) -> Result<f64, String> {
        let mut command = self.project.program(&self.exe);
        command.args(["--exact", "bare", "--ignored", "--nocapture"]);
        let printed = words(&output(command.env("BARE_RUNS", runs.to_string()))?);
        let nanos = printed
            .lines()
            .find_map(|line| line.split("bare ").nth(1)?.parse::<f64>().ok());
        Ok(nanos.ok_or_else(|| format!("no time in {printed:?}"))? / 1e9)
    }

    fn calibrating(&self) -> Result<Calibrating, String> {
        let runs = RUNS.to_string();
        let args = [
            "--runs",
            &runs,
            "--max-runs",
            &runs,
            "--seed",
            "speed",
            "--jobs",
            "1",
        ];
        let mut times: [Vec<f64>; 4] = Default::default();
        for _ in 0..3 {
            let _ = std::fs::remove_file(self.project.path("flex-bounds.toml"));
            times[0].push(timed(&mut self.project.calibrate(self.build, &args))?);
            let started = Instant::now();
            self.project.build(self.build)?;
            times[1].push(started.elapsed().as_secs_f64());
            times[2].push(self.bare(TESTS * RUNS)?);
            let started = Instant::now();
            for _ in 0..TESTS * PROCESSES {
                self.record(1)?;
            }
            times[3].push(started.elapsed().as_secs_f64());
        }
        let [calibrate, cargo, bare, starts] = times.map(median);
        Ok(Calibrating {
            build: self.build,
            calibrate,
            cargo,
            bare,
            starts,
        })
    }

    fn enforcing(&self) -> Result<Enforcing, String> {
        succeed(&mut self.project.calibrate(self.build, &["--seed", "speed"]))?;
        let all = self.project.read("flex-bounds.toml")?;
        let (head, entries) = all.split_once("[[bound]]").ok_or("no entry")?;
        let first = entries.split("[[bound]]").next().unwrap_or_default();
        let others = |count: usize| {
            let other = |number| {
                format!(
                    "[[bound]]{}",
                    first.replace("t000", &format!("u{number:03}"))
                )
            };
            (0..count).map(other).collect::<String>()
        };
        let files = [
            ("alone.toml", format!("{head}[[bound]]{first}")),
            (
                "thousand.toml",
                format!("{head}[[bound]]{first}{}", others(999)),
            ),
            ("all.toml", all.clone()),
            ("all-thousand.toml", format!("{all}\n{}", others(900))),
        ];
        let mut times: [Vec<f64>; 4] = Default::default();
        for (name, text) in &files {
            self.project.write(name, text)?;
        }
        for round in 0..100 {
            for ((name, _), times) in files.iter().zip(&mut times) {
                let mut command = match name.starts_with("all") {
                    false => self.test(),
                    true if round % 5 == 0 => self.project.program(&self.exe),
                    true => continue,
                };
                command
                    .env("FLEX_SEED", "speed")
                    .env("FLEX_BOUNDS", self.project.path(name));
                times.push(timed(&mut command)? * 1e3);
            }
        }
        let [alone, with_thousand, all_alone, all_with_thousand] = times.map(median);
        Ok(Enforcing {
            build: self.build,
            alone,
            with_thousand,
            all_alone,
            all_with_thousand,
        })
    }
}

/// Seconds of a process that must succeed.
fn timed(command: &mut Command) -> Result<f64, String> {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let started = Instant::now();
    let status = command.status().map_err(|error| error.to_string())?;
    let seconds = started.elapsed().as_secs_f64();
    let program = Path::new(command.get_program()).display().to_string();
    if status.success() {
        Ok(seconds)
    } else {
        Err(format!("{program} failed: {status}"))
    }
}
