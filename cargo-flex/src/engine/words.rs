//! What a worker said last, which is what people need to know of it.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use flex_run::text_file;

/// So many bytes from the end of a file are looked at.
const MOST_BYTES: u64 = 4096;

/// So many lines are shown.
const LINES: usize = 6;

/// The last lines of a file; nothing if it cannot be read.
pub fn last_words(path: &Path) -> String {
    let read = || -> std::io::Result<Vec<u8>> {
        let Some(file) = text_file::open(path)? else {
            return Ok(Vec::new());
        };
        let mut file = file.into_inner();
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(MOST_BYTES)))?;
        let mut bytes = Vec::new();
        file.take(MOST_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    last_lines(&String::from_utf8_lossy(&read().unwrap_or_default()))
}

/// The last lines of a text that hold anything.
pub fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_much_that_was_said_the_end_is_shown() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("said");
        assert_eq!(last_words(&file), "");
        let lines: String = (0..10_000).map(|line| format!("line {line}\n\n")).collect();
        std::fs::write(&file, lines).unwrap();
        let words = last_words(&file);
        assert_eq!(words.lines().count(), LINES);
        assert!(words.starts_with("line 9994\n") && words.ends_with("\nline 9999"));
    }
}
