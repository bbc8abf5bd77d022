//! Bounds files: read, selected from, written over, and put together after a merge.

use flex_bounds::TestId;
use flex_bounds::file::{BoundsFile, ParseError, Pieces, conflict_marker, edit, merge, resolve};

use super::two_texts;

/// A file is read or refused, whole and by the tests in it; what was read is written and read again.
pub fn bounds_file(bytes: &[u8]) {
    let read = BoundsFile::from_bytes(bytes);
    let Ok(text) = str::from_utf8(bytes) else {
        assert!(read.is_err(), "what is no text was read");
        return;
    };
    assert_eq!(text.parse(), read);
    match &read {
        Ok(file) => {
            let written = file.to_string();
            assert_eq!(written.parse().as_ref(), Ok(file), "{written}");
            assert_eq!(edit(text, file).as_deref(), Ok(text), "unchanged entries");
            for entry in file.entries() {
                let selected = BoundsFile::select(text, &entry.key.test);
                let selected = selected.expect("what is read whole is read in part");
                let of_test = file.entries().iter();
                let of_test = of_test.filter(|other| other.key.test == entry.key.test);
                assert!(selected.entries().iter().eq(of_test), "{text}");
            }
        }
        Err(error) => points_into(error, text),
    }
    for test in [TestId::cargo("lib", "t"), TestId::pytest("t")] {
        if let Err(error) = BoundsFile::select(text, &test) {
            assert_eq!(read.as_ref(), Err(&error), "{text}");
        }
    }
    both_readers_agree(text, &read);
}

/// A file with a tab on a line of its own is not laid out as flex does it, so the thorough reader reads it; it says the
/// same.
fn both_readers_agree(text: &str, read: &Result<BoundsFile, ParseError>) {
    if text.starts_with('\u{feff}') || text.is_empty() {
        return;
    }
    let by_hand = format!("\t\n{text}").parse::<BoundsFile>();
    let message = |error: &ParseError| error.message.clone();
    match (&by_hand, read) {
        // The other entry is on another line.
        (Err(one), Err(other)) if one.message.contains("has an entry on line") => {
            assert!(other.message.contains("has an entry on line"), "{other}");
        }
        // What is wrong with the whole file is said of its first line.
        _ => assert_eq!(
            by_hand.as_ref().map_err(message),
            read.as_ref().map_err(message),
            "{text}"
        ),
    }
    let mut pieces = Pieces::default();
    if pieces.push(text).is_some()
        && let Some(quickly) = pieces.finish()
    {
        assert_eq!(by_hand, Ok(quickly), "{text}");
    }
}

/// Writing over a file changes the entries that are to change and no others.
pub fn bounds_edit(bytes: &[u8]) {
    let Some((old_text, new_text)) = two_texts(bytes) else {
        return;
    };
    let Ok(old) = old_text.parse::<BoundsFile>() else {
        return;
    };
    // Another file, or this one with its entries deleted, changed and left alone in turn.
    let new = new_text.parse().unwrap_or_else(|_| {
        let mut new = old.clone();
        for (index, entry) in old.entries().iter().enumerate() {
            let mut entry = entry.clone();
            match (index + new_text.len()) % 3 {
                0 => drop(new.remove(&entry.key)),
                1 => {
                    entry.samples ^= 1;
                    // An entry may need the samples that it has.
                    let _ = new.insert(entry);
                }
                _ => {}
            }
        }
        new
    });
    let text = edit(old_text, &new).expect("what was read is written over");
    assert_eq!(text.parse().as_ref(), Ok(&new), "{old_text}\n=>\n{text}");
    assert_eq!(edit(&text, &new).as_ref(), Ok(&text), "a second time");
}

/// A file with conflict marks is put together or refused, and nothing of either side is lost.
pub fn bounds_conflict(bytes: &[u8]) {
    let Some((ours, theirs)) = two_texts(bytes) else {
        return;
    };
    resolves(ours);
    let (Ok(our_file), Ok(their_file)) = (ours.parse::<BoundsFile>(), theirs.parse::<BoundsFile>())
    else {
        return;
    };
    let conflict = format!("<<<<<<< ours\n{ours}\n=======\n{theirs}\n>>>>>>> theirs\n");
    let Some(resolved) = resolves(&conflict) else {
        return;
    };
    let merged = merge(None, &our_file, &their_file);
    assert_eq!(resolved.as_ref(), Ok(&merged.file), "{conflict}");
}

/// The entries of a text with conflict marks put together; `None` if that is refused or there are none.
fn resolves(text: &str) -> Option<Result<BoundsFile, ParseError>> {
    match resolve(text) {
        Err(error) => {
            points_into(&error, text);
            None
        }
        Ok(None) => {
            assert!(conflict_marker(text).is_none(), "{text}");
            None
        }
        Ok(Some(resolved)) => {
            assert!(conflict_marker(&resolved.text).is_none(), "{text}");
            let file = resolved.text.parse::<BoundsFile>();
            let read = file.as_ref().expect("both sides together are a file");
            for key in resolved.disputed.iter().chain(&resolved.unenforced) {
                assert!(read.get(key).is_some(), "{key} is disputed and not there");
            }
            Some(file)
        }
    }
}

/// An error says something, and names a line of the text.
fn points_into(error: &ParseError, text: &str) {
    let lines = text.split('\n').count();
    assert!((1..=lines).contains(&error.line), "{error} of {lines}");
    assert!(!error.message.is_empty());
}
