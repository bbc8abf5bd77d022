//! Merging, measured: how often git cannot merge the bounds files of two branches that each added a test, and whether
//! flex then can.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use flex_bounds::TestId;
use flex_bounds::file::{BoundsFile, Entry, edit, resolve};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use xtask::process::target;

use super::runs::seeded;
use super::values::{TAILS, Values, learn};
use crate::page::Section;

/// Pairs of branches for each row.
const PAIRS: usize = 300;

/// Entries in the file that both branches start from.
const ENTRIES: [usize; 5] = [0, 3, 10, 30, 100];

/// The section of the part `merging`.
pub fn section() -> Result<Section, String> {
    let mut text = format!(
        "## Two branches

Two branches start from one bounds file, and each adds a test with a bound; the names fall anywhere in the alphabet. An
entry stands in a block of its own, in the order of names, and nothing else in the file changes: no count, no date, no
other bound. So git merges the two in the usual case, which is that an old test stands between the two new ones, by
target and name. Where both new blocks go into the same gap, git cannot know which comes first and leaves it to people;
no spelling of the entries changes that, only a file for each entry would.
{PAIRS} pairs of branches for each row, with `git merge-file`:

| entries before | not neighbours | merged by git | neighbours | merged by git | else by one `calibrate` |
|---|---|---|---|---|---|
"
    );
    let mut missed = Vec::new();
    for row in measure()? {
        let others = PAIRS - row.neighbours;
        let conflicts = row.neighbours + others - row.merged[0] - row.merged[1];
        let _ = writeln!(
            text,
            "| {} | {others} | {} | {} | {} | {} of {conflicts} |",
            row.entries, row.merged[1], row.neighbours, row.merged[0], row.resolved
        );
        if row.merged[1] < others {
            let conflicts = others - row.merged[1];
            missed.push(format!(
                "{conflicts} conflicts between tests that are no neighbours, of {} entries",
                row.entries
            ));
        }
        missed.extend(row.problems);
    }
    text += "
Where git leaves conflict marks, `cargo test` fails and names file and line, and one `cargo flex calibrate` puts both sides
together: entries that only one side has stay to the byte, comments too, and entries on which the sides differ are
learned anew, from the merged code. `tests/tests/merge.rs` does this with real repositories and real crates, in all three
of git's conflict styles.
";
    Ok(Section {
        text,
        missed,
        ..Section::default()
    })
}

/// Pairs of branches that start from a file of so many entries.
struct Merges {
    entries: usize,
    /// Pairs whose new tests have no old one between them.
    neighbours: usize,
    /// Pairs that git merged, neighbours and others.
    merged: [usize; 2],
    /// Pairs that git did not merge and flex put together, with both new entries and nothing in dispute.
    resolved: usize,
    /// Everything else that went wrong.
    problems: Vec<String>,
}

fn measure() -> Result<Vec<Merges>, String> {
    let folder = target().join("harness/merging");
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let pool = learned();
    let rows = ENTRIES.iter().enumerate();
    rows.map(|(row, entries)| {
        let mut rng = seeded("merging", row);
        let mut merges = Merges {
            entries: *entries,
            neighbours: 0,
            merged: [0; 2],
            resolved: 0,
            problems: Vec::new(),
        };
        for _ in 0..PAIRS {
            merges.one_more(&folder, &pool, &mut rng)?;
        }
        Ok(merges)
    })
    .collect()
}

impl Merges {
    /// Two branches add a test each, whose names fall where chance will have them.
    fn one_more(
        &mut self,
        folder: &Path,
        pool: &[Entry],
        rng: &mut ChaCha8Rng,
    ) -> Result<(), String> {
        let old: Vec<Entry> = (0..self.entries).map(|_| named(pool, rng)).collect();
        let new = [named(pool, rng), named(pool, rng)];
        let (left, right) = (&new[0].key, &new[1].key);
        let between = |e: &&Entry| (left < &e.key) != (right < &e.key);
        let are_neighbours = !old.iter().any(|e| between(&e));
        let base = file(&old)?;
        let base_text = base.to_string();
        let both = file(&[&old[..], &new].concat())?;
        for (name, added) in [
            ("ours", Some(&new[0])),
            ("base", None),
            ("theirs", Some(&new[1])),
        ] {
            let mut branch = base.clone();
            if let Some(added) = added {
                branch.insert(added.clone()).map_err(|e| e.to_string())?;
            }
            // As the store writes it.
            let text = edit(&base_text, &branch).map_err(|e| e.to_string())?;
            std::fs::write(folder.join(name), text).map_err(|e| e.to_string())?;
        }
        self.neighbours += usize::from(are_neighbours);
        let output = Command::new("git")
            .current_dir(folder)
            .args(["merge-file", "-p", "ours", "base", "theirs"])
            .output()
            .map_err(|error| format!("cannot run git: {error}"))?;
        let text = String::from_utf8(output.stdout).map_err(|error| error.to_string())?;
        if output.status.success() {
            self.merged[usize::from(!are_neighbours)] += 1;
            if text.parse() != Ok(both) {
                self.problems.push(format!("git merged wrongly:\n{text}"));
            }
            return Ok(());
        }
        match resolve(&text) {
            Ok(Some(resolved))
                if resolved.disputed.is_empty() && resolved.text.parse() == Ok(both) =>
            {
                self.resolved += 1;
            }
            other => self.problems.push(format!("{other:?}:\n{text}")),
        }
        Ok(())
    }
}

/// Entries of many kinds of values.
fn learned() -> Vec<Entry> {
    const EACH: usize = 10;
    let mut rng = seeded("entries", 0);
    let mut pool = Vec::new();
    for values in Values::ALL {
        for tail in TAILS {
            let mut learn = || learn(&values.runs(100, 0.0, &mut rng), tail).0;
            pool.extend((0..EACH).map(|_| learn()));
        }
    }
    pool
}

/// One of the entries, for a test somewhere in the alphabet.
fn named(pool: &[Entry], rng: &mut ChaCha8Rng) -> Entry {
    let mut entry = pool[rng.random_range(0..pool.len())].clone();
    let name = (0..8).map(|_| char::from(rng.random_range(b'a'..=b'z')));
    entry.key.test = TestId::cargo("test:suite", name.collect::<String>());
    entry.fingerprint = Some(format!("{:08x}", rng.random::<u32>()));
    entry.calibrated = Some("2026-11-16".to_owned());
    entry.base = Some(format!("{:08x}", rng.random::<u32>()));
    entry.engine = Some("flex 0.1.0, chacha8".to_owned());
    entry
}

fn file(entries: &[Entry]) -> Result<BoundsFile, String> {
    let mut file = BoundsFile::default();
    for entry in entries {
        file.insert(entry.clone()).map_err(|e| e.to_string())?;
    }
    Ok(file)
}
