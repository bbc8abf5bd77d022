//! criterion: the folder `new` of a benchmark has `benchmark.json`, which names it, and `sample.json`, with how long so many
//! iterations took.

use serde::Deserialize;

use super::measured::{Origin, line, median};

#[derive(Deserialize)]
struct Benchmark {
    full_id: String,
}

/// Iterations, and the nanoseconds that these took, one measurement each.
#[derive(Deserialize)]
struct Sample {
    iters: Vec<f64>,
    times: Vec<f64>,
}

/// The line of a benchmark by the texts of its two files. The value is the median of all measurements, in seconds for one
/// iteration: measurements of one process are no independent runs, and only runs tell how they differ.
pub fn criterion_line(benchmark: &str, sample: &str, origin: &Origin) -> Result<String, String> {
    let wrong = |file: &str, error: serde_json::Error| {
        format!("its {file} is not what criterion writes: {error}")
    };
    let named: Benchmark =
        serde_json::from_str(benchmark).map_err(|error| wrong("benchmark.json", error))?;
    let seen: Sample = serde_json::from_str(sample).map_err(|error| wrong("sample.json", error))?;
    if seen.iters.len() != seen.times.len() {
        return Err("its sample.json has not as many times as iterations".to_owned());
    }
    let each: Vec<f64> = seen
        .times
        .iter()
        .zip(&seen.iters)
        .map(|(time, iterations)| 1e-9 * time / iterations)
        .collect();
    let seconds = median(&each).ok_or("its sample.json has no times above 0")?;
    Ok(line("criterion", &named.full_id, seconds, sample, origin))
}
