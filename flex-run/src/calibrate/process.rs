//! The processes that make runs of a test: started one after the other, or beside each other where the test allows it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use flex_core::seed::Phase;

use super::gate::Gate;
use super::settings::{CalibrationError, CalibrationSettings};
use crate::model::ProcessRecord;
use crate::project::env;
use crate::wire;

/// A program with stochastic tests, and what it needs to run as under cargo.
#[derive(Debug, Clone)]
pub struct TestProgram {
    /// The executable.
    pub exe: PathBuf,
    /// The folder to run in.
    pub folder: Option<PathBuf>,
    /// Variables to set.
    pub env: Vec<(OsString, OsString)>,
}

/// Starts the processes of one test.
#[derive(Debug, Clone, Copy)]
pub struct Worker<'a> {
    /// The program.
    pub program: &'a TestProgram,
    /// The path of the test without the crate.
    pub test: &'a str,
    /// The base seed.
    pub base: &'a str,
    /// What the runs are made for.
    pub phase: Phase,
    /// When to begin no further run.
    pub deadline: Option<Instant>,
    /// Lets processes run.
    pub gate: &'a Gate,
}

/// What a part of the runs showed.
#[derive(Debug)]
pub struct Recorded {
    /// One, or several if runs ended their process.
    pub records: Vec<ProcessRecord>,
    /// Runs that ended their process, with how.
    pub deaths: Vec<(u32, String)>,
    /// A death that did not repeat itself, with the first run that it may have been.
    pub vanished: Option<(u32, String)>,
}

impl Recorded {
    /// Whether no run ended its process, and all were made.
    pub fn is_whole(&self) -> bool {
        let ended = |record: &ProcessRecord| record.took.is_some();
        self.deaths.is_empty() && self.vanished.is_none() && self.records.iter().all(ended)
    }
}

/// What a process is asked to do.
#[derive(Default)]
struct Order {
    runs: String,
    /// No more runs than one of so many parts of what the test asks for.
    parts: Option<u32>,
    carefully: bool,
    until_fixed: bool,
}

/// After the time is up, a run under way may take this much longer before its process is ended.
const GRACE: Duration = Duration::from_secs(30);

impl<'a> Worker<'a> {
    pub(super) fn new(
        program: &'a TestProgram,
        test: &'a str,
        settings: &'a CalibrationSettings,
        gate: &'a Gate,
    ) -> Self {
        Worker {
            program,
            test,
            base: &settings.base,
            phase: match settings.check {
                true => Phase::Check,
                false => Phase::Calibrate,
            },
            deadline: settings.deadline,
            gate,
        }
    }

    /// Whether no further run is to begin.
    pub fn time_is_up(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The same, with time enough to repeat these runs a few times: that is a part of the promise, so a time budget
    /// does not end it; a test that hangs does.
    pub fn patient(&self, runs: &[u32], seconds_per_run: f64) -> Self {
        let patience = 5.0 * runs.len() as f64 * seconds_per_run;
        let patience = Duration::from_secs_f64(patience) + Duration::from_secs(30);
        Worker {
            deadline: Some(Instant::now() + patience),
            ..*self
        }
    }

    /// Makes the first runs of a test: so many, or one of so many parts of what the test asks for itself; `until_fixed`,
    /// a single one if that touches nothing that could differ.
    pub fn record_first(
        &self,
        runs: u32,
        parts: Option<u32>,
        until_fixed: bool,
    ) -> Result<Recorded, CalibrationError> {
        self.record_part(0..runs, parts, until_fixed)
    }

    /// Makes these runs in one process, and in further ones where a run ends its process.
    pub fn record(&self, runs: Range<u32>) -> Result<Recorded, CalibrationError> {
        self.record_part(runs, None, false)
    }

    fn record_part(
        &self,
        runs: Range<u32>,
        parts: Option<u32>,
        until_fixed: bool,
    ) -> Result<Recorded, CalibrationError> {
        let (record, status) = self.start(&Order {
            runs: format!("{}..{}", runs.start, runs.end),
            parts,
            until_fixed,
            ..Order::default()
        })?;
        if record.took.is_some() || self.time_is_up() {
            return Ok(Recorded {
                records: vec![record],
                deaths: Vec::new(),
                vanished: None,
            });
        }
        let mut recorded = self.record_deaths(runs.clone(), parts)?;
        if recorded.deaths.is_empty() {
            let (first, last) = (runs.start, runs.end - 1);
            let how = format!(
                "one of the runs {first} to {last} ended the process ({status}), and none when they were repeated"
            );
            recorded.vanished = Some((first, how));
        }
        Ok(recorded)
    }

    /// Makes these runs again, each written down before it begins, to find those that end the process.
    fn record_deaths(
        &self,
        runs: Range<u32>,
        parts: Option<u32>,
    ) -> Result<Recorded, CalibrationError> {
        let mut recorded = Recorded {
            records: Vec::new(),
            deaths: Vec::new(),
            vanished: None,
        };
        let mut next = runs.start;
        while next < runs.end && !self.time_is_up() {
            let (record, status) = self.start(&Order {
                runs: format!("{next}..{}", runs.end),
                parts,
                carefully: true,
                ..Order::default()
            })?;
            let (finished, begun) = (record.took.is_some(), record.begun);
            recorded.records.push(record);
            match begun {
                _ if finished => break,
                Some(run) => {
                    let how = format!("ended the process ({status})");
                    recorded.deaths.push((run, how));
                    next = run + 1;
                }
                None => {
                    return Err(CalibrationError::Process(format!(
                        "the process of the test ended outside of a run: {status}"
                    )));
                }
            }
        }
        Ok(recorded)
    }

    /// Makes these runs once more, in this order, in one process of their own.
    pub fn repeat(&self, runs: &[u32]) -> Result<ProcessRecord, CalibrationError> {
        let runs: Vec<String> = runs.iter().map(u32::to_string).collect();
        let order = Order {
            runs: runs.join(","),
            ..Order::default()
        };
        self.start(&order).map(|(record, _)| record)
    }

    /// Makes the runs of each part in a process of its own; beside each other if runs may overlap in time.
    pub fn record_all(
        &self,
        parts: Vec<Range<u32>>,
        overlap: bool,
        done: &(dyn Fn(u32) + Sync),
    ) -> Result<Vec<Recorded>, CalibrationError> {
        let record = |part: Range<u32>| {
            let end = part.end;
            let recorded = self.record(part);
            done(end);
            recorded
        };
        let mut all = Vec::new();
        if !overlap {
            for part in parts {
                if self.time_is_up() {
                    break;
                }
                all.push(record(part)?);
            }
            return Ok(all);
        }
        std::thread::scope(|scope| {
            let mut threads = Vec::new();
            for part in parts {
                threads.push(scope.spawn(|| record(part)));
            }
            for thread in threads {
                let recorded = thread.join();
                all.push(recorded.unwrap_or_else(|panic| resume_unwind(panic))?);
            }
            Ok(all)
        })
    }

    /// Runs one process to its end and reads what it recorded.
    fn start(&self, order: &Order) -> Result<(ProcessRecord, ExitStatus), CalibrationError> {
        let cannot = |what: &str, error: io::Error| {
            CalibrationError::Process(format!("cannot {what}: {error}"))
        };
        let folder = scratch_folder(&self.program.exe);
        fs::create_dir_all(&folder).map_err(|error| cannot("make target/flex", error))?;
        let name = scratch_name();
        let file = Scratch(folder.join(format!("{name}.record")));
        let words = Scratch(folder.join(format!("{name}.stderr")));
        let status = self
            .gate
            .pass(|| {
                let mut command = self.command(order, &file.0, File::create(&words.0)?);
                wait(&mut command.spawn()?, self.deadline)
            })
            .map_err(|error| {
                let exe = self.program.exe.display();
                cannot(&format!("run {exe}"), error)
            })?;
        let said = || tail_of(&fs::read_to_string(&words.0).unwrap_or_default());
        let bytes = fs::read(&file.0).map_err(|_| {
            CalibrationError::Process(format!(
                "the process ended without running the test ({status}){}",
                said()
            ))
        })?;
        let record = wire::read(&bytes)
            .map_err(|error| CalibrationError::Process(format!("{error} ({status}){}", said())))?;
        Ok((record, status))
    }

    fn command(&self, order: &Order, file: &Path, stderr: File) -> Command {
        let mut command = Command::new(&self.program.exe);
        command
            .args(["--exact", self.test, "--include-ignored", "--nocapture"])
            .arg("--test-threads=1")
            .envs(self.program.env.iter().map(|(name, value)| (name, value)))
            .env(env::MODE, "record")
            .env(env::SEED, self.base)
            .env(env::RECORD, file)
            .env(env::RECORD_RUNS, &order.runs)
            .env(env::RECORD_PHASE, self.phase.as_str())
            .env_remove(env::RECORD_ORDERS)
            .env_remove(env::RECORD_PARTS)
            .env_remove(env::RECORD_MILLIS)
            .env_remove(env::RECORD_CAREFULLY)
            .env_remove(env::RECORD_UNTIL_FIXED)
            // It would make all processes draw the same.
            .env_remove(env::ENTROPY)
            // A run that panics is an answer; its backtrace costs more than the run.
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(stderr);
        if let Some(folder) = &self.program.folder {
            command.current_dir(folder);
        }
        if let Some(parts) = order.parts {
            command.env(env::RECORD_PARTS, parts.to_string());
        }
        if order.carefully {
            command.env(env::RECORD_CAREFULLY, "1");
        }
        if order.until_fixed {
            command.env(env::RECORD_UNTIL_FIXED, "1");
        }
        if let Some(deadline) = self.deadline {
            let left = deadline.saturating_duration_since(Instant::now());
            command.env(env::RECORD_MILLIS, left.as_millis().max(1).to_string());
        }
        command
    }
}

/// Waits for a process; one that goes on long after the time is up is ended.
pub fn wait(child: &mut Child, deadline: Option<Instant>) -> io::Result<ExitStatus> {
    let Some(deadline) = deadline else {
        return child.wait();
    };
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if Instant::now() > deadline + GRACE {
            child.kill()?;
            return child.wait();
        }
        std::thread::sleep(pause);
        pause = (2 * pause).min(Duration::from_millis(50));
    }
}

/// A name for files that pass between processes, which no other has.
pub(super) fn scratch_name() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    format!("{}-{number}", std::process::id())
}

/// A file that is gone when it has been read.
pub(super) struct Scratch(pub PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        // It lies in the target folder; what cannot be deleted does no harm there.
        let _ = fs::remove_file(&self.0);
    }
}

/// The last lines that a process said, on lines of their own.
fn tail_of(said: &str) -> String {
    const LINES: usize = 12;
    let lines: Vec<&str> = said.lines().collect();
    let last = &lines[lines.len().saturating_sub(LINES)..];
    if last.is_empty() {
        String::new()
    } else {
        format!(":\n{}", last.join("\n"))
    }
}

/// The folder for files that pass between processes: cargo's target folder, where the program lies.
pub fn scratch_folder(exe: &Path) -> PathBuf {
    let is_target = |folder: &&Path| folder.join("CACHEDIR.TAG").exists();
    let folder = exe
        .ancestors()
        .skip(1)
        .find(is_target)
        .or_else(|| exe.parent());
    folder.unwrap_or(exe).join("flex")
}
