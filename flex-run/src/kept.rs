//! What runs showed, kept for those who look at it later: `report` reads it, and nothing depends on it
//! (docs/reference/samples.md).
//!
//! A test has files of its own in the folder `samples`, below the target folder or in pytest's cache: what its last two
//! calibrations saw, each written in one step, and a line for each verdict, added in one write, so that many processes can
//! keep at once.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::{Duration, SystemTime};

use flex_core::sorted::SortedMap;

use crate::model::Test;
use crate::text_file;

/// The version of both files.
pub const VERSION: u32 = 1;

/// The page of the last report, in the folder that flex has.
pub const REPORT_FILE: &str = "report.html";

/// Verdicts of this many bytes make way for new ones: they become the older half.
const FULL: u64 = 1 << 15;

/// What is kept of a test is removed so long after its last run or calibration.
const FORGOTTEN: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// How the names of files end: the last calibration and the one before, verdicts and older ones.
const ENDINGS: [&str; 4] = ["json", "old.json", "jsonl", "old.jsonl"];

/// The folder in which samples are kept.
#[derive(Debug, Clone)]
pub struct Kept {
    folder: PathBuf,
}

impl Kept {
    /// The samples in the folder that flex has; it need not be there.
    pub fn within(flex: &Path) -> Self {
        Kept {
            folder: flex.join("samples"),
        }
    }

    /// Keeps what the calibration of a test saw; the one before it stays too.
    pub fn replace(&self, test: &Test, variant: Option<&str>, text: &str) -> io::Result<()> {
        let path = self.path(test, variant, ENDINGS[0]);
        let own = self.path(test, variant, &format!("{}.tmp", std::process::id()));
        let write = || fs::write(&own, text);
        if write().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            fs::create_dir_all(&self.folder)?;
            write()?;
        }
        // Whoever reviews a new bound sees what the old one was learned from.
        let _ = fs::rename(&path, self.path(test, variant, ENDINGS[1]));
        fs::rename(own, path)?;
        static SWEPT: Once = Once::new();
        SWEPT.call_once(|| self.sweep(SystemTime::now()));
        Ok(())
    }

    /// Removes what was kept of tests that were neither run nor calibrated for long: they are gone, or have other names.
    fn sweep(&self, now: SystemTime) {
        let mut tests: SortedMap<String, (Duration, Vec<PathBuf>)> = SortedMap::new();
        for file in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let changed = file.metadata().and_then(|about| about.modified());
            let age = changed.ok().and_then(|at| now.duration_since(at).ok());
            let name = file.file_name().to_string_lossy().into_owned();
            let Some(hash) = hash_of(&name) else {
                continue;
            };
            let (youngest, files) =
                tests.get_or_insert(hash.to_owned(), (Duration::MAX, Vec::new()));
            *youngest = (*youngest).min(age.unwrap_or_default());
            files.push(file.path());
        }
        for (_, (youngest, files)) in tests.entries() {
            if *youngest > FORGOTTEN {
                for file in files {
                    let _ = fs::remove_file(file);
                }
            }
        }
    }

    /// Adds the line of a verdict.
    pub fn append(&self, test: &Test, variant: Option<&str>, line: &str) -> io::Result<()> {
        let path = |ending| self.path(test, variant, ending);
        append_line(&path(ENDINGS[2]), &path(ENDINGS[3]), FULL, line)
    }

    /// All that is kept, by the names of files; with why a file cannot be read. Older verdicts come before newer ones.
    #[inline]
    pub fn texts(&self) -> Vec<(PathBuf, Result<String, String>)> {
        let mut files: Vec<PathBuf> = fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .filter_map(|file| Some(file.ok()?.path()))
            .filter(|path| {
                path.extension()
                    .is_some_and(|end| end == "json" || end == "jsonl")
            })
            .collect();
        // `a.old.jsonl` is to come before `a.jsonl`.
        files.sort_by_key(|path| {
            let name = path.to_string_lossy().into_owned();
            (!name.contains(".old."), name)
        });
        let text = |path: PathBuf| {
            let text = text_file::read_text(&path);
            let text = text.map(Option::unwrap_or_default);
            (path, text.map_err(|error| error.to_string()))
        };
        files.into_iter().map(text).collect()
    }

    /// The file of a test. Names of tests are no names of files, so that it is called by a hash.
    fn path(&self, test: &Test, variant: Option<&str>, ending: &str) -> PathBuf {
        let package = test.package.as_deref().unwrap_or_default();
        let target = test.id.target().unwrap_or_default();
        let words = [package, target, test.name(), variant.unwrap_or_default()];
        // FNV-1a (Fowler, Noll & Vo 1991).
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        for byte in words.join("\0").bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        self.folder.join(format!("{hash:016x}.{ending}"))
    }
}

/// Adds a line to a file, in a folder that need not be there. One that holds more than so many bytes becomes the older one
/// before that.
pub(crate) fn append_line(path: &Path, older: &Path, full: u64, line: &str) -> io::Result<()> {
    let open = || {
        let mut options = OpenOptions::new();
        options.create(true).read(true).append(true).open(path)
    };
    let mut file: File = match open() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
            open()?
        }
        opened => opened?,
    };
    if file.metadata()?.len() > full {
        fs::rename(path, older)?;
        file = open()?;
    }
    // One write, so that lines of processes beside each other do not mix; after a line that was cut off, a new one begins.
    match ends_within_a_line(&mut file) {
        true => file.write_all(format!("\n{line}").as_bytes()),
        false => file.write_all(line.as_bytes()),
    }
}

fn ends_within_a_line(file: &mut File) -> bool {
    let mut last = [b'\n'];
    // An empty file has no such place.
    let read = file.seek(SeekFrom::End(-1)).is_ok() && file.read_exact(&mut last).is_ok();
    read && last != [b'\n']
}

/// The hash by which a file is that of a test; files with other names are not ours.
fn hash_of(name: &str) -> Option<&str> {
    let (hash, ending) = name.split_once('.')?;
    let is_hash = hash.len() == 16 && hash.chars().all(|c| c.is_ascii_hexdigit());
    (is_hash && ENDINGS.contains(&ending)).then_some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TestId;

    fn test(name: &str) -> Test {
        Test {
            package: Some("a".to_owned()),
            ..Test::new(TestId::cargo("lib", name))
        }
    }

    #[test]
    fn verdicts_are_added_and_the_oldest_make_way() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Kept::within(folder.path());
        assert!(kept.texts().is_empty());
        let line = |run: usize| format!("{run:0>999}\n");
        for run in 0..200 {
            kept.append(&test("a"), None, &line(run)).unwrap();
        }
        kept.append(&test("b"), Some("gpu"), "of b\n").unwrap();
        kept.replace(&test("b"), Some("gpu"), "first").unwrap();
        kept.replace(&test("b"), Some("gpu"), "second").unwrap();
        let texts: Vec<String> = kept
            .texts()
            .into_iter()
            .map(|(_, text)| text.unwrap())
            .collect();
        let all: String = texts
            .iter()
            .filter(|text| text.contains("000"))
            .cloned()
            .collect();
        let runs: Vec<usize> = all.lines().map(|line| line.parse().unwrap()).collect();
        assert!(runs.is_sorted() && runs.last() == Some(&199), "{runs:?}");
        assert!((33..70).contains(&runs.len()), "{}", runs.len());
        assert_eq!(texts.len(), 5);
        let place = |text: &str| texts.iter().position(|other| other == text);
        assert!(place("first") < place("second") && place("of b\n").is_some());
    }

    #[test]
    fn what_was_kept_of_tests_that_are_gone_is_removed_in_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Kept::within(folder.path());
        let at = |days: u64| SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60);
        let age = |name: &str, ending: &str, days| {
            let mut file = File::options();
            let file = file
                .append(true)
                .open(kept.path(&test(name), None, ending))
                .unwrap();
            file.set_modified(at(days)).unwrap();
        };
        for name in ["gone", "calibrated long ago"] {
            kept.replace(&test(name), None, name).unwrap();
            kept.append(&test(name), None, name).unwrap();
            age(name, "json", 200);
        }
        age("gone", "jsonl", 91);
        age("calibrated long ago", "jsonl", 89);
        let own = kept.folder.join("notes.txt");
        fs::write(&own, "mine").unwrap();
        File::options()
            .append(true)
            .open(&own)
            .unwrap()
            .set_modified(at(200))
            .unwrap();
        kept.sweep(SystemTime::now());
        assert!(own.exists());
        let texts = kept.texts().into_iter();
        let texts: Vec<String> = texts.map(|(_, text)| text.unwrap()).collect();
        assert_eq!(texts, ["calibrated long ago"; 2]);
    }

    #[test]
    fn processes_beside_each_other_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Kept::within(folder.path());
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let kept = kept.clone();
                scope.spawn(move || {
                    for run in 0..50 {
                        let line = format!("{thread} {run}\n");
                        kept.append(&test("a"), None, &line).unwrap();
                    }
                });
            }
        });
        let (_, text) = kept.texts().remove(0);
        assert_eq!(text.unwrap().lines().count(), 400);
    }
}
