//! Shards of a calibration: what their runs showed, test by test, as a calibration that was kept.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use flex_run::calibrate::line_of_records;
use flex_run::model::ProcessRecord;
use flex_shard::TestKey;
use flex_shard::file::{ShardContent, ShardKind, frame_at, scan};

/// Runs of one test that belong together: those of one base seed, on one kind of machine.
type Together = (TestKey, String, String);

/// The lines of calibrations whose runs are in these files, each of which is told once though several have parts of it.
pub fn lines(files: &[PathBuf], at: impl Fn(&Path) -> u64) -> (Vec<String>, Vec<String>) {
    let mut records: BTreeMap<Together, (u64, Vec<ProcessRecord>)> = BTreeMap::new();
    let mut notes = Vec::new();
    for path in files {
        if let Err(why) = read(path, at(path), &mut records) {
            notes.push(format!("{} was left out: {why}", path.display()));
        }
    }
    let lines = records
        .iter()
        .map(|((_, base, platform), (at, records))| line_of_records(records, base, platform, *at));
    (lines.flatten().collect(), notes)
}

/// Adds the runs of a file that are samples.
fn read(
    path: &Path,
    at: u64,
    records: &mut BTreeMap<Together, (u64, Vec<ProcessRecord>)>,
) -> Result<(), String> {
    let scanned = scan(path).map_err(|error| error.to_string())?;
    let header = &scanned.header;
    if header.phase != "calibrate" {
        return Err(format!(
            "its runs are for {}, not for a calibration",
            header.phase
        ));
    }
    let platform = format!("{}-{}", header.platform.arch, header.platform.os);
    let mut file = File::open(path).map_err(|error| error.to_string())?;
    for place in &scanned.frames {
        let frame = frame_at(&mut file, place).map_err(|error| error.to_string())?;
        let Some(frame) = frame.filter(|frame| frame.kind == ShardKind::Runs) else {
            continue;
        };
        if let ShardContent::Recorded(recorded) = frame.content {
            let together = (frame.test, header.base.clone(), platform.clone());
            let (newest, all) = records.entry(together).or_default();
            *newest = at.max(*newest);
            all.extend(recorded.records);
        }
    }
    Ok(())
}
