//! How wrong is a HyperLogLog sketch?
//!
//! The sketch of the published crate `hyperloglogplus` estimates how many different items it has seen. Its error is
//! random: it depends on the hash function, which is drawn anew for each run. This program prints the relative error
//! of each run, one a line, ready for `flex-harness bound`:
//!
//! ```text
//! cargo run -q -p sketch-example | flex-harness bound
//! ```

#![forbid(unsafe_code)]

use std::hash::{BuildHasher, DefaultHasher, Hasher};

use clap::Parser;
use hyperloglogplus::{HyperLogLog, HyperLogLogPlus};

/// Prints the relative error of a HyperLogLog sketch, one run a line.
#[derive(Debug, Parser)]
struct Args {
    /// How many runs
    #[arg(long, default_value_t = 100)]
    runs: u64,

    /// The seed of the first run
    #[arg(long, default_value_t = 0)]
    seed: u64,

    /// How many different items are counted
    #[arg(long, default_value_t = 20_000)]
    items: u64,

    /// Bits of precision: each one less makes the error 1.4 times as large
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u8).range(4..=18))]
    precision: u8,
}

fn main() {
    let args = Args::parse();
    for seed in args.seed..args.seed.saturating_add(args.runs) {
        println!("{:.6}", relative_error(seed, args.items, args.precision));
    }
}

/// |estimate − truth| / truth under the hash function of this seed.
fn relative_error(seed: u64, items: u64, precision: u8) -> f64 {
    let mut sketch: HyperLogLogPlus<u64, SeededHash> =
        HyperLogLogPlus::new(precision, SeededHash { seed })
            .expect("clap keeps the precision within what the sketch accepts");
    for item in 0..items {
        sketch.insert(&item);
    }
    (sketch.count() - items as f64).abs() / items as f64
}

/// A hash function for each seed.
struct SeededHash {
    seed: u64,
}

impl BuildHasher for SeededHash {
    type Hasher = DefaultHasher;

    fn build_hasher(&self) -> DefaultHasher {
        let mut hasher = DefaultHasher::new();
        hasher.write_u64(self.seed);
        hasher
    }
}
