//! The process that replays: one for all tests of a program, since a few runs of each take no longer than its start.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::gate::Gate;
use super::process::{TestProgram, scratch_folder};
use super::replay_order::ReplayOrder;
use super::unchanged::ReplayFirst;
use crate::model::ProcessRecord;
use crate::project::duration::seconds;
use crate::project::env;
use crate::scratch::Scratch;
use crate::watch::name_parent;
use crate::wire;

/// Tests of one process; command lines have an end.
const AT_ONCE: usize = 200;

/// When replays end that do not end by themselves.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReplayTimeouts {
    /// After how long a run hangs, instead of what its test says.
    pub run: Option<Duration>,
    /// When all of them must have ended.
    pub all: Option<Instant>,
}

/// Replays runs of tests of a program; which of them do what they did at calibration. One that cannot be replayed does
/// not.
pub fn replay_all(
    program: &TestProgram,
    tests: &[(&str, &ReplayFirst)],
    timeouts: ReplayTimeouts,
    gate: &Gate,
) -> Vec<bool> {
    let mut orders = Vec::new();
    for (test, replay) in tests {
        orders.push(replay.order(test));
    }
    let shown = replay_orders(program, &orders, timeouts, gate);
    let mut answered = Vec::new();
    for ((_, replay), shown) in tests.iter().zip(&shown) {
        answered.push(
            shown
                .as_ref()
                .is_some_and(|shown| replay.is_answered_by(shown)),
        );
    }
    answered
}

/// Replays runs of tests of a program; what they show, as far as they can be replayed.
pub fn replay_orders(
    program: &TestProgram,
    orders: &[ReplayOrder<'_>],
    timeouts: ReplayTimeouts,
    gate: &Gate,
) -> Vec<Option<ProcessRecord>> {
    let mut shown = Vec::new();
    for part in orders.chunks(AT_ONCE) {
        match replay_part(program, part, timeouts, gate) {
            Ok(found) => shown.extend(found),
            Err(_) => shown.resize(shown.len() + part.len(), None),
        }
    }
    shown
}

fn replay_part(
    program: &TestProgram,
    tests: &[ReplayOrder<'_>],
    timeouts: ReplayTimeouts,
    gate: &Gate,
) -> io::Result<Vec<Option<ProcessRecord>>> {
    let folder = Scratch::within(&scratch_folder(&program.exe))?;
    let records: Vec<PathBuf> = (0..tests.len())
        .map(|index| folder.file(&format!("{index}.record")))
        .collect();
    let orders = folder.file("orders");
    let lines = tests.iter().zip(&records).map(|(order, record)| {
        let runs: Vec<String> = order.runs.iter().map(u32::to_string).collect();
        let (test, runs, base) = (order.test, runs.join(","), order.base);
        format!("{test}\t{}\t{runs}\t{base}\n", record.display())
    });
    fs::write(&orders, lines.collect::<String>())?;
    let stderr = File::create(folder.file("stderr"))?;
    let mut command = command(program, tests, &orders, stderr);
    if let Some(timeout) = timeouts.run {
        command.env(env::TIMEOUT, seconds(timeout));
    }
    gate.run(timeouts.all, &mut command)?;
    let shown = |record: &PathBuf| wire::read(&fs::read(record).unwrap_or_default()).ok();
    Ok(records.iter().map(shown).collect())
}

fn command(
    program: &TestProgram,
    tests: &[ReplayOrder<'_>],
    orders: &Path,
    stderr: File,
) -> Command {
    let mut command = Command::new(&program.exe);
    command
        .arg("--exact")
        .args(tests.iter().map(|order| order.test))
        .args(["--include-ignored", "--nocapture", "--test-threads=1"])
        .envs(program.env.iter().map(|(name, value)| (name, value)))
        .env(env::MODE, "record")
        .env(env::RECORD_ORDERS, orders)
        .env_remove(env::ENTROPY)
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(stderr);
    if let Some(folder) = &program.folder {
        command.current_dir(folder);
    }
    name_parent(&mut command);
    command
}
