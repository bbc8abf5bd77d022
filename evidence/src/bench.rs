//! `cargo xtask bench`: speed and memory of the engine beside their bars.

use std::fmt::Write;
use std::process::Command;
use std::time::Instant;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp1, StandardNormal};
use serde_json::Value;
use xtask::process::{self, capture, cargo, target};
use xtask::python::Python;

use crate::page::{Bar, Page, Part, Section};
use crate::project::build_flex;

/// The page on speed and memory of the engine.
pub struct BenchPage;

impl Page for BenchPage {
    fn name(&self) -> &'static str {
        "bench"
    }

    fn file(&self) -> &'static str {
        "speed"
    }

    fn about(&self) -> &'static str {
        "speed and memory of the engine"
    }

    fn takes(&self) -> &'static str {
        "3 minutes"
    }

    fn parts(&self) -> &'static [Part] {
        &[
            Part {
                name: "engine",
                about: "Times, allocations, and the same fit by scipy",
                measure: |_| measure(),
            },
            Part {
                name: "file",
                about: "A bounds file of 100,000 entries",
                measure: |_| large_file(),
            },
        ]
    }

    fn template(&self) -> &'static str {
        "# Speed and memory

Written by `cargo xtask bench`, which fails if a bar is missed. Times are criterion's medians on a shared machine with
2 cores; compare them as ratios.

{engine}
## A large bounds file

A file of 100,000 entries, each as a calibration of 100 runs gives it, every fifth with two tails. Each line is a process of
its own; processor time and the most memory are those of the whole process.

{file}"
    }
}

/// Benchmarks of criterion, what they measure, and the microseconds that they may take.
const TIMES: [(&str, &str, f64); 12] = [
    ("complete_bound/100", "complete bound, n = 100", 300.0),
    ("complete_bound/1000", "complete bound, n = 1000", 400.0),
    ("complete_bound/3000", "complete bound, n = 3000", 600.0),
    (
        "guard/1000",
        "guard and races alone, n = 1000, beyond sorting",
        150.0,
    ),
    (
        "maximum_likelihood/100",
        "GPD maximum likelihood, k = 100",
        50.0,
    ),
    (
        "published/normal",
        "`--method flex`, n = 1000, normal",
        20_000.0,
    ),
    (
        "published/pareto",
        "`--method flex`, n = 1000, heavy",
        20_000.0,
    ),
    ("sequential/mean", "1000 steps of a mean", 1000.0),
    ("sequential/rate", "1000 steps of a rate", 1000.0),
    (
        "sequential/no_worse",
        "2000 steps of signed ranks, n = 1000 on average",
        40_000.0,
    ),
    (
        "sequential/same",
        "2000 steps of two samples, n = 1000 on average",
        40_000.0,
    ),
    (
        "sequential/distributed",
        "1000 steps of a known law",
        20_000.0,
    ),
];

fn measure() -> Result<Section, String> {
    process::run(&mut cargo(&[
        "bench",
        "--package=flex-core",
        "--bench=engine",
    ]))?;
    let mut bars = Vec::new();
    for (name, what, bar) in TIMES {
        let micros = criterion_micros(name)?;
        bars.push(Bar {
            what: what.to_owned(),
            measured: format!("{micros:.1} µs"),
            bar: format!("≤ {bar} µs"),
            kept: micros <= bar,
        });
    }
    bars.extend(allocations()?);
    bars.push(stream_rate()?);
    let ours = criterion_micros("maximum_likelihood/100")?;
    let scipy = scipy_micros()?;
    let mut section = Section::with_bars(String::new(), &bars);
    let _ = write!(
        section.text,
        "
The same excesses (k = 100), fitted by `scipy.stats.genpareto.fit(floc=0)` in the same run: {:.2} ms,
{:.0} times as long as flex.
",
        scipy / 1000.0,
        scipy / ours
    );
    Ok(section)
}

/// Reads the median that criterion measured last, in microseconds.
fn criterion_micros(name: &str) -> Result<f64, String> {
    let path = target().join(format!("criterion/{name}/new/estimates.json"));
    let text = std::fs::read_to_string(&path)
        .map_err(|error| format!("criterion left no estimate for {name}: {error}"))?;
    let estimates: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let nanos = estimates["median"]["point_estimate"].as_f64();
    Ok(nanos.ok_or("criterion's estimate has no median")? / 1000.0)
}

/// Measures what a complete bound allocates, as a multiple of its input.
fn allocations() -> Result<Vec<Bar>, String> {
    let printed = capture(
        &mut cargo(&[
            "bench",
            "--quiet",
            "--package=flex-core",
            "--bench=allocations",
        ]),
        "",
    )?;
    let measured = |line: &str| {
        let (n, bytes) = line.split_once(' ')?;
        let (n, bytes): (f64, f64) = (n.parse().ok()?, bytes.parse().ok()?);
        let ratio = bytes / (8.0 * n);
        Some(Bar {
            what: format!("bytes allocated in total, n = {n}"),
            measured: format!("{bytes}, {ratio:.1} × the input"),
            // A race is laid out in room that does not depend on how many samples there are.
            bar: "≤ 10 × the input and 8 KiB".to_owned(),
            kept: bytes <= 80.0 * n + 8192.0,
        })
    };
    Ok(printed.lines().filter_map(measured).collect())
}

/// What is done with a bounds file of 100,000 entries, and the seconds and megabytes that it may take.
const LARGE_FILE: [(&str, &str, f64, f64); 3] = [
    ("read", "all entries are read", 0.5, 150.0),
    ("select", "those of one test are read", 0.15, 150.0),
    ("update", "one entry is changed", 1.0, f64::INFINITY),
];

/// The section of the part `file`.
fn large_file() -> Result<Section, String> {
    let bench = [
        "bench",
        "--quiet",
        "--package=flex-run",
        "--bench=large_file",
    ];
    let printed = capture(&mut cargo(&bench), "")?;
    let measured = |name: &str| {
        let mut lines = printed.lines().map(|line| line.split(' '));
        let mut words = lines
            .find(|words| words.clone().next() == Some(name))?
            .skip(1);
        let mut number = || words.next()?.parse::<f64>().ok();
        Some((number()?, number()?))
    };
    let of = |name: &str| measured(name).ok_or(format!("the benchmark said nothing of `{name}`"));
    let mut bars = Vec::new();
    for (name, what, most_seconds, most_megabytes) in LARGE_FILE {
        let (seconds, megabytes) = of(name)?;
        let memory = match most_megabytes.is_finite() {
            true => format!(", ≤ {most_megabytes} MB"),
            false => String::new(),
        };
        bars.push(Bar {
            what: what.to_owned(),
            measured: format!("{seconds:.2} s, {megabytes:.0} MB"),
            bar: format!("≤ {most_seconds} s{memory}"),
            kept: seconds <= most_seconds && megabytes <= most_megabytes,
        });
    }
    let text = format!("The file has {:.0} MB.\n\n", of("size")?.1);
    Ok(Section::with_bars(text, &bars))
}

/// Counts the calibrations of n = 100 that `bound --jsonl` answers in a second.
fn stream_rate() -> Result<Bar, String> {
    const LINES: usize = 20_000;
    build_flex()?;
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut input = String::new();
    for id in 0..LINES {
        let samples: Vec<f64> = (0..100).map(|_| StandardNormal.sample(&mut rng)).collect();
        let _ = writeln!(
            input,
            r#"{{"id": {id}, "samples": {samples:?}, "confidence": 0.9999, "tail": "upper"}}"#
        );
    }
    let mut command = Command::new(target().join("release/flex-harness"));
    let start = Instant::now();
    let answers = capture(command.args(["bound", "--jsonl"]), &input)?;
    let rate = LINES as f64 / start.elapsed().as_secs_f64();
    if answers.lines().count() != LINES || answers.contains("\"error\"") {
        return Err("`bound --jsonl` did not answer every line".to_owned());
    }
    Ok(Bar {
        what: "`bound --jsonl`, calibrations of n = 100 a second".to_owned(),
        measured: format!("{rate:.0}"),
        bar: "≥ 2000".to_owned(),
        kept: rate >= 2000.0,
    })
}

/// Measures how long scipy takes for the excesses of the benchmark `maximum_likelihood/100`.
fn scipy_micros() -> Result<f64, String> {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let excesses: Vec<f64> = (0..100).map(|_| Exp1.sample(&mut rng)).collect();
    let script = "\
import json, sys, time
from scipy.stats import genpareto
excesses = json.load(sys.stdin)
times = []
for _ in range(30):
    start = time.perf_counter()
    genpareto.fit(excesses, floc=0)
    times.append(time.perf_counter() - start)
print(sorted(times)[15] * 1e6)
";
    let python = Python::usual()?.environment("bench", &["scipy"])?;
    let printed = capture(&mut python.run(&["-c", script]), &format!("{excesses:?}"))?;
    printed
        .trim()
        .parse()
        .map_err(|_| format!("scipy printed {printed:?}"))
}
