//! Unified diffs, as `git apply` and `patch -p1` read them.

use std::fmt::Write;
use std::ops::Range;

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// The difference between two texts of one file; nothing if there is none. `path` is written with slashes.
pub fn unified(path: &str, before: &str, after: &str) -> String {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let changes = changes(&old, &new);
    let mut diff = String::new();
    if changes.is_empty() {
        return diff;
    }
    // A tab ends a path that has spaces in it.
    let end = if path.contains(' ') { "\t" } else { "" };
    // Writing to a string cannot fail.
    let _ = write!(diff, "--- a/{path}{end}\n+++ b/{path}{end}\n");
    for hunk in hunks(&changes, old.len()) {
        write_hunk(&mut diff, &old, &new, &hunk);
    }
    diff
}

/// Lines of the old text that go, and lines of the new text that come in their place.
#[derive(Debug, Clone, PartialEq)]
struct Change {
    old: Range<usize>,
    new: Range<usize>,
}

/// Changes that are near to each other, with context.
struct Hunk<'a> {
    old: Range<usize>,
    changes: &'a [Change],
}

fn hunks(changes: &[Change], lines: usize) -> Vec<Hunk<'_>> {
    let are_near = |a: &Change, b: &Change| b.old.start - a.old.end <= 2 * CONTEXT;
    let chunks = changes.chunk_by(are_near);
    chunks
        .map(|changes| Hunk {
            old: changes[0].old.start.saturating_sub(CONTEXT)
                ..(changes[changes.len() - 1].old.end + CONTEXT).min(lines),
            changes,
        })
        .collect()
}

fn write_hunk(diff: &mut String, old: &[&str], new: &[&str], hunk: &Hunk<'_>) {
    let first = &hunk.changes[0];
    let new_start = hunk.old.start + first.new.start - first.old.start;
    let grown: usize = hunk.changes.iter().map(|change| change.new.len()).sum();
    let shrunk: usize = hunk.changes.iter().map(|change| change.old.len()).sum();
    let new_length = hunk.old.len() + grown - shrunk;
    let _ = writeln!(
        diff,
        "@@ -{} +{} @@",
        place(hunk.old.start, hunk.old.len()),
        place(new_start, new_length)
    );
    let mut at = hunk.old.start;
    for change in hunk.changes {
        write_lines(diff, ' ', &old[at..change.old.start]);
        write_lines(diff, '-', &old[change.old.clone()]);
        write_lines(diff, '+', &new[change.new.clone()]);
        at = change.old.end;
    }
    write_lines(diff, ' ', &old[at..hunk.old.end]);
}

/// Where a part of a file begins and how long it is; what is empty stands after the line that is named.
fn place(start: usize, length: usize) -> String {
    match length {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        _ => format!("{},{length}", start + 1),
    }
}

fn write_lines(diff: &mut String, mark: char, lines: &[&str]) {
    for line in lines {
        diff.push(mark);
        *diff += line;
        if !line.ends_with('\n') {
            *diff += "\n\\ No newline at end of file\n";
        }
    }
}

/// The shortest list of changes (Myers 1986: greedy paths through the edit graph, one more edit at a time).
fn changes(old: &[&str], new: &[&str]) -> Vec<Change> {
    let (n, m) = (old.len() as isize, new.len() as isize);
    // How far down the old text each diagonal has come, for every number of edits so far.
    let mut rounds: Vec<Vec<isize>> = Vec::new();
    for edits in 0..=n + m {
        let mut reached = vec![0; (2 * edits + 1) as usize];
        for diagonal in (-edits..=edits).step_by(2) {
            let mut x = match rounds.last() {
                None => 0,
                Some(before) => step(before, edits, diagonal),
            };
            while x < n && x - diagonal < m && old[x as usize] == new[(x - diagonal) as usize] {
                x += 1;
            }
            reached[(diagonal + edits) as usize] = x;
            if x >= n && x - diagonal >= m {
                rounds.push(reached);
                return walk_back(&rounds, n, m);
            }
        }
        rounds.push(reached);
    }
    Vec::new()
}

/// Where a diagonal stands after one more edit, given what the round before reached.
fn step(before: &[isize], edits: isize, diagonal: isize) -> isize {
    let at = |diagonal: isize| {
        let index = diagonal + edits - 1;
        usize::try_from(index)
            .ok()
            .and_then(|index| before.get(index))
            .copied()
    };
    match (at(diagonal - 1), at(diagonal + 1)) {
        (Some(left), Some(right)) if left < right => right,
        (Some(left), _) => left + 1,
        (None, right) => right.unwrap_or(0),
    }
}

fn walk_back(rounds: &[Vec<isize>], n: isize, m: isize) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    let (mut x, mut y) = (n, m);
    for edits in (1..rounds.len() as isize).rev() {
        let diagonal = x - y;
        let before = &rounds[(edits - 1) as usize];
        let start = step(before, edits, diagonal);
        // The edit came from the diagonal on the other side: down if the old line stayed, right if it went.
        let at = |diagonal: isize| {
            let index = usize::try_from(diagonal + edits - 1).ok();
            index.and_then(|index| before.get(index)).copied()
        };
        let (from_x, from_y) = if at(diagonal + 1) == Some(start) {
            (start, start - diagonal - 1)
        } else {
            (start - 1, start - diagonal)
        };
        let edit = Change {
            old: from_x as usize..start as usize,
            new: from_y as usize..(start - diagonal) as usize,
        };
        match changes.last_mut() {
            Some(last) if last.old.start == edit.old.end && last.new.start == edit.new.end => {
                last.old.start = edit.old.start;
                last.new.start = edit.new.start;
            }
            _ => changes.push(edit),
        }
        (x, y) = (from_x, from_y);
    }
    changes.reverse();
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_line_has_its_context() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let after = before.replace('5', "five");
        let expected =
            "--- a/x.py\n+++ b/x.py\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n";
        assert_eq!(unified("x.py", before, &after), expected);
        assert_eq!(unified("x.py", before, before), "");
    }

    #[test]
    fn changes_far_apart_are_hunks_of_their_own() {
        let before: String = (0..40).map(|i| format!("{i}\n")).collect();
        let after = format!("new\n{}", before.replace("30\n", "thirty\n"));
        let diff = unified("x", &before, &after);
        assert!(diff.contains("@@ -1,3 +1,4 @@\n+new\n 0\n"), "{diff}");
        assert!(diff.contains("@@ -28,7 +29,7 @@\n 27\n"), "{diff}");
    }

    #[test]
    fn a_missing_end_of_line_is_said() {
        let diff = unified("x", "a\nb", "a\nc");
        let expected = " a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n";
        assert!(diff.ends_with(expected), "{diff}");
    }

    #[test]
    fn the_changes_lead_from_one_text_to_the_other() {
        // Every pair of texts of up to four lines out of three.
        let texts: Vec<Vec<&str>> = (0..121)
            .map(|code| {
                let mut rest = code;
                let mut text = Vec::new();
                while rest > 0 {
                    text.push(["a\n", "b\n", "c\n"][(rest - 1) % 3]);
                    rest = (rest - 1) / 3;
                }
                text
            })
            .collect();
        for old in &texts {
            for new in &texts {
                let mut made: Vec<&str> = Vec::new();
                let mut at = 0;
                for change in changes(old, new) {
                    made.extend(&old[at..change.old.start]);
                    made.extend(&new[change.new.clone()]);
                    at = change.old.end;
                }
                made.extend(&old[at..]);
                assert_eq!(&made, new, "from {old:?}");
            }
        }
    }
}
