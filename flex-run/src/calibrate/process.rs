//! The processes that make runs of a test: started one after the other, or beside each other where the test allows it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use flex_core::seed::{Phase, SeedRequest};

use super::gate::Gate;
use super::onlooker::Onlooker;
use super::settings::{CalibrationError, CalibrationSettings};
use crate::model::{HungRun, ProcessRecord, Test};
use crate::project::duration::seconds;
use crate::project::env;
use crate::project::part::Part;
use crate::project::target_folder_of;
use crate::watch::{ProcessEnd, Slowest, hang, name_parent};
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
    /// After how long a run hangs, instead of what the test says.
    pub timeout: Option<Duration>,
    /// The slowest run so far.
    pub slowest: &'a Slowest,
    /// Lets processes run.
    pub gate: &'a Gate,
    /// Whoever wants to know how far they are.
    pub onlooker: &'a dyn Onlooker,
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
    /// The run that did not end; those behind it were not made.
    pub hung: Option<HungRun>,
}

impl From<ProcessRecord> for Recorded {
    #[inline]
    fn from(record: ProcessRecord) -> Self {
        Recorded {
            hung: record.hung,
            ..Recorded::new(vec![record])
        }
    }
}

impl Recorded {
    #[inline]
    fn new(records: Vec<ProcessRecord>) -> Self {
        Recorded {
            records,
            deaths: Vec::new(),
            vanished: None,
            hung: None,
        }
    }
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
    /// A part of what the test asks for, instead of the runs.
    part: Option<Part>,
    /// No more runs than one of so many parts of what the test asks for.
    parts: Option<u32>,
    carefully: bool,
    until_fixed: bool,
}

/// After the time is up, a run under way may take this much longer before it is ended.
pub const GRACE: Duration = Duration::from_secs(30);

/// And so much later the process that should have done that itself.
const MORE_GRACE: Duration = Duration::from_secs(5);

impl<'a> Worker<'a> {
    /// What starts the processes of a calibration with these settings.
    pub fn new(
        program: &'a TestProgram,
        test: &'a str,
        settings: &'a CalibrationSettings,
        slowest: &'a Slowest,
        (gate, onlooker): (&'a Gate, &'a dyn Onlooker),
    ) -> Self {
        Worker {
            program,
            test,
            base: &settings.base,
            phase: settings.phase(),
            deadline: settings.deadline,
            timeout: settings.timeout,
            slowest,
            gate,
            onlooker,
        }
    }

    /// Whether no further run is to begin: it would probably not end in time.
    pub fn time_is_up(&self) -> bool {
        let takes = self.slowest.get().unwrap_or_default();
        self.deadline
            .is_some_and(|deadline| Instant::now() + takes >= deadline)
    }

    /// The same, with an end that leaves time to repeat so many runs of this duration.
    pub(super) fn leaving_time_for(&self, repeats: u32, seconds_per_run: f64) -> Self {
        let needed = Duration::from_secs_f64(f64::from(repeats) * seconds_per_run);
        let now = Instant::now();
        let earlier = |deadline: Instant| deadline.checked_sub(needed).unwrap_or(now);
        Worker {
            deadline: self.deadline.map(earlier),
            ..*self
        }
    }

    /// The same, with half of the time.
    pub(super) fn hurried(&self) -> Self {
        let now = Instant::now();
        let half = |deadline: Instant| now + deadline.saturating_duration_since(now) / 2;
        Worker {
            deadline: self.deadline.map(half),
            ..*self
        }
    }

    /// A run did not end, which is an error for whoever learns from runs: what a test shows that hangs now and then says
    /// nothing of what it is to show.
    pub fn not_hung(&self, test: &Test, hung: Option<HungRun>) -> Result<(), CalibrationError> {
        match hung {
            None => Ok(()),
            Some(HungRun { is_hang: false, .. }) => Err(CalibrationError::NoTime),
            Some(hung) => Err(hung_in_words(self.base, self.phase, test, hung)),
        }
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

    /// Makes these runs in one process; a single one if that touches nothing that could differ.
    #[inline]
    pub fn record_until_fixed(&self, runs: Range<u32>) -> Result<Recorded, CalibrationError> {
        self.record_part(runs, None, true)
    }

    /// Makes a part of the runs that the test asks for itself, in one process, and in further ones where a run ends its
    /// process; `until_fixed`, a single one if that touches nothing that could differ.
    #[inline]
    pub fn record_share(
        &self,
        part: Part,
        until_fixed: bool,
    ) -> Result<Recorded, CalibrationError> {
        let made = self.start(&Order {
            part: Some(part),
            until_fixed,
            ..Order::default()
        })?;
        let runs = part.runs(made.0.test.options.runs_to_begin_with());
        self.whole(made, runs, None)
    }

    fn record_part(
        &self,
        runs: Range<u32>,
        parts: Option<u32>,
        until_fixed: bool,
    ) -> Result<Recorded, CalibrationError> {
        let made = self.start(&Order {
            runs: format!("{}..{}", runs.start, runs.end),
            parts,
            until_fixed,
            ..Order::default()
        })?;
        self.whole(made, runs, parts)
    }

    /// What these runs show, of which one process made those that it made before it ended.
    fn whole(
        &self,
        (record, status): (ProcessRecord, ExitStatus),
        runs: Range<u32>,
        parts: Option<u32>,
    ) -> Result<Recorded, CalibrationError> {
        if record.took.is_some() || record.hung.is_some() || self.time_is_up() {
            return Ok(self.recorded(record));
        }
        let mut recorded = self.record_deaths(runs.clone(), parts)?;
        if recorded.deaths.is_empty() && !runs.is_empty() {
            let (first, last) = (runs.start, runs.end - 1);
            let how = format!(
                "one of the runs {first} to {last} ended the process ({status}), and none when they were repeated"
            );
            recorded.vanished = Some((first, how));
        }
        Ok(recorded)
    }

    /// What one process recorded, which came to an end or hung.
    fn recorded(&self, record: ProcessRecord) -> Recorded {
        let hung = record.hung;
        let deaths = hung.filter(|hung| hung.is_hang);
        let how = |hung: HungRun| (hung.run, hang::in_words(hung.run.into(), hung.after));
        Recorded {
            deaths: deaths.map(how).into_iter().collect(),
            hung,
            ..Recorded::new(vec![record])
        }
    }

    /// Makes these runs again, each written down before it begins, to find those that end the process.
    fn record_deaths(
        &self,
        runs: Range<u32>,
        parts: Option<u32>,
    ) -> Result<Recorded, CalibrationError> {
        let mut recorded = Recorded::new(Vec::new());
        let mut next = runs.start;
        while next < runs.end && !self.time_is_up() {
            let (record, status) = self.start(&Order {
                runs: format!("{next}..{}", runs.end),
                parts,
                carefully: true,
                ..Order::default()
            })?;
            let (finished, begun) = (record.took.is_some(), record.begun);
            if record.hung.is_some() {
                let last = self.recorded(record);
                recorded.records.extend(last.records);
                recorded.deaths.extend(last.deaths);
                recorded.hung = last.hung;
                break;
            }
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
    ) -> Result<Vec<Recorded>, CalibrationError> {
        let mut all = Vec::new();
        if !overlap {
            for part in parts {
                if self.time_is_up() {
                    break;
                }
                all.push(self.record(part)?);
            }
            return Ok(all);
        }
        std::thread::scope(|scope| {
            let mut threads = Vec::new();
            for part in parts {
                threads.push(scope.spawn(|| self.record(part)));
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
        let exe = &self.program.exe;
        let folder = (self.gate.scratch(exe, || scratch_folder(exe)))
            .map_err(|error| cannot("make a folder in target/flex", error))?;
        let (record, stderr) = (folder.fresh("record"), folder.fresh("stderr"));
        let (file, words) = (&record.path, &stderr.path);
        let until = self.deadline.map(|deadline| deadline + GRACE + MORE_GRACE);
        let ended = File::create(words)
            .and_then(|stderr| {
                let mut command = self.command(order, file, stderr);
                self.onlooker.begins(file);
                let look = || self.onlooker.look();
                let ended = self.gate.run_looking(until, &mut command, &look);
                self.onlooker.ends(file);
                ended
            })
            .map_err(|error| {
                let exe = self.program.exe.display();
                cannot(&format!("run {exe}"), error)
            })?;
        let status = match ended {
            ProcessEnd::Itself(status) => status,
            ProcessEnd::Stopped => return Err(CalibrationError::Interrupted),
            ProcessEnd::Late => {
                let test = self.test;
                return Err(CalibrationError::Hung(format!(
                    "the process of {test} hangs outside of a run, and was ended; nothing was learned"
                )));
            }
        };
        let said = || tail_of(&fs::read_to_string(words).unwrap_or_default());
        let bytes = fs::read(file).map_err(|_| {
            CalibrationError::Process(format!(
                "the process ended without running the test ({status}){}",
                said()
            ))
        })?;
        let record = wire::read(&bytes)
            .map_err(|error| CalibrationError::Process(format!("{error} ({status}){}", said())))?;
        if let Some(slowest) = record.slowest {
            self.slowest.took(slowest);
        }
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
            .env_remove(env::RECORD_PART)
            .env_remove(env::RECORD_PARTS)
            .env_remove(env::RECORD_MILLIS)
            .env_remove(env::RECORD_CAREFULLY)
            .env_remove(env::RECORD_UNTIL_FIXED)
            .env_remove(env::RECORD_SLOWEST)
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
        if let Some(part) = order.part {
            command.env(env::RECORD_PART, part.to_string());
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
        name_parent(&mut command);
        if let Some(timeout) = self.timeout {
            command.env(env::TIMEOUT, seconds(timeout));
        }
        if let Some(slowest) = self.slowest.get() {
            command.env(env::RECORD_SLOWEST, slowest.as_millis().to_string());
        }
        if let Some(deadline) = self.deadline {
            let left = deadline.saturating_duration_since(Instant::now());
            command.env(env::RECORD_MILLIS, left.as_millis().max(1).to_string());
        }
        command
    }
}

impl CalibrationError {
    /// A run did not end, of a calibration with these settings.
    #[inline]
    pub fn hung(settings: &CalibrationSettings, test: &Test, hung: HungRun) -> Self {
        hung_in_words(&settings.base, settings.phase(), test, hung)
    }
}

fn hung_in_words(base: &str, phase: Phase, test: &Test, hung: HungRun) -> CalibrationError {
    let seed = SeedRequest {
        base: base.to_owned(),
        run: Some((phase, hung.run.into())),
    };
    let words = hang::in_words(hung.run.into(), hung.after);
    let replay = hang::replay_line(test.commands(), &seed, hung.after);
    CalibrationError::Hung(format!("{words}; nothing was learned\n{replay}"))
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
    let folder = target_folder_of(exe).or_else(|| exe.parent());
    folder.unwrap_or(exe).join("flex")
}
