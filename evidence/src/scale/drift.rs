//! Values that move over CI runs: how often nothing is called a drift, and how soon one is found.

use std::fmt::Write as _;

use flex_core::sequential::{Detector, Feared};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution as _, StandardNormal};

use super::oracle::Oracle;
use crate::distribution::{Distribution, named};
use crate::page::{Bar, Section, Size};
use crate::parallel::in_parallel;

/// Samples of the calibration, and runs before the change.
const CALIBRATED: usize = 100;
const BEFORE: usize = 1000;

/// Runs of the suite between false alarms that are promised.
const RUNS: f64 = 1e4;

/// Where a stream is given up.
const LONGEST: usize = 30_000;

/// Sites of a larger suite.
const SITES: usize = 100;

/// The shifts that a bar is about.
const SHIFTS: [f64; 3] = [0.25, 0.5, 1.0];

/// The delay that is allowed, in delays of the oracle.
const BAR: f64 = 1.3;

pub fn section(size: Size) -> Section {
    let mut bars = Vec::new();
    let (mut text, normal) = false_alarms(size, &mut bars);
    text += &delays(size, &normal, &mut bars);
    text += &others(size);
    Section::with_bars(text, &bars)
}

/// Streams in which nothing moves; when the normal ones had an alarm.
fn false_alarms(size: Size, bars: &mut Vec<Bar>) -> (String, Vec<Option<usize>>) {
    let streams = size.of(200);
    let mut text = format!(
        "**Nothing moves.** {CALIBRATED} samples of a calibration, then runs until an alarm, {LONGEST} at most, {streams} streams a row. The
promise is an average of {RUNS} runs of the suite at least. A stream that is cut off counts as if its alarm came there, so
the average is too small rather than too large. *Within 1,000*: the share of streams with an alarm by then; a tenth is allowed.

| values | sites | average run until an alarm | cut off | within 1,000 |
|---|---|---|---|---|
"
    );
    let laws = ["normal", "exponential", "Pareto 3", "Poisson 4"];
    let mut rows: Vec<(String, Vec<Option<usize>>)> = Vec::new();
    for distribution in named(&laws) {
        let alarms = streams_of(streams, |rng| {
            first_alarm(Feared::Up, 1, rng, |rng| distribution.draw(rng))
        });
        rows.push((distribution.name.to_owned(), alarms));
    }
    let coin = streams_of(streams, |rng| {
        first_alarm(Feared::Up, 1, rng, |rng| {
            f64::from(u8::from(rng.next_u32() % 10 < 3))
        })
    });
    rows.push(("0 or 1, three tenths 1".to_owned(), coin));
    let nan = streams_of(streams, |rng| {
        first_alarm(Feared::Both, 1, rng, |rng| match rng.next_u32() % 10 {
            0 => f64::NAN,
            _ => StandardNormal.sample(rng),
        })
    });
    rows.push(("normal, a tenth NaN, either way".to_owned(), nan));
    let mut least = f64::INFINITY;
    let mut most = 0f64;
    let mut add = |text: &mut String, name: &str, sites: usize, alarms: &[Option<usize>]| {
        let count = alarms.len() as f64;
        let length = |alarm: &Option<usize>| alarm.unwrap_or(LONGEST) as f64;
        let average = alarms.iter().map(length).sum::<f64>() / count;
        let cut = alarms.iter().filter(|alarm| alarm.is_none()).count();
        let early = |alarm: &&Option<usize>| alarm.is_some_and(|alarm| alarm <= 1000);
        let early = alarms.iter().filter(early).count() as f64 / count;
        least = least.min(average);
        if sites == 1 {
            most = most.max(early);
        }
        let _ = writeln!(
            text,
            "| {name} | {sites} | {average:.0} | {cut} | {early:.3} |"
        );
    };
    for (name, alarms) in &rows {
        add(&mut text, name, 1, alarms);
    }
    for (name, part) in [
        ("10 sites, independent", 0.0),
        ("10 sites, nearly equal", 0.99f64),
    ] {
        let alarms = streams_of(streams / 4, |rng| suite_alarm(10, part, rng));
        add(&mut text, name, 10, &alarms);
    }
    text.push('\n');
    bars.push(Bar {
        what: "least average run until a false alarm".to_owned(),
        measured: format!("{least:.0}"),
        bar: format!("≥ {RUNS}"),
        kept: least >= RUNS,
    });
    bars.push(Bar {
        what: "largest share of streams of one site with an alarm within 1,000 runs".to_owned(),
        measured: format!("{most:.3}"),
        bar: "≤ 0.1".to_owned(),
        kept: most <= 0.1,
    });
    let (_, normal) = rows.swap_remove(0);
    (text, normal)
}

/// Normal values that move, beside the oracle.
fn delays(size: Size, one: &[Option<usize>], bars: &mut Vec<Bar>) -> String {
    let streams = size.of(1500);
    let length = |alarm: &Option<usize>| alarm.unwrap_or(LONGEST) as f64;
    let alarms = one.iter().filter(|alarm| alarm.is_some()).count() as f64;
    // Alarms over all runs: with streams that were cut off, this is what the average would be.
    let measured = one.iter().map(length).sum::<f64>() / alarms;
    let mut text = format!(
        "**Normal values move up** after {CALIBRATED} samples and {BEFORE} runs without an alarm; {streams} streams a row. The oracle is CUSUM: it
knows the law before, the size of the shift and its direction. *Equal run length*: the oracle has the average run until a
false alarm that the detector has in the table above, {measured:.0} runs for one site; with {SITES} sites, {SITES} times that. *Run length
of 10⁴*: it has what is promised and no more, which the detector, whose promise is proven and not calibrated, exceeds. The oracle needs no samples: ranks among 1,100 values tell no more of m values that moved by δ than
½ δ² · 1100 m/(1100 + m), whoever looks at them, so that {SITES} sites and a small shift together take very long.

| shift | sites | detector | oracle, equal run length | ratio | oracle, run length of 10⁴ | ratio |
|---|---|---|---|---|---|---|
"
    );
    let mut rng = ChaCha8Rng::seed_from_u64(17);
    for sites in [1, SITES] {
        for shift in [0.25, 0.5, 1.0, 2.0] {
            let delays = streams_of(streams, |rng| delay(shift, sites, rng));
            let mean = delays.iter().map(|delay| *delay as f64).sum::<f64>() / streams as f64;
            let many = sites as f64;
            let mut oracle =
                |run_length: f64| Oracle::new(shift, run_length).delay(BEFORE, streams, &mut rng);
            let (equal, promised) = (oracle(measured * many), oracle(RUNS * many));
            let ratios = [mean / equal, mean / promised];
            let _ = writeln!(
                text,
                "| {shift} sd | {sites} | {mean:.1} | {equal:.1} | {:.2} | {promised:.1} | {:.2} |",
                ratios[0], ratios[1]
            );
            if SHIFTS.contains(&shift) && sites == 1 {
                bars.push(Bar {
                    what: format!("delay of a shift by {shift} sd, in delays of the oracle of equal run length"),
                    measured: format!("{:.2}", ratios[0]),
                    bar: format!("≤ {BAR}"),
                    kept: ratios[0] <= BAR,
                });
            }
        }
    }
    text.push('\n');
    text
}

/// Other laws, and how well a change is dated.
fn others(size: Size) -> String {
    let streams = size.of(500);
    let mut text = format!(
        "**Other laws move by half a standard deviation**, one site, {streams} streams a row. *Dated*: the share in which the true first run of
the new law lies between the earliest and the latest that are named; *off by*: the median distance of the likeliest one.

| values | delay | dated | off by | runs between earliest and latest |
|---|---|---|---|---|
"
    );
    let laws = ["normal", "exponential", "uniform", "Pareto 3", "Poisson 4"];
    for distribution in named(&laws) {
        let shift = match distribution.name.starts_with("Poisson") {
            // The lattice has steps of 1, half of a standard deviation.
            true => 1.0,
            false => 0.5 * distribution.standard_deviation(),
        };
        let found = streams_of(streams, |rng| dated(&distribution, shift, rng));
        let mean = found.iter().map(|found| found.delay as f64).sum::<f64>() / streams as f64;
        let hits = found.iter().filter(|found| found.hit).count() as f64 / streams as f64;
        let median = |of: fn(&Dated) -> usize| {
            let mut all: Vec<usize> = found.iter().map(of).collect();
            all.sort_unstable();
            all[all.len() / 2]
        };
        let _ = writeln!(
            text,
            "| {} | {mean:.1} | {hits:.3} | {} | {} |",
            distribution.name,
            median(|found| found.off),
            median(|found| found.width),
        );
    }
    text.push('\n');
    text
}

/// Simulates streams, each with a seed of its own.
fn streams_of<R: Send>(streams: usize, one: impl Fn(&mut ChaCha8Rng) -> R + Sync) -> Vec<R> {
    let seeds: Vec<u64> = (0..streams as u64).collect();
    in_parallel(&seeds, |seed| one(&mut ChaCha8Rng::seed_from_u64(*seed)))
}

fn calibrated(
    feared: Feared,
    rng: &mut ChaCha8Rng,
    draw: impl Fn(&mut ChaCha8Rng) -> f64,
) -> Detector {
    let mut detector = Detector::new(feared);
    for _ in 0..CALIBRATED {
        let value = draw(rng);
        detector.learn(value, rng.next_u64());
    }
    detector
}

/// The run of the first alarm of a site, in a suite of so many.
fn first_alarm(
    feared: Feared,
    sites: usize,
    rng: &mut ChaCha8Rng,
    draw: impl Fn(&mut ChaCha8Rng) -> f64,
) -> Option<usize> {
    let level = Detector::level(sites, RUNS);
    let mut detector = calibrated(feared, rng, &draw);
    (1..=LONGEST).find(|_| {
        let value = draw(rng);
        detector.push(value, rng.next_u64()) >= level
    })
}

/// The run of the first alarm of any of these sites, whose values have this part of their variance in common.
fn suite_alarm(sites: usize, part: f64, rng: &mut ChaCha8Rng) -> Option<usize> {
    let level = Detector::level(sites, RUNS);
    let normal = |rng: &mut ChaCha8Rng| -> f64 { StandardNormal.sample(rng) };
    let values = |rng: &mut ChaCha8Rng| -> Vec<f64> {
        let common = part.sqrt() * normal(rng);
        (0..sites)
            .map(|_| common + (1.0 - part).sqrt() * normal(rng))
            .collect()
    };
    let mut detectors = vec![Detector::new(Feared::Up); sites];
    for _ in 0..CALIBRATED {
        for (detector, value) in detectors.iter_mut().zip(values(rng)) {
            detector.learn(value, rng.next_u64());
        }
    }
    (1..=LONGEST).find(|_| {
        let mut alarm = false;
        for (detector, value) in detectors.iter_mut().zip(values(rng)) {
            alarm |= detector.push(value, rng.next_u64()) >= level;
        }
        alarm
    })
}

/// A detector of a site among so many, after runs in which nothing moved and none raised an alarm.
fn before(sites: usize, rng: &mut ChaCha8Rng, draw: impl Fn(&mut ChaCha8Rng) -> f64) -> Detector {
    let level = Detector::level(sites, RUNS);
    loop {
        let mut detector = calibrated(Feared::Up, rng, &draw);
        for _ in 0..BEFORE {
            let value = draw(rng);
            detector.push(value, rng.next_u64());
        }
        if detector.peak().0 < level {
            return detector;
        }
    }
}

/// Runs until a shift is found.
fn delay(shift: f64, sites: usize, rng: &mut ChaCha8Rng) -> usize {
    let level = Detector::level(sites, RUNS);
    let normal = |rng: &mut ChaCha8Rng| -> f64 { StandardNormal.sample(rng) };
    let mut detector = before(sites, rng, normal);
    let found = (1..=LONGEST).find(|_| detector.push(shift + normal(rng), rng.next_u64()) >= level);
    found.unwrap_or(LONGEST)
}

/// What was said of a change.
struct Dated {
    delay: usize,
    hit: bool,
    off: usize,
    width: usize,
}

fn dated(distribution: &Distribution, shift: f64, rng: &mut ChaCha8Rng) -> Dated {
    let level = Detector::level(1, RUNS);
    let mut detector = before(1, rng, |rng| distribution.draw(rng));
    let found = (1..=LONGEST).find(|_| {
        let value = shift + distribution.draw(rng);
        detector.push(value, rng.next_u64()) >= level
    });
    let moved = detector.moved().expect("values were pushed");
    let (earliest, latest) = moved.between;
    Dated {
        delay: found.unwrap_or(LONGEST),
        hit: (earliest..=latest).contains(&BEFORE),
        off: moved.since.abs_diff(BEFORE),
        width: latest - earliest + 1,
    }
}
