//! A bounds file of 100,000 entries: what it takes to read it, and to change one of them.
//!
//! Prints `what seconds megabytes` of processor time and of the most memory, each of a process that does nothing else.

use std::fs;
use std::path::Path;
use std::process::Command;

use flex_bounds::TestId;
use flex_bounds::file::{BoundsFile, Entry, Key, Provenance, Replay, ReplayedRun};
use flex_core::calibration::{Calibration, CalibrationPlan, SiteId, SiteSpec, Step};
use flex_core::sample::Extremes;
use flex_core::tail::Tail;
use flex_run::store::Store;

const ENTRIES: usize = 100_000;

fn main() {
    // Cargo adds a word of its own.
    let words: Vec<String> = std::env::args().skip(1).collect();
    match &words[..] {
        [what, path, ..] => {
            act(what, &Store::at(path));
            println!("{what} {:.3} {:.1}", processor_seconds(), peak_megabytes());
        }
        _ => in_processes(),
    }
}

/// Makes the file, and does everything with it in a process each.
fn in_processes() {
    let folder = tempfile::tempdir().expect("a folder for the file");
    let path = folder.path().join("flex-bounds.toml");
    let text = large_file().to_string();
    println!("size 0 {:.0}", text.len() as f64 / 1e6);
    fs::write(&path, text).expect("room for the file");
    let program = std::env::current_exe().expect("the path of this program");
    for what in ["nothing", "read", "select", "update"] {
        let ended = Command::new(&program).arg(what).arg(&path).status();
        assert!(ended.is_ok_and(|status| status.success()), "{what} failed");
    }
}

fn act(what: &str, store: &Store) {
    match what {
        "read" => {
            let file = store.read().expect("the file is read");
            assert_eq!(file.entries().len(), ENTRIES);
        }
        "select" => {
            let test = TestId::cargo("test:sketch", name(ENTRIES / 2));
            let file = store.select(&test).expect("the file is read");
            assert_eq!(file.entries().len(), 1);
        }
        "update" => store
            .update(|file| {
                let mut entry = file.entries()[ENTRIES / 2].clone();
                entry.samples += 1;
                file.insert(entry).map(drop).expect("it fits");
            })
            .expect("the file is written"),
        _ => {}
    }
}

/// Entries of calibrations, with a test each.
fn large_file() -> BoundsFile {
    let learned: Vec<Entry> = (0..40).map(calibrated).collect();
    let mut file = BoundsFile::default();
    for index in 0..ENTRIES {
        let mut entry = learned[index % learned.len()].clone();
        entry.key.test = TestId::cargo("test:sketch", name(index));
        file.insert(entry).expect("every entry is new");
    }
    file
}

fn name(index: usize) -> String {
    format!("module_{:03}::error_is_small_{index:06}", index / 500)
}

/// An entry as 100 runs give one; every fifth has two tails, as in our examples.
fn calibrated(index: u32) -> Entry {
    const RUNS: u32 = 100;
    let tail = match index % 5 {
        0 => Tail::Both,
        1 => Tail::Lower,
        _ => Tail::Upper,
    };
    let mut calibration = Calibration::new(CalibrationPlan {
        min_runs: RUNS,
        ..CalibrationPlan::default()
    });
    let mut state = u64::from(index) + 1;
    for run in 0..RUNS {
        // The sum of twelve numbers is near enough to a normal one.
        let sum: f64 = (0..12)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                (state >> 11) as f64 / (1_u64 << 53) as f64
            })
            .sum();
        let hit = (
            &SiteId::new("error<_"),
            SiteSpec::new(tail),
            Extremes::new(sum),
        );
        calibration
            .push_folded(run, false, &[hit])
            .expect("a new run");
    }
    let Ok(Step::Done(done)) = calibration.step() else {
        panic!("the runs are enough");
    };
    let key = Key {
        test: TestId::cargo("test:sketch", "t"),
        site: SiteId::new("error<_"),
        variant: None,
    };
    let provenance = Provenance {
        fingerprint: Some("9f2c4e1a".to_owned()),
        calibrated: Some("2026-11-18".to_owned()),
        base: Some("k3J9".to_owned()),
        engine: Some("flex 0.1.0, chacha8".to_owned()),
        effort: None,
        replay: Some(Replay {
            base: "k3J9".to_owned(),
            always: false,
            runs: [17, 62]
                .map(|run| ReplayedRun {
                    run,
                    shown: Some(Extremes::new(f64::from(run) / 9.0)),
                })
                .to_vec(),
        }),
    };
    let mut entry = Entry::of_calibration(key, &done.sites[0], provenance);
    entry.seal();
    entry
}

/// The processor time of this process so far.
fn processor_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanos: f64 = stat
        .split(' ')
        .next()
        .and_then(|it| it.parse().ok())
        .unwrap_or(f64::NAN);
    nanos / 1e9
}

/// The most memory that this process had.
fn peak_megabytes() -> f64 {
    let status = fs::read_to_string(Path::new("/proc/self/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|it| it.trim().strip_suffix(" kB")?.parse::<f64>().ok());
    kibibytes.unwrap_or(f64::NAN) * 1024.0 / 1e6
}
