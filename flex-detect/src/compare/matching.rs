//! Which assertions of two versions of a test are the same one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::seen::{SeenTest, SeriesFacts, SeriesKey, Value};

/// A series that has another identity in the new version, and sees the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Renamed {
    /// What it was.
    pub old: SeriesKey,
    /// What it is.
    pub new: SeriesKey,
}

impl Renamed {
    /// What a series of the old version is called in the new one.
    pub fn new_key<'a>(renamed: &'a [Renamed], old: &'a SeriesKey) -> &'a SeriesKey {
        let found = renamed.iter().find(|renamed| renamed.old == *old);
        found.map_or(old, |renamed| &renamed.new)
    }
}

/// The series that only one version has and that saw the same in all runs, to the bit: whoever rewrites an assertion changes
/// its text, not its values. One that sees the same number in all runs could be any other, and is never renamed.
pub fn renamed(old: &SeenTest, new: &SeenTest) -> Vec<Renamed> {
    let (gone, added) = unmatched(&old.series, &new.series, &[]);
    let mut found: Vec<Renamed> = Vec::new();
    for old_key in gone {
        let was = values(old, &old_key);
        let varies = was.iter().any(|(_, value)| value != &was[0].1);
        let is_it = |key: &&SeriesKey| {
            key.what == old_key.what
                && values(new, key) == was
                && !found.iter().any(|renamed| renamed.new == **key)
        };
        if let (true, Some(new_key)) = (varies, added.iter().find(is_it)) {
            found.push(Renamed {
                new: new_key.clone(),
                old: old_key,
            });
        }
    }
    found
}

/// The series that only the old version has, and those that only the new one has.
pub fn unmatched(
    old: &BTreeMap<SeriesKey, SeriesFacts>,
    new: &BTreeMap<SeriesKey, SeriesFacts>,
    renamed: &[Renamed],
) -> (Vec<SeriesKey>, Vec<SeriesKey>) {
    let is_gone = |key: &&SeriesKey| {
        !new.contains_key(*key) && !renamed.iter().any(|renamed| renamed.old == **key)
    };
    let is_added = |key: &&SeriesKey| {
        !old.contains_key(*key) && !renamed.iter().any(|renamed| renamed.new == **key)
    };
    (
        old.keys().filter(is_gone).cloned().collect(),
        new.keys().filter(is_added).cloned().collect(),
    )
}

/// What a series saw, by run.
fn values(test: &SeenTest, key: &SeriesKey) -> Vec<(u32, u64)> {
    let value = |value: &Value| value.value.to_bits();
    let runs = test.runs.iter();
    runs.filter_map(|(run, seen)| Some((*run, value(seen.values.get(key)?))))
        .collect()
}
