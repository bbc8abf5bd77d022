//! A crate with a hundred trivial tests, and what running them in every way costs.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

use xtask::process::succeed;

use crate::harness::process_cost::ProcessCost;
use crate::project::{Build, Project};

/// Tests in the crate.
const TESTS: usize = 100;
/// Runs of each test in a calibration.
const RUNS: usize = 3000;
/// Processes that a calibration starts for a test: five share the runs, one repeats some.
const PROCESSES: usize = 6;
/// Calibrations, each followed by what it is compared with.
const REPEATS: usize = 3;

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
    for run in 0..runs {
        let mut rng = ChaCha8Rng::from_seed(seeds.run(run));
        black_box(catch_unwind(AssertUnwindSafe(|| body(&mut rng))).is_ok());
    }
}
"#;

/// Makes the crate.
pub fn project() -> Result<Project, String> {
    let mut source = BARE.to_owned();
    for test in 0..TESTS {
        let _ = writeln!(
            source,
            "#[stochastic_test]\nfn t{test:03}(rng: &mut TestRng) {{ let x = rng.seed_u64() as f64; assert_tail_bound!(x < _); }}"
        );
    }
    let files = [("src/lib.rs", ""), ("tests/trivial.rs", source.as_str())];
    Project::new("speed", MANIFEST, &files)
}

/// The cost of one run, in nanoseconds.
pub struct Rerun {
    pub bare: f64,
    pub recorded: f64,
}

/// The cost of calibrating all the tests, over all repeats.
pub struct Calibrating {
    pub build: Build,
    pub calibrate: ProcessCost,
    /// `cargo test --no-run` with nothing to build, which is a part of it.
    pub cargo: ProcessCost,
    pub bare: ProcessCost,
    pub starts: ProcessCost,
}

impl Calibrating {
    /// Returns the processor seconds of one calibration, of the bare loops and of the starts.
    pub fn cpu(&self) -> [f64; 3] {
        let all = self.calibrate.cpu - self.cargo.cpu;
        [all, self.bare.cpu, self.starts.cpu].map(|seconds| seconds / REPEATS as f64)
    }

    /// Returns calibration as a multiple of bare loops and starts: in processor time, and as the clock shows it.
    pub fn ratios(&self) -> [f64; 2] {
        let ratio = |of: fn(&ProcessCost) -> f64| {
            (of(&self.calibrate) - of(&self.cargo)) / (of(&self.bare) + of(&self.starts))
        };
        [ratio(|cost| cost.cpu), ratio(|cost| cost.wall)]
    }
}

/// The cost of a test process, in milliseconds of the processor.
pub struct Enforcing {
    pub build: Build,
    pub alone: f64,
    pub with_thousand: f64,
    /// All the tests in one process, with their entries alone and with others to a thousand.
    pub all_alone: f64,
    pub all_with_thousand: f64,
}

/// The built test program of the crate.
pub struct TrivialTests<'a> {
    project: &'a Project,
    build: Build,
    exe: PathBuf,
}

impl<'a> TrivialTests<'a> {
    /// Builds it.
    pub fn build(project: &'a Project, build: Build) -> Result<Self, String> {
        let mut programs = project.build(build)?;
        let exe = programs.remove("trivial").ok_or("no test program")?;
        Ok(TrivialTests {
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

    /// Processes that record so many runs.
    fn record(&self, processes: usize, runs: usize) -> Result<ProcessCost, String> {
        let file = self.project.path("record");
        let cost = ProcessCost::of_many(processes, || {
            let mut command = self.test();
            command
                .env("FLEX_MODE", "record")
                .env("FLEX_SEED", "speed")
                .env("FLEX_RECORD", &file)
                .env("FLEX_RECORD_RUNS", format!("0..{runs}"));
            command
        });
        let _ = std::fs::remove_file(file);
        cost
    }

    /// A process with a bare loop of so many runs.
    fn bare(&self, runs: usize) -> Result<ProcessCost, String> {
        ProcessCost::of_many(1, || {
            let mut command = self.project.program(&self.exe);
            command.args(["--exact", "bare", "--ignored"]);
            command.env("BARE_RUNS", runs.to_string());
            command
        })
    }

    /// Compares a run that is recorded with a bare one: two numbers of runs, so that starting and ending cancel.
    pub fn rerun(&self) -> Result<Rerun, String> {
        const FEW: usize = 20_000;
        const MANY: usize = 520_000;
        const REPEATS: usize = 9;
        let (mut bare, mut recorded) = (0.0, 0.0);
        for _ in 0..REPEATS {
            recorded += self.record(1, MANY)?.cpu - self.record(1, FEW)?.cpu;
            bare += self.bare(MANY)?.cpu - self.bare(FEW)?.cpu;
        }
        let nanos = |seconds: f64| seconds / (REPEATS * (MANY - FEW)) as f64 * 1e9;
        Ok(Rerun {
            bare: nanos(bare),
            recorded: nanos(recorded),
        })
    }

    /// Calibrates all tests, beside as many bare runs and starts of processes.
    pub fn calibrating(&self) -> Result<Calibrating, String> {
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
        let mut sum = Calibrating {
            build: self.build,
            calibrate: ProcessCost::default(),
            cargo: ProcessCost::default(),
            bare: ProcessCost::default(),
            starts: ProcessCost::default(),
        };
        for _ in 0..REPEATS {
            let _ = std::fs::remove_file(self.project.path("flex-bounds.toml"));
            sum.calibrate += ProcessCost::of_many(1, || self.project.calibrate(self.build, &args))?;
            sum.cargo += ProcessCost::of_many(1, || self.project.up_to_date(self.build))?;
            sum.bare += self.bare(TESTS * RUNS)?;
            sum.starts += self.record(TESTS * PROCESSES, 1)?;
        }
        Ok(sum)
    }

    /// Enforces bounds files with a few entries and with a thousand.
    pub fn enforcing(&self) -> Result<Enforcing, String> {
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
        const ROUNDS: usize = 5;
        for (name, text) in &files {
            self.project.write(name, text)?;
        }
        let mut millis = [0.0; 4];
        for _ in 0..ROUNDS {
            for ((name, _), millis) in files.iter().zip(&mut millis) {
                let whole = name.starts_with("all");
                let starts = if whole { 10 } else { 50 };
                let cost = ProcessCost::of_many(starts, || {
                    let mut command = match whole {
                        false => self.test(),
                        true => self.project.program(&self.exe),
                    };
                    command
                        .env("FLEX_SEED", "speed")
                        .env("FLEX_BOUNDS", self.project.path(name));
                    command
                })?;
                *millis += cost.cpu / (ROUNDS * starts) as f64 * 1e3;
            }
        }
        let [alone, with_thousand, all_alone, all_with_thousand] = millis;
        Ok(Enforcing {
            build: self.build,
            alone,
            with_thousand,
            all_alone,
            all_with_thousand,
        })
    }
}
