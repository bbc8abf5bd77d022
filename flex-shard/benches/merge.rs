//! 10,000 sites with 1,000 runs each, from 64 shards, put together on one thread: seconds, and bytes a sample at the peak.
//! The bars, and whether they are kept, are in docs/evidence/scale.md.

use std::fs;
use std::time::{Duration, Instant};

use flex_bounds::options::Options;
use flex_core::sample::Extremes;
use flex_core::tail::Tail;
use flex_run::calibrate::{CalibrationSettings, Recorded};
use flex_run::model::{
    Asks, Place, ProcessRecord, RecordedHit, RecordedRun, Runner, Site, SiteId, SiteSpec, Test,
    TestId,
};
use flex_run::project::part::Part;
use flex_shard::calibrate::{MergedTest, calibrate};
use flex_shard::file::{Frame, Header, ShardContent, ShardKind, ShardWriter};
use flex_shard::folder::Shards;
use flex_shard::platform::Platform;
use flex_shard::share::{BY_CARGO, repeated};
use flex_shard::{Shard, TestKey};

const SHARDS: u32 = 64;
const TESTS: u32 = 1_000;
const SITES: u32 = 10;
const RUNS: u32 = 1_000;

fn main() {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let began = Instant::now();
    for shard in Shard::all(SHARDS) {
        write(folder.path(), shard);
    }
    let files = fs::read_dir(folder.path()).into_iter().flatten().flatten();
    let bytes: u64 = files
        .filter_map(|file| Some(file.metadata().ok()?.len()))
        .sum();
    let samples = f64::from(TESTS) * f64::from(SITES) * f64::from(RUNS);
    println!(
        "written: {:.1} s, {:.1} bytes a sample",
        seconds(began),
        bytes as f64 / samples
    );

    // From here on, the peak counts.
    let _ = fs::write("/proc/self/clear_refs", "5");
    let before = peak();
    let began = Instant::now();
    let shards = Shards::read(&[folder.path().to_owned()]).expect("the shards fit together");
    println!("indexed: {:.1} s", seconds(began));
    let tests: Vec<TestKey> = shards.tests().cloned().collect();
    let mut merged = 0;
    for test in &tests {
        let answers = shards.answers(test).expect("the files are still there");
        let all: Vec<u32> = (0..RUNS).collect();
        let parts = answers.union.runs(&all).expect("no run is missing");
        merged += parts
            .iter()
            .flat_map(|part| &part.records)
            .map(|r| r.runs().count())
            .sum::<usize>();
    }
    assert_eq!(merged, (TESTS * RUNS) as usize);
    let held = (peak().saturating_sub(before)) as f64;
    println!(
        "merged: {:.1} s in all, {:.1} bytes a sample at the peak",
        seconds(began),
        held / samples
    );

    let began = Instant::now();
    let settings = CalibrationSettings {
        base: "b".to_owned(),
        ..CalibrationSettings::default()
    };
    let mut sites = 0;
    for test in &tests[..50] {
        let answers = shards.answers(test).expect("the files are still there");
        match calibrate(&answers, &settings, Runner::Cargo) {
            Ok(MergedTest::Done(calibration)) => sites += calibration.sites.len(),
            other => panic!("{other:?}"),
        }
    }
    println!(
        "merged and decided: {:.2} ms a site",
        1e3 * seconds(began) / sites as f64
    );
}

fn seconds(began: Instant) -> f64 {
    began.elapsed().as_secs_f64()
}

/// The most memory that this process had, in bytes; 0 where nobody says.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    1024 * kilobytes.unwrap_or(0)
}

fn write(folder: &std::path::Path, shard: Shard) {
    let header = Header {
        flex: env!("CARGO_PKG_VERSION").to_owned(),
        command: "calibrate".to_owned(),
        phase: "calibrate".to_owned(),
        base: "b".to_owned(),
        shard,
        round: 1,
        runs: None,
        max_runs: None,
        against: None,
        id: format!("id{}", shard.place()),
        host: "host".to_owned(),
        pid: shard.place(),
        platform: Platform::here(None),
        again: String::new(),
    };
    let writer = ShardWriter::begin(folder, &header).expect("the folder can be written");
    let part = Part {
        place: shard.place(),
        of: SHARDS,
        most: None,
    };
    for number in 0..TESTS {
        let test = test(number);
        let push = |kind: ShardKind, runs: Vec<u32>| {
            let frame = Frame {
                test: TestKey::of(&test),
                kind,
                content: ShardContent::Recorded(recorded(&test, &runs)),
            };
            writer
                .push(&frame, runs.len() as u64)
                .expect("there is room");
        };
        push(ShardKind::Runs, part.runs(RUNS).collect());
        if number % SHARDS == shard.place() {
            let again = repeated(RUNS, 0.1, BY_CARGO);
            push(ShardKind::Repeat(again.clone()), again);
        }
    }
    writer.end(true).expect("there is room");
}

fn test(number: u32) -> Test {
    Test {
        package: Some("package".to_owned()),
        fingerprint: "9f2c4e1a".to_owned(),
        place: Place::new("src/lib.rs", number),
        options: Options {
            runs: Some(RUNS),
            ..Options::NONE
        },
        ..Test::new(TestId::cargo("lib", format!("tests::number_{number:04}")))
    }
}

fn recorded(test: &Test, runs: &[u32]) -> Recorded {
    let mut record = ProcessRecord::new(test.clone());
    for site in 0..SITES {
        let asks = Asks::Learned(SiteSpec::new(Tail::Upper));
        let id = SiteId::new(format!("error_{site}<_"));
        record
            .sites
            .push(Site::new(id, asks, Place::new("src/lib.rs", site)));
    }
    record.took = Some(Duration::from_millis(runs.len() as u64));
    for &index in runs {
        let run = RecordedRun {
            index,
            drew: true,
            failure: None,
        };
        let hits = (0..SITES).map(|site| RecordedHit {
            site,
            extremes: Extremes::new(value(test.place.line, site, index)),
            broken: false,
        });
        record.push(run, hits).expect("all sites are known");
    }
    Recorded {
        records: vec![record],
        deaths: Vec::new(),
        vanished: None,
        hung: None,
    }
}

/// A value between 0 and 1 that looks random (the finaliser of SplitMix64; Steele, Lea & Flood 2014).
fn value(test: u32, site: u32, run: u32) -> f64 {
    let mut bits = (u64::from(run) << 32) ^ (u64::from(site) << 24) ^ u64::from(test);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}
