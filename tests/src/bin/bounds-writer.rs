//! Counts in two entries of a bounds file at once, and says each number once it is written: `bounds-writer FILE NAME [COUNT]`.
//!
//! Without a count it goes on until it is killed. The entries belong to the test NAME, so that many can count in one file.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use flex_bounds::file::{BoundsFile, Entry};
use flex_run::store::Store;
use flex_tests::crash::counted;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (file, name, count) = match &args[..] {
        [file, name] => (file, name, u32::MAX),
        [file, name, count] => (file, name, count.parse().unwrap_or(1)),
        _ => {
            eprintln!("usage: bounds-writer FILE NAME [COUNT]");
            return ExitCode::from(2);
        }
    };
    let store = Store::at(file);
    println!("ready");
    for _ in 0..count {
        match store.update(|file| count_on(file, name)) {
            Ok(Ok(number)) => println!("{number}"),
            Ok(Err(why)) => return failed(&why),
            Err(error) => return failed(&error.to_string()),
        }
    }
    ExitCode::SUCCESS
}

fn failed(why: &str) -> ExitCode {
    eprintln!("error: {why}");
    ExitCode::FAILURE
}

fn count_on(file: &mut BoundsFile, name: &str) -> Result<u32, String> {
    let next = counted(file, name)?.unwrap_or(0) + 1;
    for site in ["a", "b"] {
        let entry = entry(name, site, next)?;
        file.insert(entry).map_err(|error| error.to_string())?;
    }
    Ok(next)
}

fn entry(test: &str, site: &str, samples: u32) -> Result<Entry, String> {
    let text = format!(
        "version = 2\n[[bound]]\ntarget = \"lib\"\ntest = \"{test}\"\nsite = \"{site}\"\ntail = \"upper\"\n\
         confidence = 0.9\nstrategy = \"keep\"\nsamples = {samples}\nreached = \"always\"\n"
    );
    let file: BoundsFile = text.parse().map_err(|error| format!("{error}"))?;
    let entry = file.entries().first().cloned();
    entry.ok_or_else(|| "an entry is read".to_owned())
}
