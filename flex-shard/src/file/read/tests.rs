use std::io::Cursor;
use std::time::Duration;

use flex_core::sample::Extremes;
use flex_core::tail::Tail;
use flex_run::model::{
    Asks, Place, RecordedHit, RecordedRun, Site, SiteId, SiteSpec, Test, TestId,
};

use super::*;
use crate::file::ShardWriter;
use crate::platform::Platform;

fn header() -> Header {
    Header {
        flex: env!("CARGO_PKG_VERSION").to_owned(),
        command: "calibrate".to_owned(),
        phase: "calibrate".to_owned(),
        base: "b".to_owned(),
        shard: "2/3".parse().unwrap(),
        round: 1,
        runs: None,
        max_runs: None,
        against: None,
        id: "id".to_owned(),
        host: "h/../x".to_owned(),
        pid: 7,
        platform: Platform::here(None),
        again: "flex".to_owned(),
    }
}

fn recorded(runs: std::ops::Range<u32>) -> Recorded {
    let test = Test {
        package: Some("p".to_owned()),
        fingerprint: "f".to_owned(),
        place: Place::new("a.rs", 1),
        ..Test::new(TestId::cargo("lib", "a"))
    };
    let asks = Asks::Learned(SiteSpec::new(Tail::Upper));
    let mut record = ProcessRecord::new(test);
    record.sites = vec![Site::new(SiteId::new("x"), asks, Place::new("a.rs", 7))];
    record.took = Some(Duration::from_secs(1));
    for index in runs {
        let run = RecordedRun {
            index,
            drew: true,
            failure: None,
        };
        let hit = RecordedHit {
            site: 0,
            extremes: Extremes::new(f64::from(index)),
            broken: false,
        };
        record.push(run, [hit]).unwrap();
    }
    Recorded {
        records: vec![record],
        deaths: Vec::new(),
        vanished: None,
        hung: None,
    }
}

fn written() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let writer = ShardWriter::begin(folder.path(), &header()).unwrap();
    let test = TestKey {
        package: "p".to_owned(),
        target: "lib".to_owned(),
        test: "a".to_owned(),
        old: false,
        compared: false,
    };
    for (kind, runs) in [
        (ShardKind::Runs, 0..3),
        (ShardKind::Repeat(vec![5, 4]), 4..6),
        (ShardKind::Runs, 3..6),
    ] {
        let frame = Frame {
            test: test.clone(),
            kind,
            content: ShardContent::Recorded(recorded(runs)),
        };
        writer.push(&frame, 3).unwrap();
    }
    let path = writer.path().to_owned();
    assert_eq!(path.parent(), Some(folder.path()));
    assert_eq!(writer.end(true).unwrap(), 9);
    std::fs::read(path).unwrap()
}

/// The values by run of all samples that can be read.
fn samples_of(bytes: &[u8]) -> Result<Vec<(u32, f64)>, FileError> {
    let scanned = scan_bytes(bytes)?;
    let mut samples = Vec::new();
    for at in &scanned.frames {
        let frame = frame_at(&mut Cursor::new(bytes), at).unwrap();
        let Some(Frame {
            kind: ShardKind::Runs,
            content: ShardContent::Recorded(recorded),
            ..
        }) = frame
        else {
            continue;
        };
        for record in &recorded.records {
            for (run, hits) in record.runs() {
                samples.push((run.index, hits[0].extremes.greatest));
            }
        }
    }
    Ok(samples)
}

#[test]
fn what_was_written_is_read() {
    let bytes = written();
    let scanned = scan_bytes(&bytes[..]).unwrap();
    assert_eq!(scanned.header, header());
    let expected = ShardEnd {
        runs: 9,
        whole: true,
    };
    assert_eq!((scanned.end, scanned.damaged), (Some(expected), 0));
    assert!(scanned.frames.iter().all(|at| at.whole));
    let frame = frame_at(&mut Cursor::new(&bytes), &scanned.frames[1]).unwrap();
    let Some(ShardContent::Recorded(repeated)) = frame.map(|frame| frame.content) else {
        panic!("nothing was repeated");
    };
    assert_eq!(repeated.records, recorded(4..6).records);
    let all: Vec<u32> = samples_of(&bytes)
        .unwrap()
        .iter()
        .map(|(run, _)| *run)
        .collect();
    assert_eq!(all, [0, 1, 2, 3, 4, 5]);
}

#[test]
fn of_a_file_that_is_cut_anywhere_whole_runs_are_kept() {
    let bytes = written();
    let mut before = 0;
    for end in 0..bytes.len() {
        let Ok(samples) = samples_of(&bytes[..end]) else {
            assert_eq!(before, 0, "{end}");
            continue;
        };
        assert!(samples.iter().all(|(run, value)| f64::from(*run) == *value));
        assert!(
            samples.len() == before || samples.len() == before + 1,
            "{end}"
        );
        before = samples.len();
        // Some file systems leave zeros where nothing was written, which may be what stood there.
        let zeros = [&bytes[..end], &[0; 300]].concat();
        let with_zeros = samples_of(&zeros).unwrap();
        assert!(
            with_zeros
                .iter()
                .all(|(run, value)| f64::from(*run) == *value)
        );
        assert!(with_zeros.starts_with(&samples) && with_zeros.len() <= samples.len() + 1);
    }
    assert_eq!(before, 6);
}

#[test]
fn whatever_byte_is_damaged_no_value_is_wrong() {
    let bytes = written();
    for place in 0..bytes.len() {
        for change in [0x01, 0x80] {
            let mut damaged = bytes.clone();
            damaged[place] ^= change;
            let Ok(samples) = samples_of(&damaged) else {
                continue;
            };
            assert!(samples.iter().all(|(run, value)| f64::from(*run) == *value));
        }
    }
}

#[test]
fn other_versions_and_other_files_are_refused() {
    let check = |bytes: &[u8], words: &str| {
        let error = scan_bytes(bytes).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    check(b"", "before its first run");
    check(b"flex shard 2\n", "another format");
    check(b"PK\x03\x04 something", "no file of a shard");
    let mut header = header();
    header.flex = "99.0.0".to_owned();
    let mut bytes = MAGIC.to_vec();
    let mut pieces = Vec::new();
    piece::push(&mut pieces, &serde_json::to_vec(&header).unwrap());
    bytes.push(HEADER);
    bytes.extend((pieces.len() as u32).to_le_bytes());
    bytes.extend(pieces);
    check(&bytes, "made by flex 99.0.0");
}
