//! What engines cost beside the runs, and how much sooner many workers are done.

use std::fmt::Write;
use std::process::Command;

use xtask::engines::{Dask, Ray, Slurm, python};
use xtask::process::target;

use super::sleeping::{Sleeping, Took};
use crate::page::{Bar, Section, Size};
use crate::program;

/// Workers on this machine, each with a test of a hundred runs.
const WORKERS: [usize; 3] = [4, 16, 64];

/// So many shards for each of them: a shard has two or three runs, so that nobody waits long for the last.
const SHARDS_PER_WORKER: usize = 40;

/// Measures the part. The quick form has few workers and runs of a tenth of a second, of which no bar is about.
pub fn section(size: Size) -> Result<Section, String> {
    let (workers, pause) = match size {
        Size::Full => (&WORKERS[..], 1.0),
        Size::Quick => (&WORKERS[..1], 0.1),
    };
    let sleeping = Sleeping::new(workers)?;
    let mut text = overhead_intro(pause);
    let mut bars = Vec::new();
    for (engine, took) in engines(&sleeping, pause)? {
        let overhead = took.overhead(4);
        let _ = writeln!(
            text,
            "| {engine} | {} | {:.1} s | {:.1} s | {:.1} s | {:.1} % |",
            took.runs(),
            took.before,
            took.wall - took.before - took.after,
            took.after,
            100.0 * overhead
        );
        bars.push(Bar {
            what: format!("{engine}: overhead beside runs of 1 s"),
            measured: format!("{:.1} %", 100.0 * overhead),
            bar: "≤ 5 %".to_owned(),
            kept: overhead <= 0.05,
        });
    }
    text += "\nSpeed-up: what all runs take one after the other, by what the command took from its start to its end, with \
             building, start-up and merging, on two processors; there are 40 shards for each worker. Stragglers: one process in a hundred is five times slower, \
             and its runs count with what they took. Of a run that two workers made, the one counts that ended first.\n\n\
             | local workers | stragglers | runs | one after the other | took | speed-up | of ideal |\n|---|---|---|---|---|---|---|\n";
    for &workers in workers {
        for stragglers in [false, true] {
            let env = match stragglers {
                true => vec![("STRAGGLERS".to_owned(), "1".to_owned())],
                false => Vec::new(),
            };
            let jobs = workers.to_string();
            let shards = (SHARDS_PER_WORKER * workers).to_string();
            let options = ["--engine", "local", "--jobs", &jobs, "--shards", &shards];
            let took = sleeping.calibrate(workers, pause, &options, &env, |command| command)?;
            let speed_up = took.slept() / took.wall;
            let share = speed_up / workers as f64;
            let words = if stragglers { "yes" } else { "no" };
            let _ = writeln!(
                text,
                "| {workers} | {words} | {} | {:.0} s | {:.1} s | {speed_up:.1} | {share:.3} |",
                took.runs(),
                took.slept(),
                took.wall
            );
            if workers == 64 {
                bars.push(Bar {
                    what: format!("speed-up with 64 local workers, stragglers: {words}"),
                    measured: format!("{share:.3} of ideal"),
                    bar: "≥ 0.9".to_owned(),
                    kept: share >= 0.9,
                });
            }
        }
    }
    text += "\n";
    Ok(match size {
        Size::Full => Section::with_bars(text, &bars),
        Size::Quick => text.into(),
    })
}

fn overhead_intro(pause: f64) -> String {
    format!(
        "Runs that sleep for {pause} s each. Overhead: what four workers did besides runs, as a share of these, while there was \
     work for all of them (from the first run until nine tenths of the runs have begun): choosing the next shard, starting \
     its processes, writing it down. Start-up and merging stand beside it.\n\n\
     | engine, 4 workers | runs | start-up | runs and what is between them | merging | overhead |\n|---|---|---|---|---|---|\n"
    )
}

fn engines(sleeping: &Sleeping, pause: f64) -> Result<Vec<(&'static str, Took)>, String> {
    let shards = ["--shards", "16"];
    let here = |command| command;
    let local = [&["--engine", "local", "--jobs", "4"][..], &shards].concat();
    let took = sleeping.calibrate(4, pause, &local, &[], here)?;
    let mut all = vec![("local", took)];
    {
        let slurm = Slurm::start(4, 1)?;
        let options = [&["--engine", "slurm"][..], &shards].concat();
        let took = sleeping.calibrate(4, pause, &options, &slurm.environment(), here)?;
        all.push(("Slurm", took));
    }
    let python = python()?;
    let slept = target().join("harness/slept").display().to_string();
    let paused = pause.to_string();
    let of_workers = [("PAUSE", paused.as_str()), ("SLEPT", slept.as_str())];
    let folder = program::path();
    let bin = python.exe.parent().unwrap_or(&folder).display().to_string();
    let path = format!("{bin}:{}", std::env::var("PATH").unwrap_or_default());
    let mut env = vec![("PATH".to_owned(), path)];
    {
        let dask = Dask::start(&python, 4, &of_workers)?;
        let options = ["--engine", "dask", "--address", &dask.address];
        let options = [&options[..], &shards].concat();
        let took = sleeping.calibrate(4, pause, &options, &env, here)?;
        all.push(("Dask", took));
    }
    let ray = Ray::start_apart(&python, 4, &of_workers)?;
    let options = ["--engine", "ray", "--address", &ray.address];
    let options = [&options[..], &shards].concat();
    env.push(("RAY_AUTH_MODE".to_owned(), "token".to_owned()));
    let beside = |command: Command| ray.beside(&command);
    let took = sleeping.calibrate(4, pause, &options, &env, beside)?;
    all.push(("Ray", took));
    Ok(all)
}
