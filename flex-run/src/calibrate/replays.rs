//! The process that replays: one for all tests of a program, since a few runs of each take no longer than its start.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::gate::Gate;
use super::process::{Scratch, TestProgram, scratch_folder, scratch_name, wait};
use super::unchanged::ReplayFirst;
use crate::project::env;
use crate::wire;

/// Tests of one process; command lines have an end.
const AT_ONCE: usize = 200;

/// Replays runs of tests of a program; which of them do what they did at calibration. One that cannot be replayed does
/// not.
pub fn replay_all(
    program: &TestProgram,
    tests: &[(&str, &ReplayFirst)],
    deadline: Option<Instant>,
    gate: &Gate,
) -> Vec<bool> {
    let replay = |tests: &[(&str, &ReplayFirst)]| {
        let found = gate.pass(|| replay_part(program, tests, deadline));
        found.unwrap_or_else(|_| vec![false; tests.len()])
    };
    tests.chunks(AT_ONCE).flat_map(replay).collect()
}

fn replay_part(
    program: &TestProgram,
    tests: &[(&str, &ReplayFirst)],
    deadline: Option<Instant>,
) -> io::Result<Vec<bool>> {
    let folder = scratch_folder(&program.exe);
    fs::create_dir_all(&folder)?;
    let name = scratch_name();
    let records: Vec<Scratch> = (0..tests.len())
        .map(|index| Scratch(folder.join(format!("{name}-{index}.record"))))
        .collect();
    let orders = Scratch(folder.join(format!("{name}.orders")));
    let lines = tests.iter().zip(&records).map(|((test, replay), record)| {
        let runs: Vec<String> = replay.runs().iter().map(u32::to_string).collect();
        let (runs, base) = (runs.join(","), replay.base());
        format!("{test}\t{}\t{runs}\t{base}\n", record.0.display())
    });
    fs::write(&orders.0, lines.collect::<String>())?;
    let words = Scratch(folder.join(format!("{name}.stderr")));
    let mut command = command(program, tests, &orders.0, File::create(&words.0)?);
    wait(&mut command.spawn()?, deadline)?;
    let answered = |((_, replay), record): (&(&str, &ReplayFirst), &Scratch)| {
        let bytes = fs::read(&record.0).unwrap_or_default();
        let record = wire::read(&bytes);
        record.is_ok_and(|record| replay.is_answered_by(&record))
    };
    Ok(tests.iter().zip(&records).map(answered).collect())
}

fn command(
    program: &TestProgram,
    tests: &[(&str, &ReplayFirst)],
    orders: &Path,
    stderr: File,
) -> Command {
    let mut command = Command::new(&program.exe);
    command
        .arg("--exact")
        .args(tests.iter().map(|(test, _)| test))
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
    command
}
