//! Reading the entries of one test from a file of many, without reading the many.
//!
//! A test process needs a handful of entries, and often there is one process per test. So the entries that certainly
//! belong to other tests are cut out of the text before it is parsed. What does not look as flex writes it is not cut
//! out but parsed, and what could make a cut go wrong is left to the parser as a whole.
//!
//! Tests are mostly built without optimisation, hence the plain loops: there, each call in a loop over bytes counts.

use super::{BoundsFile, ParseError};

impl BoundsFile {
    /// Reads the entries of one test from the text of a file: all its sites, cases and variants.
    ///
    /// This is what reading the whole file and dropping all other entries gives, but quicker. A problem in an entry of
    /// another test may go unnoticed; one in an entry of this test, in the version or in the last entry of the file, and
    /// a merge conflict anywhere, is the error that reading the whole file gives.
    pub fn select(text: &str, target: Option<&str>, test: &str) -> Result<BoundsFile, ParseError> {
        let excerpt = excerpt(text, target, test).and_then(|excerpt| excerpt.parse().ok());
        // What the excerpt does not give, the whole text does, or it knows the line of what is wrong.
        let mut file: BoundsFile = match excerpt {
            Some(file) => file,
            None => text.parse()?,
        };
        file.entries
            .retain(|entry| entry.key.target.as_deref() == target && entry.key.test == test);
        Ok(file)
    }
}

const HEADER: &str = "[[bound]]";

/// The text without the entries that are certainly of other tests; `None` if it is not safe to cut.
fn excerpt(text: &str, target: Option<&str>, test: &str) -> Option<String> {
    if has_three_of_a_kind(text.as_bytes()) {
        return None;
    }
    let mut excerpt = String::new();
    let mut start = 0;
    let mut at = 0;
    while let Some(found) = text.get(at..)?.find('[') {
        let bracket = at + found;
        match bracket_at(text, bracket) {
            Bracket::Value => at = bracket + 1,
            Bracket::Header => {
                let block = text.get(start..bracket)?;
                if start == 0 || !is_of_another_test(block, target, test) {
                    excerpt.push_str(block);
                }
                start = bracket;
                at = bracket + HEADER.len();
            }
            Bracket::Strange => return None,
        }
    }
    // The last entry is read whosever it is: a file that was cut short is cut there.
    excerpt.push_str(text.get(start..)?);
    Some(excerpt)
}

/// Whether something stands three times in a row that can make a line other than it looks: the quotes around a text of
/// several lines, or a mark of version control's (which are seven in a row).
fn has_three_of_a_kind(bytes: &[u8]) -> bool {
    // One of any three neighbours is seen by looking at each third byte. Four of those in one go save half the time.
    let (chunks, _) = bytes.as_chunks::<12>();
    let mut index = 0;
    while index < chunks.len() {
        let c = &chunks[index];
        let repeats = IS_SUSPECT[c[1] as usize] && (c[0] == c[1] || c[1] == c[2])
            || IS_SUSPECT[c[4] as usize] && (c[3] == c[4] || c[4] == c[5])
            || IS_SUSPECT[c[7] as usize] && (c[6] == c[7] || c[7] == c[8])
            || IS_SUSPECT[c[10] as usize] && (c[9] == c[10] || c[10] == c[11]);
        if repeats && repeats_twice(bytes, index * 12) {
            return true;
        }
        index += 1;
    }
    repeats_twice(bytes, chunks.len() * 12)
}

static IS_SUSPECT: [bool; 256] = {
    let mut suspect = [false; 256];
    let mut rest: &[u8] = b"\"'<=>|";
    while let [byte, more @ ..] = rest {
        suspect[*byte as usize] = true;
        rest = more;
    }
    suspect
};

/// Whether one of the twelve bytes from here on, or what remains of them, is one of three suspects of a kind.
fn repeats_twice(bytes: &[u8], start: usize) -> bool {
    let first = start.saturating_sub(2);
    let around = bytes.get(first..bytes.len().min(start + 14));
    around
        .unwrap_or_default()
        .windows(3)
        .any(|three| IS_SUSPECT[three[0] as usize] && three[0] == three[1] && three[1] == three[2])
}

enum Bracket {
    /// Somewhere in a line, so it opens no table.
    Value,
    /// `[[bound]]` as flex writes it.
    Header,
    /// A table of another kind, or spelt in another way.
    Strange,
}

/// What the bracket at this offset is. Without texts of several lines, a line that starts with a bracket is a table, or
/// an array that is written over several lines.
fn bracket_at(text: &str, bracket: usize) -> Bracket {
    let bytes = text.as_bytes();
    let mut before = bracket;
    while before > 0 && matches!(bytes[before - 1], b' ' | b'\t') {
        before -= 1;
    }
    let starts_line = before == 0 || bytes[before - 1] == b'\n';
    if !starts_line {
        return Bracket::Value;
    }
    let whole = before == bracket && text.get(bracket..bracket + HEADER.len()) == Some(HEADER);
    if whole && line_end(text, bracket + HEADER.len()).is_some() {
        Bracket::Header
    } else {
        Bracket::Strange
    }
}

/// Where the next line starts, if this one ends here.
fn line_end(text: &str, at: usize) -> Option<usize> {
    match text.as_bytes().get(at..)? {
        [b'\n', ..] => Some(at + 1),
        [b'\r', b'\n', ..] => Some(at + 2),
        _ => None,
    }
}

/// Whether the first lines of an entry, as flex writes them, name another target or another test.
fn is_of_another_test(block: &str, target: Option<&str>, test: &str) -> bool {
    let Some(mut at) = line_end(block, HEADER.len()) else {
        return false;
    };
    if let Some(value) = text_value(block, at, "target = ") {
        if Some(value) != target {
            return true;
        }
        let Some(next) = line_end(block, at + "target = ''".len() + value.len()) else {
            return false;
        };
        at = next;
    }
    text_value(block, at, "test = ").is_some_and(|value| value != test)
}

/// The text that a line gives to a key, if the line starts like this and the text is written without escapes.
fn text_value<'a>(block: &'a str, at: usize, key: &str) -> Option<&'a str> {
    let start = at + key.len() + 1;
    if block.get(at..start - 1) != Some(key) {
        return None;
    }
    let quote = match block.as_bytes().get(start - 1) {
        Some(b'"') => '"',
        Some(b'\'') => '\'',
        _ => return None,
    };
    let rest = block.get(start..)?;
    let value = rest.get(..rest.find(quote)?)?;
    (quote == '\'' || !value.contains('\\')).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds_file::Entry;
    use crate::bounds_file::tests::{entry, file};

    const TARGET: Option<&str> = Some("test:sketch");

    fn named(test: &str) -> Entry {
        let mut entry = entry("x<_");
        entry.key.test = test.to_owned();
        entry
    }

    /// Asserts that one entry of test `b` is selected, and whether the entries before it were cut out for that.
    fn check(text: &str, quick: bool) {
        let selected = BoundsFile::select(text, TARGET, "b").unwrap();
        assert_eq!(selected, file([named("b")]), "{text}");
        let excerpt = excerpt(text, TARGET, "b");
        assert_eq!(
            excerpt.is_some_and(|e| e.len() < text.len()),
            quick,
            "{text}"
        );
    }

    #[test]
    fn entries_of_other_tests_are_not_read() {
        let text = file(["a", "b", "bb", "c"].map(named)).to_string();
        check(&text, true);
        check(&text.replace('\n', "\r\n"), true);
        check(&format!("\u{feff}{text}"), true);
        check(&text.replacen("ceiling = 0.0931", "ceiling = =", 1), true);
        check(&text.replacen("\"a\"", "'a'", 1), true);
        check(&text.replacen("\"a\"", "\"a\" # by hand", 1), true);
    }

    #[test]
    fn what_is_written_in_another_way_is_read() {
        let text = file(["a", "b", "c"].map(named)).to_string();
        let other = |old: &str, new: &str, quick| check(&text.replacen(old, new, 1), quick);
        other("[[bound]]", "[[ bound ]]", false);
        other("[[bound]]", " [[bound]]", false);
        other("[[bound]]", "[[bound]] # first", false);
        other(
            "reached = \"always\"",
            "reached = \"\"\"always\"\"\"",
            false,
        );
        let test_b = "test = \"b\"";
        for spelt in [
            "test=\"b\"",
            "test = 'b'",
            "test = \"\\u0062\"",
            "\"test\" = \"b\"",
        ] {
            other(test_b, spelt, true);
        }
        other(
            "target = \"test:sketch\"\ntest = \"b\"",
            "test = \"b\"\ntarget = 'test:sketch'",
            true,
        );
    }

    #[test]
    fn an_entry_in_a_text_of_several_lines_is_none() {
        let mut text = file([named("a"), named("z")]).to_string();
        let b = file([named("b")]).to_string();
        let b = b.split_once("\n\n").unwrap().1;
        text = text.replacen("\"flex 0.1, chacha8\"", &format!("'''\n{b}\n'''"), 1);
        let selected = BoundsFile::select(&text, TARGET, "b");
        assert_eq!(selected, Ok(BoundsFile::default()));
    }

    #[test]
    fn three_of_a_kind_are_seen_wherever_they_are() {
        for length in 0..40 {
            for at in 0..length {
                let mut bytes = vec![b'a'; length];
                bytes[at] = b'"';
                bytes[(at + 1).min(length - 1)] = b'"';
                assert!(!has_three_of_a_kind(&bytes), "two at {at} of {length}");
                if at + 2 < length {
                    bytes[at + 2] = b'"';
                    assert!(has_three_of_a_kind(&bytes), "three at {at} of {length}");
                }
            }
        }
    }

    #[test]
    fn what_concerns_the_test_is_an_error() {
        let text = file(["a", "b", "c"].map(named)).to_string();
        let check = |broken: String, test: &str| {
            let error = BoundsFile::select(&broken, TARGET, test).unwrap_err();
            assert_eq!(Err(error), broken.parse::<BoundsFile>(), "{broken}");
        };
        check(text.replace("version = 1", "version = 2"), "b");
        check(text.replace("version = 1\n", ""), "b");
        check(text.replace("\"b\"\n", "\"b\"\nceiling = 0.1\n"), "b");
        check(text.replace("test = \"a\"", "tets = \"a\""), "b");
        check(text.replace("\"c\"", "\"b\""), "b");
        check(text[..text.len() - 10].to_owned(), "b");
        for marker in ["<<<<<<< HEAD", "=======", ">>>>>>> theirs", "||||||| base"] {
            check(text.replacen("site", &format!("{marker}\nsite"), 1), "c");
        }
    }
}
