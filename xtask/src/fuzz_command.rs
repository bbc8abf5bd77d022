//! `cargo xtask fuzz`: runs every target for a while.

use std::time::Instant;

use xtask::fuzz::{self, Length};
use xtask::process;

/// Builds and runs the targets. `--seconds 60` is the time of each, `--target NAME` the only one.
pub fn run(args: &[&str]) -> Result<(), String> {
    let (seconds, only) = read(args)?;
    let names = fuzz::targets()?;
    if let Some(only) = only
        && !names.iter().any(|name| name == only)
    {
        return Err(format!(
            "there is no target `{only}`\nhint: targets are {}",
            names.join(", ")
        ));
    }
    let programs = fuzz::build()?;
    let mut findings = Vec::new();
    for name in names {
        if only.is_some_and(|only| only != name) {
            continue;
        }
        let started = Instant::now();
        let fuzzed = fuzz::run(&programs, &name, Length::Seconds(seconds))?;
        let took = started.elapsed().as_secs();
        let (executions, corpus) = (fuzzed.executions, fuzzed.corpus);
        println!("{name}: {executions} executions in {took} s, {corpus} inputs kept");
        if let Some(input) = fuzzed.finding {
            let input = input.strip_prefix(process::root()).unwrap_or(&input);
            findings.push(format!("{name}: {}", input.display()));
        }
    }
    if only.is_none_or(|only| only == "python_source") {
        let count = fuzz::check_python(&programs)?;
        println!("python_source: Python can still read {count} patched sources");
    }
    match findings.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "findings:\n  {}\nhint: `cargo run -p flex-fuzz --bin TARGET -- FILE` shows one again; once mended, it becomes a \
             unit test and a file in fuzz/corpus",
            findings.join("\n  ")
        )),
    }
}

fn read<'a>(args: &[&'a str]) -> Result<(u64, Option<&'a str>), String> {
    let (mut seconds, mut only) = (60, None);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match (*arg, args.next()) {
            ("--seconds", Some(number)) => {
                let number = number.parse();
                seconds = number.map_err(|_| "`--seconds` takes a whole number".to_owned())?;
            }
            ("--target", Some(name)) => only = Some(*name),
            _ => return Err("usage: cargo xtask fuzz [--seconds N] [--target NAME]".to_owned()),
        }
    }
    Ok((seconds, only))
}
