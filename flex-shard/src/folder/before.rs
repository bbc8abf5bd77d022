//! What a shard left behind that was started before, so that it goes on.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::files_in;
use crate::TestKey;
use crate::file::{Frame, Header, Scanned, ShardKind, begin_of_names, frame_at, scan};

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
pub(super) fn files_before(folder: &Path, header: &Header) -> Vec<(PathBuf, Scanned)> {
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
