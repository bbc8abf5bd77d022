//! The files of all shards, in one folder or several.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::answers::{Answers, FoundFrame};
use crate::file::{
    FileError, Frame, Header, Scanned, ShardKind, begin_of_names, file_ending, frame_at, scan,
};
use crate::platform::Platform;
use crate::{Shard, TestKey};

/// All files that there are.
#[derive(Debug)]
pub struct Shards {
    files: Vec<(PathBuf, Scanned)>,
    /// Where the frames of each test are: the number of the file, and of the frame in it.
    tests: BTreeMap<TestKey, Vec<(usize, usize)>>,
    platforms: Vec<Platform>,
}

/// Why files do not make one whole.
#[derive(Debug)]
pub enum ShardsError {
    /// A folder cannot be read.
    Folder(PathBuf, io::Error),
    /// There are none.
    Nothing(Vec<PathBuf>),
    /// A file cannot be used.
    File(PathBuf, FileError),
    /// Two have different things in common: what, and the two with their files.
    Mixed(&'static str, (PathBuf, String), (PathBuf, String)),
}

/// A shard, as far as its files tell.
#[derive(Debug, Clone, PartialEq)]
pub struct ShardStatus {
    /// Which one.
    pub shard: Shard,
    /// Of which round.
    pub round: u32,
    /// Whether one of its files came to its end.
    pub whole: bool,
    /// Whether one of them did so although there was no time for all runs.
    pub out_of_time: bool,
    /// The runs that they say they hold; those of files without an end are not counted.
    pub runs: u64,
    /// The tests of which they hold anything.
    pub tests: usize,
    /// Frames that are cut short or damaged.
    pub damaged: usize,
    /// Where they were made.
    pub hosts: Vec<String>,
    /// The command that makes the shard again.
    pub again: Option<String>,
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

    /// Whether all shards of the first round are there, and came to their ends.
    pub fn first_round_is_whole(&self) -> bool {
        let status = self.status();
        let mut first = status.iter().filter(|status| status.round == 1).peekable();
        first.peek().is_some() && first.all(|status| status.whole)
    }

    /// How far each shard is, of every round of which any is there.
    pub fn status(&self) -> Vec<ShardStatus> {
        let mut all: BTreeMap<(u32, Shard), ShardStatus> = BTreeMap::new();
        let headers = || self.files.iter().map(|(_, scanned)| &scanned.header);
        for header in headers() {
            for shard in Shard::all(header.shard.total()) {
                let key = (header.round, shard);
                all.entry(key).or_insert_with(|| ShardStatus {
                    shard,
                    round: header.round,
                    whole: false,
                    out_of_time: false,
                    runs: 0,
                    tests: 0,
                    damaged: 0,
                    hosts: Vec::new(),
                    again: None,
                });
            }
        }
        for (_, scanned) in &self.files {
            let header = &scanned.header;
            if let Some(status) = all.get_mut(&(header.round, header.shard)) {
                status.take(scanned);
            }
        }
        // A file of a later round can be a piece of a smaller number of shards: each has its own.
        all.into_values().collect()
    }

    /// The command that makes a shard, as others of its round were made.
    pub fn command_for(&self, status: &ShardStatus) -> Option<String> {
        if status.again.is_some() {
            return status.again.clone();
        }
        let headers = self.files.iter().map(|(_, scanned)| &scanned.header);
        let mut of_round = headers
            .filter(|header| header.round == status.round)
            .filter(|header| header.shard.total() == status.shard.total());
        let other = of_round.next()?;
        let (theirs, ours) = (other.shard.to_string(), status.shard.to_string());
        let before = format!("--shard {theirs} ");
        let pytest = format!("--flex-shard={theirs} ");
        Some(match other.again.contains(&before) {
            true => other
                .again
                .replacen(&before, &format!("--shard {ours} "), 1),
            false => {
                let after = format!("--flex-shard={ours} ");
                other.again.replacen(&pytest, &after, 1)
            }
        })
    }
}

impl ShardStatus {
    fn take(&mut self, scanned: &Scanned) {
        self.whole |= scanned.end.is_some_and(|end| end.whole);
        self.out_of_time |= scanned.end.is_some_and(|end| !end.whole);
        self.runs += scanned.end.map_or(0, |end| end.runs);
        let tests: BTreeSet<&TestKey> = scanned.frames.iter().map(|at| &at.test).collect();
        self.tests = self.tests.max(tests.len());
        self.damaged += scanned.damaged;
        if !self.hosts.contains(&scanned.header.host) {
            self.hosts.push(scanned.header.host.clone());
        }
        self.again = Some(scanned.header.again.clone());
    }
}

/// What shards with this header left in a folder before: a shard that is started again need not make that once more.
/// What cannot be read is made again.
pub fn made_before(folder: &Path, header: &Header) -> Vec<(TestKey, ShardKind, Frame)> {
    let mut made = Vec::new();
    for (path, scanned) in files_before(folder, header) {
        let Ok(mut file) = File::open(&path) else {
            continue;
        };
        for at in scanned.frames.iter().filter(|at| at.whole) {
            if let Ok(Some(frame)) = frame_at(&mut file, at) {
                made.push((at.test.clone(), at.kind.clone(), frame));
            }
        }
    }
    made
}

/// The files that shards with this header left in a folder before. They are known by their names: a thousand shards that
/// each read the files of all others would read a million.
fn files_before(folder: &Path, header: &Header) -> Vec<(PathBuf, Scanned)> {
    let mut files = Vec::new();
    let begin = begin_of_names(&header.command, header.round, header.shard);
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(&begin))
    };
    let mut paths = files_in(folder).unwrap_or_default();
    paths.retain(is_ours);
    for path in paths {
        let Ok(scanned) = scan(&path) else { continue };
        let theirs = &scanned.header;
        let same = theirs.base == header.base
            && theirs.command == header.command
            && theirs.phase == header.phase
            && theirs.shard == header.shard
            && theirs.round == header.round
            && theirs.runs == header.runs
            && theirs.max_runs == header.max_runs
            && theirs.against == header.against
            && theirs.platform == header.platform;
        if same {
            files.push((path, scanned));
        }
    }
    files
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

impl fmt::Display for ShardsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShardsError::Folder(path, error) => {
                write!(f, "cannot read the folder {}: {error}", path.display())
            }
            ShardsError::Nothing(folders) => {
                let folders: Vec<String> = folders
                    .iter()
                    .map(|folder| folder.display().to_string())
                    .collect();
                write!(f, "{} holds no shard", folders.join(" and "))
            }
            ShardsError::File(path, error) => write!(f, "{}: {error}", path.display()),
            ShardsError::Mixed(what, (one, ours), (other, theirs)) => {
                let shown = flex_core::visible::visible;
                write!(
                    f,
                    "shards of different {what}: {} has {}, {} has {}",
                    one.display(),
                    shown(ours),
                    other.display(),
                    shown(theirs)
                )
            }
        }
    }
}

impl std::error::Error for ShardsError {}
