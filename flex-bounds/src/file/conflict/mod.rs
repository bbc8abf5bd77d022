//! A file that version control could not merge: its text holds both sides between marks, and both can be read.
//!
//! Git marks lines, and knows nothing of entries. Taken apart into the file that either side had, and put together entry
//! by entry, most such files have no conflict at all: both sides added something in the same place. What really is in
//! dispute are entries that both sides have and that differ; whoever calibrates learns them anew.

use super::edit::graft;
use super::error::{Fault, ParseError, Parsed, conflict_mark, conflict_marker, place};
use super::{BoundsFile, Conflict, Key, merge};

/// Both sides of a file that version control could not merge, put together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The text of our side with what only theirs has, entries and comments.
    pub text: String,
    /// Entries about which the sides say different things, ordered by key. The text holds ours.
    pub disputed: Vec<Key>,
    /// Those of them that people decided on both sides not to enforce, which outlives a calibration.
    pub unenforced: Vec<Key>,
    /// The line of the first mark.
    pub line: usize,
}

/// Puts the sides of a text with conflict marks together; `None` if it has none.
///
/// The styles `merge`, `diff3` and `zdiff3` of git are understood; what both sides started from is not needed. Marks
/// that do not come in their order, and a side that is no bounds file, are errors that name the line.
pub fn resolve(text: &str) -> Result<Option<Resolved>, ParseError> {
    let Some((at, _)) = conflict_marker(text) else {
        return Ok(None);
    };
    let [ours, theirs] = sides(text).map_err(|fault| fault.locate(text))?;
    let merged = merge(None, &ours.read()?, &theirs.read()?);
    // Both sides were read just now, so what is wrong is not in their lines.
    let together = graft(&ours.text, &theirs.text);
    let keys = |is_meant: fn(&Conflict) -> bool| {
        let meant = merged.conflicts.iter().filter(|c| is_meant(c));
        meant.map(|conflict| conflict.key().clone()).collect()
    };
    match together {
        Ok(together) if together.parse().as_ref() == Ok(&merged.file) => Ok(Some(Resolved {
            text: together,
            disputed: keys(|_| true),
            unenforced: keys(|conflict| {
                let sides = [conflict.ours(), conflict.theirs()];
                sides.iter().all(|s| s.is_some_and(|e| e.unenforced))
            }),
            line: place(text, at).0,
        })),
        // People may write entries in ways that cannot be cut out and put in elsewhere.
        _ => Err(unclear(at, "<<<<<<<").locate(text)),
    }
}

/// The file that one side had.
#[derive(Default)]
struct Side {
    text: String,
    /// Where each of its lines stands in the text with the marks.
    lines: Vec<usize>,
}

impl Side {
    fn push(&mut self, line: &str, number: usize) {
        self.text.push_str(line);
        self.lines.push(number);
    }

    fn read(&self) -> Result<BoundsFile, ParseError> {
        self.text.parse().map_err(|error: ParseError| {
            let last = self.lines.last().copied().unwrap_or(1);
            let index = error.line.saturating_sub(1);
            ParseError {
                line: self.lines.get(index).copied().unwrap_or(last),
                message: format!("on one side of a merge conflict, {}", error.message),
                ..error
            }
        })
    }
}

/// Where a line stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Common,
    Ours,
    Base,
    Theirs,
}

fn sides(text: &str) -> Parsed<[Side; 2]> {
    let [mut ours, mut theirs] = [Side::default(), Side::default()];
    let mut part = Part::Common;
    let (mut at, mut opened) = (0, 0);
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let number = index + 1;
        part = match (conflict_mark(line), part) {
            (None, part) => {
                if matches!(part, Part::Common | Part::Ours) {
                    ours.push(line, number);
                }
                if matches!(part, Part::Common | Part::Theirs) {
                    theirs.push(line, number);
                }
                part
            }
            (Some("<<<<<<<"), Part::Common) => {
                opened = at;
                Part::Ours
            }
            (Some("|||||||"), Part::Ours) => Part::Base,
            (Some("======="), Part::Ours | Part::Base) => Part::Theirs,
            (Some(">>>>>>>"), Part::Theirs) => Part::Common,
            (Some(marker), _) => return Err(unclear(at, marker)),
        };
        at += line.len();
    }
    match part {
        Part::Common => Ok([ours, theirs]),
        _ => Err(unclear(opened, "<<<<<<<")),
    }
}

fn unclear(at: usize, marker: &str) -> Fault {
    Fault::new(
        at,
        format!(
            "`{marker}` marks a merge conflict that flex cannot take apart; keep the entries of both sides and delete \
             the marks"
        ),
    )
}

#[cfg(test)]
mod tests;
