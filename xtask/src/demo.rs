//! `cargo xtask demo`: flex at work on a real randomised computation.

use std::process::Command;

use flex_core::race::{Hits, Race, RaceStep};
use serde_json::Value;

use crate::process::{self, capture, cargo, target};

const RUNS: &str = "100";

/// Samples of a sketch's error, the bound learned from them, and a broken sketch that runs into it.
pub fn run() -> Result<(), String> {
    process::run(&mut cargo(&[
        "build",
        "--release",
        "--package=cargo-flex",
        "--package=sketch-example",
    ]))?;
    println!(
        "
1. A randomised computation
   A HyperLogLog sketch (crate hyperloglogplus) counts 20,000 different items and is
   a little wrong each time. Its relative error in {RUNS} runs with different seeds:
"
    );
    let samples = sketch(&["--runs", RUNS])?;
    let values: Vec<&str> = samples.lines().collect();
    for line in values.chunks(8).take(3) {
        println!("   {}", line.join("  "));
    }
    println!("   … and {} more\n", values.len().saturating_sub(24));

    println!("2. How large may the error be? `sketch | flex-harness bound --domain 0..`\n");
    let words = capture(flex_harness().args(["bound", "--domain", "0.."]), &samples)?;
    for line in words.lines() {
        println!("   {line}");
    }

    println!(
        "
3. Somebody breaks the sketch
   Precision 12 becomes precision 8: the error grows fourfold. What would a test do
   that enforces this bound?
"
    );
    let json = capture(
        flex_harness().args(["bound", "--domain", "0..", "--json"]),
        &samples,
    )?;
    let bound: Value = serde_json::from_str(&json).map_err(|error| error.to_string())?;
    judge(
        "unchanged sketch",
        &bound,
        &sketch(&["--runs", "60", "--seed", "1000"])?,
    )?;
    judge(
        "broken sketch",
        &bound,
        &sketch(&["--runs", "60", "--seed", "1000", "--precision", "8"])?,
    )
}

/// Judges the first of these samples as a test would, with the others for its reruns.
fn judge(name: &str, bound: &Value, samples: &str) -> Result<(), String> {
    let number = |value: &Value| value.as_f64().ok_or("the bound has both tiers");
    let guard = number(&bound["rounded"]["guard"])?;
    let ceiling = number(&bound["rounded"]["ceiling"])?;
    let hits = number(&bound["guard"]["hits"])?;
    let mut errors = samples.lines().filter_map(|line| line.parse::<f64>().ok());
    let first = errors.next().ok_or("the sketch printed nothing")?;
    print!("   {name}: error {first}");
    if first > ceiling {
        println!(", beyond the ceiling {ceiling}: regression");
        return Ok(());
    }
    if first <= guard {
        println!(", within the guard {guard}: pass");
        return Ok(());
    }
    println!(", beyond the guard {guard}: rerun");
    let hits = Hits::new(hits as u32).ok_or("a guard asks for 1 to 12 hits")?;
    let mut race = Race::start(hits);
    for error in errors {
        let (word, step) = if error > guard {
            ("hit ", race.hit())
        } else {
            ("miss", race.miss())
        };
        println!("     {word} {error}");
        match step {
            RaceStep::Rerun => {}
            RaceStep::Cleared => {
                println!("     cleared: chance, the test passes");
                return Ok(());
            }
            RaceStep::Regression => {
                println!(
                    "     hits {}, misses {}: regression",
                    race.hits(),
                    race.misses()
                );
                return Ok(());
            }
        }
    }
    Err("60 runs decide every race".to_owned())
}

fn sketch(args: &[&str]) -> Result<String, String> {
    capture(
        Command::new(target().join("release/sketch-example")).args(args),
        "",
    )
}

fn flex_harness() -> Command {
    Command::new(target().join("release/flex-harness"))
}
