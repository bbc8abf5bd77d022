//! Merging, measured: how often git cannot merge the bounds files of two branches that each added a test, and whether
//! flex then can.

use std::path::Path;
use std::process::Command;

use flex_bounds::file::{BoundsFile, Entry, edit, resolve};
use flex_core::tail::Tail;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::seeded;
use super::values::{Values, learn};
use crate::process::target;

/// Pairs of branches for each row.
pub const PAIRS: usize = 300;

/// Entries in the file that both branches start from.
pub const ENTRIES: [usize; 5] = [0, 3, 10, 30, 100];

/// Pairs of branches that start from a file of so many entries.
pub struct Merges {
    pub entries: usize,
    /// Pairs whose new tests have no old one between them.
    pub neighbours: usize,
    /// Pairs that git merged, neighbours and others.
    pub merged: [usize; 2],
    /// Pairs that git did not merge and flex put together, with both new entries and nothing in dispute.
    pub resolved: usize,
    /// What went wrong otherwise.
    pub problems: Vec<String>,
}

pub fn measure() -> Result<Vec<Merges>, String> {
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
        for tail in [Tail::Upper, Tail::Lower, Tail::Both] {
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
    entry.key.target = Some("test:suite".to_owned());
    entry.key.test = name.collect();
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
