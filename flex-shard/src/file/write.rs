//! Writing the file of a shard.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use flex_run::wire;

use super::head::{Frame, FrameHead, Header, ShardContent, ShardEnd};
use super::{END, HEADER, MAGIC, SHOWN, piece};
use crate::Shard;

/// How the names of these files end.
pub const fn file_ending() -> &'static str {
    "shard"
}

/// How the names of the files begin that a command writes of this shard of a round, whoever does.
pub fn begin_of_names(command: &str, round: u32, shard: Shard) -> String {
    format!(
        "{}-r{round}-{}-of-{}-",
        safe(command),
        shard.place() + 1,
        shard.total()
    )
}

/// A text as a part of a name.
fn safe(text: &str) -> String {
    let keep = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let all = text.chars().map(|c| if keep(c) { c } else { '-' });
    all.take(40).collect()
}

/// Writes the file of a shard, frame by frame. Threads may share it.
#[derive(Debug)]
pub struct ShardWriter {
    path: PathBuf,
    file: Mutex<Writing>,
}

#[derive(Debug)]
struct Writing {
    file: File,
    /// The runs so far.
    runs: u64,
    /// Why nothing more is written: after a frame that may have been cut, nobody would find the next.
    broken: Option<io::ErrorKind>,
}

impl ShardWriter {
    /// Begins a file in a folder, which is made if it is not there.
    pub fn begin(folder: &Path, header: &Header) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let name = format!(
            "{}{}-{}-{}.{}",
            begin_of_names(&header.command, header.round, header.shard),
            safe(&header.host),
            header.pid,
            safe(&header.id),
            file_ending()
        );
        let path = folder.join(name);
        let mut file = File::options().write(true).create_new(true).open(&path)?;
        let mut bytes = MAGIC.to_vec();
        frame(&mut bytes, HEADER, |pieces| {
            piece::push(pieces, &serde_json::to_vec(header)?);
            Ok(())
        })?;
        file.write_all(&bytes)?;
        file.flush()?;
        Ok(ShardWriter {
            path,
            file: Mutex::new(Writing {
                file,
                runs: 0,
                broken: None,
            }),
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a frame of so many runs, in one write.
    pub fn push(&self, shown: &Frame, runs: u64) -> io::Result<()> {
        let mut bytes = Vec::new();
        frame(&mut bytes, SHOWN, |pieces| pieces_of(shown, pieces))?;
        self.write(&bytes, runs)
    }

    /// Ends the file; nothing comes after that.
    pub fn end(&self, whole: bool) -> io::Result<u64> {
        let runs = self.writing().runs;
        let mut bytes = Vec::new();
        frame(&mut bytes, END, |pieces| {
            piece::push(pieces, &serde_json::to_vec(&ShardEnd { runs, whole })?);
            Ok(())
        })?;
        self.write(&bytes, 0)?;
        self.writing().file.sync_all()?;
        Ok(runs)
    }

    fn write(&self, bytes: &[u8], runs: u64) -> io::Result<()> {
        let mut writing = self.writing();
        if let Some(kind) = writing.broken {
            return Err(kind.into());
        }
        let written = writing.file.write_all(bytes);
        let written = written.and_then(|()| writing.file.flush());
        if let Err(error) = written {
            writing.broken = Some(error.kind());
            return Err(error);
        }
        writing.runs += runs;
        Ok(())
    }

    fn writing(&self) -> std::sync::MutexGuard<'_, Writing> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds a frame: its tag, its length and its pieces.
fn frame(
    out: &mut Vec<u8>,
    tag: u8,
    write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
) -> io::Result<()> {
    let mut pieces = Vec::new();
    write(&mut pieces)?;
    let length = u32::try_from(pieces.len())
        .ok()
        .filter(|length| *length < super::LONGEST);
    let length = length.ok_or(io::ErrorKind::FileTooLarge)?;
    out.push(tag);
    out.extend(length.to_le_bytes());
    out.append(&mut pieces);
    Ok(())
}

fn pieces_of(shown: &Frame, pieces: &mut Vec<u8>) -> io::Result<()> {
    let mut head = FrameHead {
        test: shown.test.clone(),
        kind: shown.kind.clone(),
        records: Vec::new(),
        text: matches!(shown.content, ShardContent::Text(_)),
        deaths: Vec::new(),
        vanished: None,
    };
    let mut after = Vec::new();
    match &shown.content {
        ShardContent::Text(text) => piece::push(&mut after, text.as_bytes()),
        ShardContent::Recorded(recorded) => {
            head.deaths = recorded.deaths.clone();
            head.vanished = recorded.vanished.clone();
            for record in &recorded.records {
                let mut ends = Vec::new();
                let bytes = wire::bytes_of(record, |end| ends.push(end));
                ends.push(bytes.len());
                head.records.push(ends.len() as u32);
                let mut from = 0;
                for end in ends {
                    piece::push(&mut after, &bytes[from..end]);
                    from = end;
                }
            }
        }
    }
    piece::push(pieces, &serde_json::to_vec(&head)?);
    pieces.append(&mut after);
    Ok(())
}
