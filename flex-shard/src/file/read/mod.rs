//! Reading the file of a shard, of which any byte may be missing or wrong.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use flex_run::calibrate::Recorded;
use flex_run::model::ProcessRecord;
use flex_run::wire;

use super::head::{Frame, FrameHead, Header, ShardContent, ShardEnd, ShardKind};
use super::{END, HEADER, LONGEST, MAGIC, SHOWN, piece};
use crate::TestKey;

/// What a file holds, without what runs showed, which may be much.
#[derive(Debug, Clone)]
pub struct Scanned {
    /// What all of it has in common.
    pub header: Header,
    /// Where frames are, in their order.
    pub frames: Vec<At>,
    /// Its end, if its writer came so far.
    pub end: Option<ShardEnd>,
    /// Frames that are cut short or damaged.
    pub damaged: usize,
}

/// Where a frame is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct At {
    /// The test.
    pub test: TestKey,
    /// What its runs were made for.
    pub kind: ShardKind,
    /// Whether all of it is there.
    pub whole: bool,
    /// The first of its pieces, in the file.
    pub from: u64,
    /// The length of its pieces, as far as they are there.
    pub length: u32,
}

/// Why a file cannot be used.
#[derive(Debug)]
pub enum FileError {
    /// It cannot be read.
    Unreadable(io::Error),
    /// It is no file of a shard.
    NoShard,
    /// It was written by another version of flex.
    Version(String),
    /// It ends before it says what it is about.
    NoHeader,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::Unreadable(error) => write!(f, "it cannot be read: {error}"),
            FileError::NoShard => f.write_str("it is no file of a shard"),
            FileError::Version(version) => {
                let ours = env!("CARGO_PKG_VERSION");
                let theirs = flex_core::visible::visible(version);
                write!(f, "it was made by flex {theirs}, and this is {ours}")
            }
            FileError::NoHeader => f.write_str("it ends before its first run"),
        }
    }
}

impl std::error::Error for FileError {}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> Self {
        FileError::Unreadable(error)
    }
}

/// Reads what a file holds, up to where it ends.
pub fn scan(path: &Path) -> Result<Scanned, FileError> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(FileError::NoShard);
    }
    scan_bytes(BufReader::with_capacity(1 << 16, file))
}

fn scan_bytes(mut file: impl Read) -> Result<Scanned, FileError> {
    let magic = up_to(&mut file, MAGIC.len())?;
    if magic != MAGIC {
        let name = MAGIC.split(|byte| *byte == b'1').next().unwrap_or_default();
        return Err(match magic.strip_prefix(name) {
            _ if MAGIC.starts_with(&magic) => FileError::NoHeader,
            Some(_) => FileError::Version("with another format of shards".to_owned()),
            None => FileError::NoShard,
        });
    }
    let mut position = MAGIC.len() as u64;
    let mut header: Option<Header> = None;
    let (mut frames, mut end, mut damaged) = (Vec::new(), None, 0);
    loop {
        let before = up_to(&mut file, 5)?;
        let Some((tag, length)) = tag_and_length(&before) else {
            damaged += usize::from(!before.is_empty());
            break;
        };
        position += 5;
        let pieces = up_to(&mut file, length as usize)?;
        let is_cut = pieces.len() < length as usize;
        match (tag, &header) {
            (HEADER, None) => header = Some(header_of(&pieces)?),
            (SHOWN, Some(_)) => match frame_head(&pieces) {
                Some((head, whole)) => {
                    damaged += usize::from(!whole || is_cut);
                    frames.push(At {
                        test: head.test,
                        kind: head.kind,
                        whole: whole && !is_cut,
                        from: position,
                        length: pieces.len() as u32,
                    });
                }
                None => damaged += 1,
            },
            (END, Some(_)) => {
                let mut rest = &pieces[..];
                let words = piece::take(&mut rest);
                end = words.and_then(|words| serde_json::from_slice(words).ok());
                damaged += usize::from(end.is_none());
            }
            // What is not understood may be anything.
            _ => {
                damaged += 1;
                break;
            }
        }
        position += pieces.len() as u64;
        if is_cut {
            break;
        }
    }
    Ok(Scanned {
        header: header.ok_or(FileError::NoHeader)?,
        frames,
        end,
        damaged,
    })
}

/// Reads a frame again; `None` if nothing of it can be used, or the file has changed.
pub fn frame_at(file: &mut (impl Read + Seek), at: &At) -> io::Result<Option<Frame>> {
    file.seek(SeekFrom::Start(at.from))?;
    let bytes = up_to(file, at.length as usize)?;
    let mut rest = &bytes[..];
    let head = piece::take(&mut rest).and_then(|head| serde_json::from_slice(head).ok());
    let Some(head): Option<FrameHead> = head else {
        return Ok(None);
    };
    if head.text {
        let text = piece::take(&mut rest).and_then(|text| String::from_utf8(text.to_vec()).ok());
        return Ok(text.map(|text| Frame {
            test: head.test,
            kind: head.kind,
            content: ShardContent::Text(text),
        }));
    }
    let (records, whole) = records_of(&head.records, &mut rest);
    let is_usable = whole || head.kind == ShardKind::Runs;
    if !is_usable || (records.is_empty() && head.deaths.is_empty()) {
        return Ok(None);
    }
    let hung = records.iter().find_map(|record| record.hung);
    Ok(Some(Frame {
        test: head.test,
        kind: head.kind,
        content: ShardContent::Recorded(Recorded {
            records,
            deaths: head.deaths,
            vanished: head.vanished.filter(|_| whole),
            hung,
        }),
    }))
}

/// Records by the number of their pieces, up to the first that is not whole, and whether all are.
fn records_of(pieces: &[u32], rest: &mut &[u8]) -> (Vec<ProcessRecord>, bool) {
    let mut records = Vec::new();
    for count in pieces {
        let mut bytes = Vec::new();
        let mut whole = true;
        for _ in 0..*count {
            match piece::take(rest) {
                Some(piece) => bytes.extend(piece),
                None => {
                    whole = false;
                    break;
                }
            }
        }
        match wire::read(&bytes) {
            Ok(record) => records.push(record),
            Err(_) => return (records, false),
        }
        if !whole {
            return (records, false);
        }
    }
    (records, true)
}

fn tag_and_length(bytes: &[u8]) -> Option<(u8, u32)> {
    let (tag, length) = bytes.split_first()?;
    let length = u32::from_le_bytes(length.try_into().ok()?);
    (length < LONGEST).then_some((*tag, length))
}

fn header_of(pieces: &[u8]) -> Result<Header, FileError> {
    #[derive(serde::Deserialize)]
    struct Version {
        flex: String,
    }
    let mut rest = pieces;
    let words = piece::take(&mut rest).ok_or(FileError::NoHeader)?;
    let version: Version = serde_json::from_slice(words).map_err(|_| FileError::NoShard)?;
    if version.flex != env!("CARGO_PKG_VERSION") {
        return Err(FileError::Version(version.flex));
    }
    serde_json::from_slice(words).map_err(|_| FileError::NoShard)
}

/// The head of a frame, and whether all its pieces are there and undamaged.
fn frame_head(pieces: &[u8]) -> Option<(FrameHead, bool)> {
    let mut rest = pieces;
    let head: FrameHead = serde_json::from_slice(piece::take(&mut rest)?).ok()?;
    let mut found: u64 = 0;
    while piece::take(&mut rest).is_some() {
        found += 1;
    }
    let said: u64 = head.records.iter().map(|count| u64::from(*count)).sum();
    let whole = rest.is_empty() && found == said + u64::from(head.text);
    Some((head, whole))
}

/// The next bytes, or as many as there are. No length is believed before the bytes are there.
fn up_to(file: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match file.take(length as u64).read_to_end(&mut bytes) {
        Err(error) if error.kind() != ErrorKind::Interrupted => Err(error),
        _ => Ok(bytes),
    }
}

#[cfg(test)]
mod tests;
