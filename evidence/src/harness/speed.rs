//! What flex costs beside the test itself, measured in one run: everything is a difference or a ratio.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::children_seconds;
use crate::project::{Build, Project, succeed};

const TESTS: usize = 100;
pub const RUNS: usize = 3000;
/// Processes that a calibration starts for a test: five share the runs, one repeats some.
const PROCESSES: usize = 6;
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

/// A run, in nanoseconds.
pub struct Rerun {
    pub bare: f64,
    pub recorded: f64,
}

/// What processes cost, in seconds.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cost {
    pub wall: f64,
    pub cpu: f64,
}

impl std::ops::AddAssign for Cost {
    fn add_assign(&mut self, other: Cost) {
        self.wall += other.wall;
        self.cpu += other.cpu;
    }
}

/// Calibrating all the tests, over all repeats.
pub struct Calibrating {
    pub build: Build,
    pub calibrate: Cost,
    /// `cargo test --no-run` with nothing to build, which is a part of it.
    pub cargo: Cost,
    pub bare: Cost,
    pub starts: Cost,
}

impl Calibrating {
    /// Processor seconds of one calibration, of the bare loops and of the starts.
    pub fn cpu(&self) -> [f64; 3] {
        let all = self.calibrate.cpu - self.cargo.cpu;
        [all, self.bare.cpu, self.starts.cpu].map(|seconds| seconds / REPEATS as f64)
    }

    /// Calibration as a multiple of bare loops and starts: in processor time, and as the clock shows it.
    pub fn ratios(&self) -> [f64; 2] {
        let ratio = |of: fn(&Cost) -> f64| {
            (of(&self.calibrate) - of(&self.cargo)) / (of(&self.bare) + of(&self.starts))
        };
        [ratio(|cost| cost.cpu), ratio(|cost| cost.wall)]
    }
}

/// A test process, in milliseconds of the processor.
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
    const REPEATS: usize = 9;
    let bench = Bench::new(project, Build::Release)?;
    let (mut bare, mut recorded) = (0.0, 0.0);
    for _ in 0..REPEATS {
        recorded += bench.record(1, MANY)?.cpu - bench.record(1, FEW)?.cpu;
        bare += bench.bare(MANY)?.cpu - bench.bare(FEW)?.cpu;
    }
    let nanos = |seconds: f64| seconds / (REPEATS * (MANY - FEW)) as f64 * 1e9;
    Ok(Rerun {
        bare: nanos(bare),
        recorded: nanos(recorded),
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

    /// Processes that record so many runs.
    fn record(&self, processes: usize, runs: usize) -> Result<Cost, String> {
        let file = self.project.path("record");
        let cost = Cost::of(processes, || {
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
    fn bare(&self, runs: usize) -> Result<Cost, String> {
        Cost::of(1, || {
            let mut command = self.project.program(&self.exe);
            command.args(["--exact", "bare", "--ignored"]);
            command.env("BARE_RUNS", runs.to_string());
            command
        })
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
        let mut sum = Calibrating {
            build: self.build,
            calibrate: Cost::default(),
            cargo: Cost::default(),
            bare: Cost::default(),
            starts: Cost::default(),
        };
        for _ in 0..REPEATS {
            let _ = std::fs::remove_file(self.project.path("flex-bounds.toml"));
            sum.calibrate += Cost::of(1, || self.project.calibrate(self.build, &args))?;
            sum.cargo += Cost::of(1, || self.project.up_to_date(self.build))?;
            sum.bare += self.bare(TESTS * RUNS)?;
            sum.starts += self.record(TESTS * PROCESSES, 1)?;
        }
        Ok(sum)
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
        const ROUNDS: usize = 5;
        for (name, text) in &files {
            self.project.write(name, text)?;
        }
        let mut millis = [0.0; 4];
        for _ in 0..ROUNDS {
            for ((name, _), millis) in files.iter().zip(&mut millis) {
                let whole = name.starts_with("all");
                let starts = if whole { 10 } else { 50 };
                let cost = Cost::of(starts, || {
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

impl Cost {
    /// What so many processes cost, one after the other, that must succeed. Linux counts the processor's time in
    /// hundredths of a second, hence many.
    fn of(times: usize, command: impl Fn() -> Command) -> Result<Cost, String> {
        let (started, cpu) = (Instant::now(), children_seconds());
        for _ in 0..times {
            let mut command = command();
            command.stdout(Stdio::null()).stderr(Stdio::null());
            let status = command.status().map_err(|error| error.to_string())?;
            if !status.success() {
                return Err(format!("{command:?} failed: {status}"));
            }
        }
        Ok(Cost {
            wall: started.elapsed().as_secs_f64(),
            cpu: children_seconds() - cpu,
        })
    }
}
