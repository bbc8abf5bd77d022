//! `cargo xtask daily`: the bars of daily use.

mod drift;
mod values;

use clap::Args;

#[derive(Debug, Default, Args)]
pub struct DailyArgs {}

pub fn run(_: &DailyArgs) -> Result<(), String> {
    let start = std::time::Instant::now();
    for m in drift::moved() {
        println!(
            "{:26} n={} {:+} {:?}",
            m.values.name(),
            m.learned_runs,
            m.by,
            m.found.map(|f| f as f64 / drift::TRIALS as f64)
        );
    }
    println!("{:?}", start.elapsed());
    Ok(())
}
