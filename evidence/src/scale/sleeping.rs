//! Tests whose runs take a second each, asleep, and what a calibration of them cost in time.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use xtask::process::{printed, succeed, target};

use crate::program;
use crate::project::{Build, Project, WITH_FLEX, build_flex};

/// What a test does: it sleeps, and writes down when, and as which run of which process's.
const TEST: &str = r#"
use std::io::Write;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use flex_harness::prelude::*;

fn number(name: &str) -> f64 {
    std::env::var(name).map_or(0.0, |text| text.parse().unwrap())
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64()
}

/// One process in a hundred is five times slower, if that is asked for.
fn is_slow() -> bool {
    static SLOW: OnceLock<bool> = OnceLock::new();
    *SLOW.get_or_init(|| number("STRAGGLERS") > 0.0 && std::process::id() % 100 == 0)
}

fn run(rng: &mut TestRng) -> f64 {
    let begun = now();
    let pause = number("PAUSE") * if is_slow() { 5.0 } else { 1.0 };
    std::thread::sleep(Duration::from_secs_f64(pause));
    if let Ok(folder) = std::env::var("SLEPT") {
        let path = format!("{folder}/{}", std::process::id());
        let mut file = std::fs::File::options().append(true).create(true).open(path).unwrap();
        let told = |name: &str| std::env::var(name).unwrap_or_default();
        let test: Vec<String> = std::env::args().collect();
        let order = (told("FLEX_RECORD_PART"), told("FLEX_RECORD_RUNS"));
        writeln!(file, "{begun} {} {test:?} {order:?} {}", now(), rng.seed_u64()).unwrap();
    }
    rng.seed_u64() as f64
}
"#;

/// The crate.
pub struct Sleeping {
    project: Project,
}

/// What one calibration took.
#[derive(Debug, Clone)]
pub struct Took {
    /// Seconds by the clock, from the start of the command to its end.
    pub wall: f64,
    /// Before the first run began, and after the last had ended.
    pub before: f64,
    pub after: f64,
    /// When each run began and ended, in seconds after the start.
    runs: Vec<(f64, f64)>,
    /// Those that were of use: of a run that two workers made, the one that ended first.
    used: Vec<(f64, f64)>,
}

impl Took {
    /// Runs that were made, those made twice counted once.
    pub fn runs(&self) -> usize {
        self.used.len()
    }

    /// Seconds that these took together.
    pub fn slept(&self) -> f64 {
        self.used.iter().map(|(begun, ended)| ended - begun).sum()
    }

    /// What so many workers did besides runs, as a share of these, while there was work for all: from the first run until the
    /// last but a tenth of the runs has begun.
    pub fn overhead(&self, workers: usize) -> f64 {
        let mut begun: Vec<f64> = self.runs.iter().map(|(begun, _)| *begun).collect();
        begun.sort_by(f64::total_cmp);
        let Some(&first) = begun.first() else {
            return 0.0;
        };
        let until = begun[begun.len() * 9 / 10];
        let within = |(begun, ended): &(f64, f64)| (ended.min(until) - begun).max(0.0);
        let busy: f64 = self.runs.iter().map(within).sum();
        workers as f64 * (until - first) / busy - 1.0
    }
}

impl Sleeping {
    /// Makes and builds the crate, with a test program for each number of tests.
    pub fn new(sizes: &[usize]) -> Result<Self, String> {
        build_flex()?;
        let tests = |count: usize| {
            let test = |n: usize| {
                format!(
                    "#[stochastic_test]\nfn t{n:03}(rng: &mut TestRng) {{\n    let value = run(rng);\n    assert_tail_bound!(value < _);\n}}\n"
                )
            };
            TEST.to_owned() + &(0..count).map(test).collect::<String>()
        };
        let files: Vec<(String, String)> = sizes
            .iter()
            .map(|&count| (format!("tests/of{count}.rs"), tests(count)))
            .collect();
        let mut all = vec![("src/lib.rs", "")];
        all.extend(
            files
                .iter()
                .map(|(path, text)| (path.as_str(), text.as_str())),
        );
        let project = Project::new("sleeping", WITH_FLEX, &all)?;
        succeed(&mut project.up_to_date(Build::Release))?;
        Ok(Sleeping { project })
    }

    /// The bounds file.
    pub fn bounds(&self) -> PathBuf {
        self.project.path("flex-bounds.toml")
    }

    /// The command that calibrates so many tests, whose runs take so many seconds.
    pub fn command(&self, tests: usize, pause: f64, options: &[&str]) -> Command {
        let mut command = self.project.program(&program::path());
        command
            .args(["calibrate", "--release", "--seed", "fixed", "--test"])
            .arg(format!("of{tests}"))
            .args(options)
            .env("PAUSE", pause.to_string());
        command
    }

    /// Calibrates so many tests, whose runs take so many seconds.
    pub fn calibrate(
        &self,
        tests: usize,
        pause: f64,
        options: &[&str],
        env: &[(String, String)],
        as_it_runs: impl Fn(Command) -> Command,
    ) -> Result<Took, String> {
        let slept: PathBuf = target().join("harness/slept");
        let _ = fs::remove_dir_all(&slept);
        fs::create_dir_all(&slept).map_err(|error| error.to_string())?;
        let _ = fs::remove_file(self.bounds());
        let mut command = self.command(tests, pause, options);
        command
            .env("SLEPT", &slept)
            .envs(env.iter().map(|(name, value)| (name, value)));
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or(Duration::ZERO);
        let began = Instant::now();
        let mut command = as_it_runs(command);
        let output = command.output().map_err(|error| error.to_string())?;
        let wall = began.elapsed().as_secs_f64();
        if !output.status.success() {
            return Err(format!("{command:?} failed:\n{}", printed(&output)));
        }
        let mut runs = Vec::new();
        let mut used: BTreeMap<String, (f64, f64)> = BTreeMap::new();
        let files = fs::read_dir(&slept).map_err(|error| error.to_string())?;
        for file in files.flatten() {
            let text = fs::read_to_string(file.path()).map_err(|error| error.to_string())?;
            for line in text.lines() {
                let mut words = line.splitn(3, ' ');
                let mut time = || Some(words.next()?.parse::<f64>().ok()? - since.as_secs_f64());
                let (Some(begun), Some(ended)) = (time(), time()) else {
                    continue;
                };
                runs.push((begun, ended));
                let run = words.next().unwrap_or_default().to_owned();
                let first = used.entry(run).or_insert((begun, ended));
                if ended < first.1 {
                    *first = (begun, ended);
                }
            }
        }
        let first = runs.iter().map(|run| run.0).fold(f64::INFINITY, f64::min);
        let last = runs.iter().map(|run| run.1).fold(0.0, f64::max);
        Ok(Took {
            wall,
            before: first,
            after: wall - last,
            runs,
            used: used.into_values().collect(),
        })
    }
}
