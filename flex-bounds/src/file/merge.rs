//! Merging two bounds files entry by entry, so that two branches, or two processes, can both have learned something.

use flex_core::sorted::SortedSet;

use super::{BoundsFile, Entry, Key};

/// A merged file and what could not be merged.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Merged {
    /// The union of both files. Where there is a conflict it holds what ours held.
    pub file: BoundsFile,
    /// What somebody must decide, ordered by key.
    pub conflicts: Vec<Conflict>,
}

/// One site about which the two files say different things, and neither is known to be older.
#[derive(Debug, Clone, PartialEq)]
pub struct Conflict {
    key: Key,
    ours: Option<Entry>,
    theirs: Option<Entry>,
}

impl Conflict {
    /// The site in question.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// Our entry, which stays in the merged file; `None` if we deleted what they changed.
    pub fn ours(&self) -> Option<&Entry> {
        self.ours.as_ref()
    }

    /// Their entry; `None` if they deleted what we changed.
    pub fn theirs(&self) -> Option<&Entry> {
        self.theirs.as_ref()
    }
}

/// Merges two files, with the file that both started from where it is known.
///
/// Against a base, the side that changed, added or deleted an entry wins over the side that left it alone. Without
/// one, an entry that only one side has is kept. Whatever two sides disagree about is a conflict.
pub fn merge(base: Option<&BoundsFile>, ours: &BoundsFile, theirs: &BoundsFile) -> Merged {
    let mut keys: SortedSet<&Key> = SortedSet::new();
    for entry in ours.entries.iter().chain(&theirs.entries) {
        keys.insert(&entry.key);
    }
    let mut merged = Merged::default();
    for &key in keys.as_slice() {
        let (our, their) = (ours.get(key), theirs.get(key));
        let kept = match base {
            _ if our == their => our,
            Some(base) if base.get(key) == our => their,
            Some(base) if base.get(key) == their => our,
            None if our.is_none() || their.is_none() => our.or(their),
            _ => {
                merged.conflicts.push(Conflict {
                    key: key.clone(),
                    ours: our.cloned(),
                    theirs: their.cloned(),
                });
                our
            }
        };
        // The keys come in order, so the entries do.
        merged.file.entries.extend(kept.cloned());
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::tests::{entry, file};

    /// A file in a few letters: each word is a site and the number of its samples, which stands for its contents.
    fn read(words: &str) -> BoundsFile {
        file(words.split_whitespace().map(|word| {
            let (site, samples) = word.split_at(1);
            let mut entry = entry(site);
            entry.samples = samples.parse().unwrap();
            entry
        }))
    }

    fn show(file: &BoundsFile) -> String {
        let words: Vec<String> = file
            .entries()
            .iter()
            .map(|entry| format!("{}{}", entry.key.site, entry.samples))
            .collect();
        words.join(" ")
    }

    /// Merges both ways round; the conflicts must be the same sites, and what is not in conflict the same entries.
    fn check(base: Option<&str>, ours: &str, theirs: &str, expected: &str, conflicts: &str) {
        let base = base.map(read);
        let (ours, theirs) = (read(ours), read(theirs));
        let merged = merge(base.as_ref(), &ours, &theirs);
        assert_eq!(show(&merged.file), expected);
        let sites: Vec<&str> = merged
            .conflicts
            .iter()
            .map(|c| c.key().site.text.as_str())
            .collect();
        assert_eq!(sites.join(" "), conflicts);

        let mut mirrored = merge(base.as_ref(), &theirs, &ours);
        for conflict in &mirrored.conflicts {
            assert_eq!(mirrored.file.get(conflict.key()), conflict.ours());
        }
        for conflict in &mut mirrored.conflicts {
            std::mem::swap(&mut conflict.ours, &mut conflict.theirs);
            mirrored.file.remove(&conflict.key);
            mirrored.file.entries.extend(conflict.ours.clone());
        }
        mirrored.file.entries.sort_by(|a, b| a.key.cmp(&b.key));
        assert_eq!(mirrored, merged);
    }

    #[test]
    fn entries_of_either_side_are_kept() {
        check(None, "a1 c1", "b1 c1", "a1 b1 c1", "");
        check(None, "", "b1", "b1", "");
        check(Some(""), "a1", "b1", "a1 b1", "");
    }

    #[test]
    fn the_side_that_changed_an_entry_wins() {
        check(Some("a1 b1"), "a2 b1", "a1 b2", "a2 b2", "");
        check(Some("a1"), "a2", "a2", "a2", "");
    }

    #[test]
    fn a_deletion_wins_over_an_unchanged_entry() {
        check(Some("a1 b1 c1"), "b1", "a1 b1", "b1", "");
    }

    #[test]
    fn two_changes_are_a_conflict_and_ours_stays() {
        check(None, "a1 b1", "a2 b1", "a1 b1", "a");
        check(Some("a1"), "a2", "a3", "a2", "a");
        check(Some(""), "a2", "a3", "a2", "a");
    }

    #[test]
    fn a_deletion_against_a_change_is_a_conflict() {
        check(Some("a1 b1"), "b2", "a2", "b2", "a b");
    }

    #[test]
    fn a_conflict_holds_both_entries() {
        let (ours, theirs) = (read("a1"), read("a2"));
        let merged = merge(None, &ours, &theirs);
        let conflict = &merged.conflicts[0];
        assert_eq!(conflict.ours(), ours.entries().first());
        assert_eq!(conflict.theirs(), theirs.entries().first());
    }
}
