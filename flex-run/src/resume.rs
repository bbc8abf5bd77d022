//! Runs that are kept on disk while a verdict is under way, so that a test that was interrupted goes on where it was.
//!
//! A file for each test, in a folder of the project's own that is no part of its sources. Its head says which engine, which
//! test, which source and which seed its runs are of; where anything differs, they are not used. Each run is what the
//! [`wire`] makes of it, with a checksum. The file is gone when the verdict is there, and after a day.

use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use flex_core::seed::sha256;
use flex_core::sorted::SortedMap;
use flex_core::visible::visible;
use flex_core::words::count;

use crate::model::{Gathered, Hit, RecordedRun, RunRecord, Site, Test, Took};
use crate::text_file;
use crate::wire::{self, RecordWriter};

/// Changes with every change of the format; what a run is made of changes with the engine.
const HEADER: &str = concat!("flex runs 1, engine ", env!("CARGO_PKG_VERSION"), "\n");

/// Runs that were made longer ago say little of what is there now.
const MOST_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// No further run is kept beyond this many bytes.
const MOST_BYTES: u64 = 64 << 20;

/// Bytes before each run: its index, its length, a checksum.
const BEFORE: usize = 8 + 4 + 8;

/// The runs of one test that are kept.
#[derive(Debug)]
pub struct KeptRuns {
    file: File,
    path: PathBuf,
    size: u64,
    /// The base seed of the runs.
    pub base: String,
    runs: SortedMap<u64, Vec<u8>>,
    /// What is to be said of a file that could not be used.
    warning: Option<String>,
}

/// What runs are of.
#[derive(Debug, Clone, Copy)]
pub struct KeptFor<'a> {
    /// The test.
    pub test: &'a Test,
    /// What else must be the same: the program, or the sources.
    pub program: &'a str,
    /// The base seed, if one was asked for.
    pub stated: Option<&'a str>,
    /// A base seed, if there is none to go on with.
    pub fresh: &'a str,
}

impl KeptRuns {
    /// Opens the file of a test in this folder, which need not be there. `None` if it cannot be written, or another process
    /// has it: then nothing is kept.
    pub fn open(folder: &Path, of: KeptFor<'_>) -> Option<Self> {
        fs::create_dir_all(folder).ok()?;
        clear(folder);
        let name = sha256(format!("{:?} {}", of.test.package, of.test.id).as_bytes());
        let name: String = name[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        let path = folder.join(name);
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).ok()?;
        file.try_lock().ok()?;
        let mut bytes = Vec::new();
        text_file::append(&mut file, &mut bytes, 2 * MOST_BYTES).ok()?;
        let (base, found, warning) = match found(&bytes, of) {
            Ok(Some((base, runs))) => (base, runs, None),
            Ok(None) => (String::new(), Found::default(), None),
            Err(what) => {
                let words = format!(
                    "runs that were kept in {} {what}; they are not used",
                    path.display()
                );
                (String::new(), Found::default(), Some(words))
            }
        };
        let mut kept = KeptRuns {
            file,
            path,
            size: found.end,
            base,
            runs: found.runs,
            warning,
        };
        if kept.base.is_empty() {
            kept.base = of.stated.unwrap_or(of.fresh).to_owned();
            let head = head(of, &kept.base);
            kept.size = 0;
            kept.write(head.as_bytes()).ok()?;
        }
        // What was cut off in the middle is written anew.
        kept.file.set_len(kept.size).ok()?;
        kept.file.seek(io::SeekFrom::End(0)).ok()?;
        Some(kept)
    }

    /// What to say of the runs that are there, or could not be used.
    pub fn words(&self, test: &str) -> Option<String> {
        let test = visible(test);
        match (&self.warning, self.len()) {
            (Some(warning), _) => Some(format!("warning: {test}: {warning}\n")),
            (None, 0) => None,
            (None, runs) => {
                let (runs, base) = (count(runs, "run", "runs"), &self.base);
                Some(format!(
                    "note: {test}: goes on after {runs} under seed {base}\n"
                ))
            }
        }
    }

    fn len(&self) -> usize {
        self.runs.entries().len()
    }

    /// Whether this run is there.
    pub fn has(&self, run: u64) -> bool {
        self.runs.contains(&run)
    }

    /// Takes what a run showed from the file; whether it was there.
    pub fn take(&self, run: u64, into: &mut Gathered) -> bool {
        let bytes = self.runs.get(&run);
        let record = bytes.and_then(|bytes| wire::read(bytes).ok());
        record.is_some_and(|record| into.take_last(&record).is_some())
    }

    /// Keeps what a run showed, unless it is more than can be said on the wire: a run that broke a bound is soon made again.
    pub fn keep(&mut self, test: &Test, run: u64, sites: &[Site], record: &RunRecord) {
        let is_broken = |hit: &Option<Hit>| hit.as_ref().is_some_and(|hit| hit.broken > 0);
        if record.hits.iter().any(is_broken) || !record.faults.is_empty() || self.size > MOST_BYTES
        {
            return;
        }
        // Nothing depends on it: where it cannot be written, the run is made again.
        if let Ok(bytes) = bytes_of(test, run, sites, record) {
            let mut entry = run.to_le_bytes().to_vec();
            entry.extend((bytes.len() as u32).to_le_bytes());
            entry.extend(checksum(run, &bytes));
            entry.extend(bytes);
            let _ = self.write(&entry);
        }
    }

    /// The verdict is there.
    pub fn forget(self) {
        // What cannot be removed is not used for long.
        let _ = fs::remove_file(&self.path);
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.size += bytes.len() as u64;
        Ok(())
    }
}

impl Drop for KeptRuns {
    fn drop(&mut self) {
        // A process that is being started has the file open too, until it is another program: closed here alone, it would
        // still be locked for a moment.
        let _ = self.file.unlock();
    }
}

/// What a file holds, and where its last whole run ends.
#[derive(Default)]
struct Found {
    runs: SortedMap<u64, Vec<u8>>,
    end: u64,
}

/// The runs in a file, with their base seed; `None` if they are of something else, or there are none.
fn found(bytes: &[u8], of: KeptFor<'_>) -> Result<Option<(String, Found)>, &'static str> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let text = |line: &[u8]| String::from_utf8_lossy(line).into_owned();
    let mut lines = bytes.splitn(4, |byte| *byte == b'\n');
    let (header, identity, base) = (lines.next(), lines.next(), lines.next());
    let (Some(header), Some(identity), Some(base), Some(mut rest)) =
        (header, identity, base, lines.next())
    else {
        return Err("are damaged");
    };
    if text(header) + "\n" != HEADER {
        return match header.starts_with(b"flex runs ") {
            true => Ok(None),
            false => Err("are damaged"),
        };
    }
    let base = text(base);
    let is_other = of.stated.is_some_and(|stated| stated != base);
    if text(identity) != identity_of(of) || is_other || base.is_empty() {
        return Ok(None);
    }
    let mut found = Found {
        end: (bytes.len() - rest.len()) as u64,
        ..Found::default()
    };
    while let Some((before, behind)) = rest.split_at_checked(BEFORE) {
        let (run, before) = before.split_at(8);
        let (length, sum) = before.split_at(4);
        let number = |bytes: &[u8]| {
            bytes
                .iter()
                .rev()
                .fold(0u64, |n, byte| n << 8 | u64::from(*byte))
        };
        let Some((run_bytes, others)) = behind.split_at_checked(number(length) as usize) else {
            break;
        };
        if checksum(number(run), run_bytes) != sum {
            return Err("are damaged");
        }
        found.runs.insert(number(run), run_bytes.to_vec());
        found.end += (BEFORE + run_bytes.len()) as u64;
        rest = others;
    }
    Ok(Some((base, found)))
}

fn head(of: KeptFor<'_>, base: &str) -> String {
    format!("{HEADER}{}\n{base}\n", identity_of(of))
}

/// What runs are of, in one line.
fn identity_of(of: KeptFor<'_>) -> String {
    let Test {
        id, fingerprint, ..
    } = of.test;
    format!("{:?}", (id.to_string(), fingerprint, of.program))
}

fn checksum(run: u64, bytes: &[u8]) -> [u8; 8] {
    let mut all = run.to_le_bytes().to_vec();
    all.extend_from_slice(bytes);
    let mut sum = [0; 8];
    sum.copy_from_slice(&sha256(&all)[..8]);
    sum
}

/// A run as bytes.
fn bytes_of(test: &Test, run: u64, sites: &[Site], record: &RunRecord) -> io::Result<Vec<u8>> {
    let mut writer = RecordWriter::new(Vec::new(), test)?;
    let made = RecordedRun {
        index: u32::try_from(run).unwrap_or(u32::MAX),
        drew: false,
        failure: None,
    };
    writer.run(made, sites, record)?;
    writer.draws(record);
    let took = Took {
        all: Duration::ZERO,
        slowest: None,
    };
    writer.end(&[], took)?;
    Ok(writer.into_inner())
}

/// Removes files that nobody came back to.
fn clear(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let age = entry.metadata().and_then(|data| data.modified());
        let age = age
            .ok()
            .and_then(|at| SystemTime::now().duration_since(at).ok());
        if age.is_some_and(|age| age > MOST_AGE) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Asks, Draws, Place, SiteId, SiteSpec, TestId};
    use flex_core::tail::Tail;

    fn test(fingerprint: &str) -> Test {
        Test {
            fingerprint: fingerprint.to_owned(),
            ..Test::new(TestId::pytest("t"))
        }
    }

    fn open(folder: &Path, test: &Test, program: &str, stated: Option<&str>) -> KeptRuns {
        let of = KeptFor {
            test,
            program,
            stated,
            fresh: "fresh",
        };
        KeptRuns::open(folder, of).unwrap()
    }

    /// A folder in which three runs are kept, under the base seed `then`.
    fn three_runs() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let mut kept = open(folder.path(), &test("f"), "p", Some("then"));
        for run in 0..3 {
            let (sites, record) = shown(run as f64);
            kept.keep(&test("f"), run, &sites, &record);
        }
        folder
    }

    fn shown(value: f64) -> (Vec<Site>, RunRecord) {
        let learned = Asks::Learned(SiteSpec::new(Tail::Upper));
        let site = |name, asks| Site::new(SiteId::new(name), asks, Place::default());
        let mut drawn = None;
        let draws = Draws {
            first: vec![value, 0.1],
            second: Vec::new(),
        };
        Hit::draw(&mut drawn, draws);
        let record = RunRecord {
            hits: vec![Some(Hit::of(value)), drawn],
            ..RunRecord::default()
        };
        let sites = vec![site("a", learned), site("b", Asks::Declared(Vec::new()))];
        (sites, record)
    }

    fn file_in(folder: &Path) -> PathBuf {
        let mut files = fs::read_dir(folder).unwrap();
        files.next().unwrap().unwrap().path()
    }

    #[test]
    fn a_test_goes_on_where_it_was_and_then_nothing_is_left() {
        let folder = three_runs();
        for stated in [None, Some("then")] {
            let kept = open(folder.path(), &test("f"), "p", stated);
            assert_eq!((kept.len(), &*kept.base), (3, "then"));
            let mut gathered = Gathered::default();
            assert!(kept.take(2, &mut gathered) && !kept.take(3, &mut gathered));
            let (sites, record) = shown(2.0);
            assert_eq!((gathered.sites, gathered.record), (sites, record));
        }
        open(folder.path(), &test("f"), "p", None).forget();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn runs_of_something_else_are_not_used() {
        let check = |fingerprint: &str, program: &str, stated: Option<&str>| {
            let folder = three_runs();
            let kept = open(folder.path(), &test(fingerprint), program, stated);
            assert_eq!((kept.len(), &kept.warning), (0, &None));
            assert_eq!(kept.base, stated.unwrap_or("fresh"));
        };
        check("changed", "p", None);
        check("f", "built anew", None);
        check("f", "p", Some("other"));
        let folder = three_runs();
        let file = file_in(folder.path());
        let text = fs::read(&file).unwrap();
        let newer = [b"flex runs 9, engine 7\n", &text[HEADER.len()..]].concat();
        fs::write(&file, newer).unwrap();
        let kept = open(folder.path(), &test("f"), "p", None);
        assert_eq!((kept.len(), &kept.warning), (0, &None));
    }

    #[test]
    fn a_file_that_is_cut_off_or_damaged_is_never_trusted() {
        let whole = fs::read(file_in(three_runs().path())).unwrap();
        let head = head(
            KeptFor {
                test: &test("f"),
                program: "p",
                stated: None,
                fresh: "",
            },
            "then",
        );
        let reopened = |bytes: &[u8]| {
            let folder = three_runs();
            fs::write(file_in(folder.path()), bytes).unwrap();
            let kept = open(folder.path(), &test("f"), "p", None);
            let seen: Vec<bool> = (0..3)
                .map(|run| {
                    let mut gathered = Gathered::default();
                    kept.take(run, &mut gathered) && gathered.record == shown(run as f64).1
                })
                .collect();
            let whole = seen.iter().filter(|seen| **seen).count();
            assert_eq!(whole, kept.len(), "what is there is what was kept");
            (kept.len(), kept.warning.is_some())
        };
        for end in 0..whole.len() {
            let (runs, _) = reopened(&whole[..end]);
            assert!(runs < 3);
        }
        // Whatever byte of a run is changed: the run is not used.
        for place in (head.len()..whole.len()).step_by(7) {
            let mut damaged = whole.clone();
            damaged[place] ^= 0x40;
            let (runs, _) = reopened(&damaged);
            assert!(runs < 3, "{place}");
        }
        assert_eq!(reopened(b"<<<<<<< ours\n"), (0, true));
        assert_eq!(reopened(&whole), (3, false));
    }

    #[test]
    fn a_file_that_another_process_has_is_left_alone() {
        let folder = three_runs();
        let first = open(folder.path(), &test("f"), "p", None);
        let of = KeptFor {
            test: &test("f"),
            program: "p",
            stated: None,
            fresh: "fresh",
        };
        assert!(KeptRuns::open(folder.path(), of).is_none());
        drop(first);
        assert_eq!(KeptRuns::open(folder.path(), of).unwrap().len(), 3);
    }
}
