//! Reading files that people and records name: files only, and none that is too large for memory.
//!
//! What is no file may never end, as a device, or never begin, as a pipe that nobody writes to; so it is refused before
//! it is opened.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read, Take};
use std::path::Path;

/// The most bytes that a file of ours may have: a bounds file of 100,000 entries has a fifth of them.
pub const MOST_BYTES: u64 = 256 << 20;

/// The bytes of a file, or of one that a link leads to; `None` if there is none.
pub fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let Some(mut file) = open(path)? else {
        return Ok(None);
    };
    let length = file.get_ref().metadata()?.len();
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    append(&mut file, &mut bytes, MOST_BYTES + 1)?;
    match bytes.len() as u64 > MOST_BYTES {
        true => Err(too_large(bytes.len() as u64)),
        false => Ok(Some(bytes)),
    }
}

/// A file that is open and may be read, up to a byte more than it may have; `None` if there is none.
pub fn open(path: &Path) -> io::Result<Option<Take<File>>> {
    if regular(path)?.is_none() {
        return Ok(None);
    }
    let file = File::open(path)?;
    // It may have become another one in between.
    check(&file.metadata()?)?;
    Ok(Some(file.take(MOST_BYTES + 1)))
}

/// Adds as many bytes at most, and says how many. Not generic, since several sorts of files are read.
pub(crate) fn append(file: &mut dyn Read, bytes: &mut Vec<u8>, most: u64) -> io::Result<usize> {
    file.take(most).read_to_end(bytes)
}

/// The text of a file; `None` if there is none.
pub fn read_text(path: &Path) -> io::Result<Option<String>> {
    let not_text = |_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8");
    let bytes = read(path)?;
    bytes.map(String::from_utf8).transpose().map_err(not_text)
}

/// What is known of a file; `None` if there is none, and an error if it is something else.
pub fn regular(path: &Path) -> io::Result<Option<Metadata>> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    check(&metadata)?;
    Ok(Some(metadata))
}

fn check(metadata: &Metadata) -> io::Result<()> {
    if !metadata.is_file() {
        let words = format!("it is {}, and no file", kind(metadata));
        return Err(io::Error::new(ErrorKind::InvalidInput, words));
    }
    match metadata.len() > MOST_BYTES {
        true => Err(too_large(metadata.len())),
        false => Ok(()),
    }
}

fn too_large(bytes: u64) -> io::Error {
    let words = format!(
        "it has {} MiB or more, and {} are the most that flex reads",
        bytes >> 20,
        MOST_BYTES >> 20
    );
    io::Error::new(ErrorKind::FileTooLarge, words)
}

/// What something is that is no file.
fn kind(metadata: &Metadata) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let of = metadata.file_type();
        if of.is_fifo() {
            return "a named pipe";
        }
        if of.is_char_device() || of.is_block_device() {
            return "a device";
        }
        if of.is_socket() {
            return "a socket";
        }
    }
    match metadata.is_dir() {
        true => "a folder",
        false => "something else",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_up_to_their_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        assert_eq!(read(&path).unwrap(), None);
        fs::write(&path, "text").unwrap();
        assert_eq!(read_text(&path).unwrap(), Some("text".to_owned()));
        fs::write(&path, b"\xff").unwrap();
        assert!(read_text(&path).unwrap_err().to_string().contains("UTF-8"));
        // A hole takes no room on the disk.
        File::options()
            .write(true)
            .open(&path)
            .and_then(|file| file.set_len(MOST_BYTES + 1))
            .unwrap();
        let error = read(&path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
        assert!(error.to_string().contains("256 are the most"), "{error}");
        let error = read(folder.path()).unwrap_err();
        assert_eq!(error.to_string(), "it is a folder, and no file");
    }
}
