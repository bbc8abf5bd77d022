//! The files of all shards, in one folder or several.

mod before;
mod error;
mod status;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::TestKey;
use crate::answers::{Answers, FoundFrame};
use crate::file::{FileError, Header, Scanned, ShardKind, file_ending, frame_at, scan};
use crate::platform::Platform;
use before::files_before;

pub use before::made_before;
pub use error::ShardsError;
pub use status::ShardStatus;

/// All files that there are.
#[derive(Debug)]
pub struct Shards {
    files: Vec<(PathBuf, Scanned)>,
    /// Where the frames of each test are: the number of the file, and of the frame in it.
    tests: BTreeMap<TestKey, Vec<(usize, usize)>>,
    platforms: Vec<Platform>,
}

impl Shards {
    /// Reads what the files of these folders hold, without the runs themselves. A file in two folders is one.
    pub fn read(folders: &[PathBuf]) -> Result<Self, ShardsError> {
        let mut paths = Vec::new();
        for folder in folders {
            let entries = files_in(folder);
            paths.extend(entries.map_err(|error| ShardsError::Folder(folder.clone(), error))?);
        }
        paths.sort();
        let mut files: Vec<(PathBuf, Scanned)> = Vec::new();
        for path in paths {
            let scanned = match scan(&path) {
                // Its process was killed before its first run, or makes the file just now.
                Err(FileError::NoHeader) => continue,
                Err(error) => return Err(ShardsError::File(path, error)),
                Ok(scanned) => scanned,
            };
            let copy = |(_, known): &(PathBuf, Scanned)| known.header.id == scanned.header.id;
            match files.iter().position(copy) {
                // Of copies, the longest.
                Some(place) if files[place].1.frames.len() >= scanned.frames.len() => {}
                Some(place) => files[place] = (path, scanned),
                None => files.push((path, scanned)),
            }
        }
        if files.is_empty() {
            return Err(ShardsError::Nothing(folders.to_vec()));
        }
        let shards = Shards::of(files);
        shards.have_one_start()?;
        Ok(shards)
    }

    /// What shards with this header left in a folder before, without what was cut; `None` if there is nothing.
    pub fn before(folder: &Path, header: &Header) -> Option<Self> {
        let mut files = files_before(folder, header);
        for (_, scanned) in &mut files {
            scanned.frames.retain(|at| at.whole);
        }
        (!files.is_empty()).then(|| Shards::of(files))
    }

    fn of(files: Vec<(PathBuf, Scanned)>) -> Self {
        let mut tests: BTreeMap<TestKey, Vec<(usize, usize)>> = BTreeMap::new();
        let mut platforms = BTreeSet::new();
        for (number, (_, scanned)) in files.iter().enumerate() {
            platforms.insert(scanned.header.platform.clone());
            for (frame, at) in scanned.frames.iter().enumerate() {
                match tests.get_mut(&at.test) {
                    Some(frames) => frames.push((number, frame)),
                    None => {
                        tests.insert(at.test.clone(), vec![(number, frame)]);
                    }
                }
            }
        }
        Shards {
            files,
            tests,
            platforms: platforms.into_iter().collect(),
        }
    }

    /// What belongs to another start is not mixed in.
    fn have_one_start(&self) -> Result<(), ShardsError> {
        let (first, one) = &self.files[0];
        for (path, other) in &self.files[1..] {
            let (a, b) = (&one.header, &other.header);
            let number =
                |runs: Option<u32>| runs.map_or("none".to_owned(), |runs| runs.to_string());
            let against = |header: &Header| header.against.clone().unwrap_or_default();
            let common: [(&'static str, String, String); 6] = [
                ("base seeds", a.base.clone(), b.base.clone()),
                ("commands", a.command.clone(), b.command.clone()),
                ("phases", a.phase.clone(), b.phase.clone()),
                ("commits to compare with", against(a), against(b)),
                ("numbers of runs (--runs)", number(a.runs), number(b.runs)),
                (
                    "numbers of runs (--max-runs)",
                    number(a.max_runs),
                    number(b.max_runs),
                ),
            ];
            for (what, ours, theirs) in common {
                if ours != theirs {
                    let one = (first.clone(), ours);
                    return Err(ShardsError::Mixed(what, one, (path.clone(), theirs)));
                }
            }
        }
        Ok(())
    }

    /// What all files have in common: the base seed, the command, its phase.
    pub fn header(&self) -> &Header {
        &self.files[0].1.header
    }

    /// The last round.
    pub fn round(&self) -> u32 {
        let rounds = self.files.iter().map(|(_, scanned)| scanned.header.round);
        rounds.max().unwrap_or(1)
    }

    /// The tests of which anything is there.
    pub fn tests(&self) -> impl Iterator<Item = &TestKey> {
        self.tests.keys()
    }

    /// The kinds of machines, by their numbers.
    pub fn platforms(&self) -> &[Platform] {
        &self.platforms
    }

    /// How many files.
    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// All that is there of one test.
    pub fn answers(&self, test: &TestKey) -> io::Result<Answers> {
        self.found(test, |_| true).map(Answers::of)
    }

    /// The frames of one test whose runs were made for what is meant.
    pub fn found(
        &self,
        test: &TestKey,
        is_meant: impl Fn(&ShardKind) -> bool,
    ) -> io::Result<Vec<FoundFrame>> {
        let mut found = Vec::new();
        let frames = self.tests.get(test).map_or(&[][..], Vec::as_slice);
        for of_file in frames.chunk_by(|(a, _), (b, _)| a == b) {
            let (path, scanned) = &self.files[of_file[0].0];
            let mut file = File::open(path)?;
            let header = &scanned.header;
            let same = |platform: &&Platform| **platform == header.platform;
            let platform = self.platforms.iter().position(|p| same(&p));
            for (_, number) in of_file {
                let at = &scanned.frames[*number];
                if !is_meant(&at.kind) {
                    continue;
                }
                if let Some(frame) = frame_at(&mut file, at)? {
                    found.push(FoundFrame {
                        frame,
                        host: header.host.clone(),
                        by: format!("{}-{}-{number:08}", header.host, header.id),
                        platform: platform.unwrap_or_default(),
                    });
                }
            }
        }
        Ok(found)
    }
}

fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == file_ending()) {
            paths.push(path);
        }
    }
    Ok(paths)
}
