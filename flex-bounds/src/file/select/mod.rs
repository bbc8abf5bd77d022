//! Reading the entries of one test from a file of many, without reading the many.
//!
//! A test process needs a handful of entries, and often there is one process per test. So the entries that certainly
//! belong to other tests are cut out of the text before it is parsed. Where a cut could go wrong, all of it is parsed.
//!
//! Tests are mostly built without optimisation, hence the plain loops: there, each call in a loop over bytes counts.

use flex_core::sorted::sort;

use super::parse::HEADER;
use super::{BoundsFile, ParseError};
use crate::TestId;

impl BoundsFile {
    /// Reads the entries of one test from the text of a file: all its sites, cases and variants.
    ///
    /// This is what reading the whole file and dropping all other entries gives, but quicker. A problem in an entry of
    /// another test may go unnoticed; one in an entry of this test, in the version or in the last entry of the file, and
    /// a merge conflict anywhere, is the error that reading the whole file gives.
    pub fn select(text: &str, test: &TestId) -> Result<BoundsFile, ParseError> {
        let excerpt = excerpt(text, test.name()).and_then(|excerpt| excerpt.parse().ok());
        // What the excerpt does not give, the whole text does, or it knows the line of what is wrong.
        let mut file: BoundsFile = match excerpt {
            Some(file) => file,
            None => text.parse()?,
        };
        file.entries.retain(|entry| entry.key.test == *test);
        Ok(file)
    }
}

/// The text without the entries that are certainly of other tests; `None` if it is not safe to cut.
///
/// An entry of the test has the test's name in quotes, or spells it with a backslash.
fn excerpt(text: &str, test: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let has_apostrophes = text.contains('\'');
    if has_apostrophes && text.contains("'''") || may_deceive(bytes) {
        return None;
    }
    let mut places = occurrences(bytes, format!("\"{test}\"").as_bytes());
    if has_apostrophes {
        places.extend(occurrences(bytes, format!("'{test}'").as_bytes()));
    }
    places.extend(text.match_indices('\\').map(|(at, _)| at));
    // The last entry is read whosever it is: a file that was cut short is cut there.
    places.push(bytes.len());
    sort(&mut places, |a, b| a < b);
    let head = next_header(text, 0);
    let mut excerpt = text.get(..head)?.to_owned();
    let mut end = head;
    for place in places {
        // Not what stands in the head, or in an entry that is there already.
        if place >= end {
            let start = last_header(text, place).max(end);
            end = next_header(text, place);
            excerpt.push_str(text.get(start..end)?);
        }
    }
    Some(excerpt)
}

/// Where the next entry starts, at this place or after it, as flex writes it; else the end of the text.
fn next_header(text: &str, from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    let mut headers = rest.match_indices(HEADER).map(|(at, _)| from + at);
    headers
        .find(|at| is_header(text, *at))
        .unwrap_or(text.len())
}

/// Where the last entry before this place starts, as flex writes it; else the start of the text.
fn last_header(text: &str, before: usize) -> usize {
    let rest = text.get(..before).unwrap_or_default();
    let mut headers = rest.rmatch_indices(HEADER).map(|(at, _)| at);
    headers.find(|at| is_header(text, *at)).unwrap_or(0)
}

/// Whether the header at this place has a line to itself.
fn is_header(text: &str, at: usize) -> bool {
    let (before, after) = text.split_at(at);
    let after = &after[HEADER.len()..];
    (before.is_empty() || before.ends_with('\n'))
        && (after.starts_with('\n') || after.starts_with("\r\n"))
}

/// Where a text stands in another (Horspool 1980: look at the byte under the last one of the needle, and step as far
/// as that allows).
fn occurrences(bytes: &[u8], needle: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let last = needle.len() - 1;
    let mut steps = [needle.len(); 256];
    let mut at = 0;
    while at < last {
        steps[needle[at] as usize] = last - at;
        at += 1;
    }
    let step_over = steps[needle[last] as usize];
    steps[needle[last] as usize] = 0;
    while at < bytes.len() {
        let mut step = steps[bytes[at] as usize];
        if step == 0 {
            if bytes[at - last..=at] == *needle {
                found.push(at - last);
            }
            step = step_over;
        }
        at += step;
    }
    found
}

/// Whether lines may be other than they look: within the quotes of a text of several lines, or between the marks of a
/// merge conflict.
fn may_deceive(bytes: &[u8]) -> bool {
    const QUOTE: u8 = b'"';
    // Of three quotes in a row one is seen by looking at each third byte, of seven marks by looking at each sixth.
    let (chunks, _) = bytes.as_chunks::<24>();
    let mut index = 0;
    while index < chunks.len() {
        let c = &chunks[index];
        let suspect = c[1] == QUOTE && (c[0] == QUOTE || c[2] == QUOTE)
            || c[4] == QUOTE && (c[3] == QUOTE || c[5] == QUOTE)
            || c[7] == QUOTE && (c[6] == QUOTE || c[8] == QUOTE)
            || c[10] == QUOTE && (c[9] == QUOTE || c[11] == QUOTE)
            || c[13] == QUOTE && (c[12] == QUOTE || c[14] == QUOTE)
            || c[16] == QUOTE && (c[15] == QUOTE || c[17] == QUOTE)
            || c[19] == QUOTE && (c[18] == QUOTE || c[20] == QUOTE)
            || c[22] == QUOTE && (c[21] == QUOTE || c[23] == QUOTE)
            || IS_MARK[c[4] as usize] && c[4] == c[3]
            || IS_MARK[c[10] as usize] && c[10] == c[9]
            || IS_MARK[c[16] as usize] && c[16] == c[15]
            || IS_MARK[c[22] as usize] && c[22] == c[21];
        if suspect && repeats(bytes, index * 24) {
            return true;
        }
        index += 1;
    }
    repeats(bytes, chunks.len() * 24)
}

static IS_MARK: [bool; 256] = {
    let mut is_mark = [false; 256];
    let mut rest: &[u8] = b"<=>|";
    while let [byte, more @ ..] = rest {
        is_mark[*byte as usize] = true;
        rest = more;
    }
    is_mark
};

/// Whether three quotes or seven marks in a row touch the 24 bytes from here on, or what remains of them.
fn repeats(bytes: &[u8], start: usize) -> bool {
    let around = |before: usize| {
        let end = bytes.len().min(start + 24 + before);
        bytes
            .get(start.saturating_sub(before)..end)
            .unwrap_or_default()
    };
    let same = |run: &[u8]| run.iter().all(|byte| *byte == run[0]);
    around(2).windows(3).any(|run| run[0] == b'"' && same(run))
        || around(6)
            .windows(7)
            .any(|run| IS_MARK[run[0] as usize] && same(run))
}

#[cfg(test)]
mod tests;
