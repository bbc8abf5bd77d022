//! What runs of tests of pytest showed, whose plugin tells it at once: records of a search, a test each.

use std::collections::BTreeMap;

use flex_detect::record::{ObservedTest, Record};
use flex_shard::TestKey;
use flex_shard::calibrate::Wanted;
use flex_shard::file::{Frame, ShardContent, ShardKind};

use super::source::{Keeping, Playing};
use crate::exit::Failure;

/// The key of a test of pytest, of the old version of two or of the new one.
pub fn key_of_node(node: &str, is_old: bool) -> TestKey {
    TestKey {
        package: String::new(),
        target: String::new(),
        test: node.to_owned(),
        old: is_old,
        compared: false,
    }
}

/// What tests showed, each by the name by which it is asked for, with all of its cases; nothing, if it is not there.
type Shown<'r> = BTreeMap<&'r str, Vec<&'r ObservedTest>>;

/// What a record shows of the tests that are asked for, and of others that have a name.
pub fn shown<'r>(
    record: &'r Record,
    asked: impl IntoIterator<Item = &'r str>,
    name_of: impl Fn(&'r str) -> Option<&'r str>,
) -> Shown<'r> {
    let mut shown: Shown<'r> = asked.into_iter().map(|name| (name, Vec::new())).collect();
    for test in &record.tests {
        if let Some(name) = name_of(test.name()) {
            shown.entry(name).or_default().push(test);
        }
    }
    shown
}

impl Keeping {
    /// Writes down what tests showed, each in its place and in one frame, so that no case is there without the others; of
    /// one that is not there, that it is not.
    pub fn keep_record(
        &self,
        record: &Record,
        shown: &Shown<'_>,
        place: impl Fn(&str) -> (TestKey, ShardKind),
    ) -> Result<(), Failure> {
        for (name, tests) in shown {
            let (test, kind) = place(name);
            let of_test = Record {
                tests: tests.iter().copied().cloned().collect(),
                reader: record.reader.clone(),
                base: record.base.clone(),
                root: record.root.clone(),
                ..*record
            };
            let frame = Frame {
                test,
                kind,
                content: ShardContent::Text(of_test.to_json()),
            };
            self.push(&frame, runs_of(&of_test) as u64)?;
        }
        Ok(())
    }
}

fn runs_of(record: &Record) -> usize {
    record.tests.iter().map(|test| test.runs.len()).sum()
}

impl Playing {
    /// What shards hold of tests of pytest, by name: those that are meant, and of each the runs of this kind. Of a test that is
    /// there twice, what has more runs counts.
    pub fn records(
        &self,
        is_meant: impl Fn(&TestKey) -> bool,
        kind: impl Fn(&str) -> ShardKind,
    ) -> Result<BTreeMap<String, Record>, Failure> {
        let mut records: BTreeMap<String, Record> = BTreeMap::new();
        let keys = self.shards().tests();
        for key in keys.filter(|key| key.package.is_empty() && is_meant(key)) {
            let wanted = kind(&key.test);
            let mut found = self.shards().found(key, |kind| *kind == wanted)?;
            found.sort_by(|a, b| a.by.cmp(&b.by));
            for one in found {
                if let ShardContent::Text(text) = &one.frame.content {
                    let record = Record::parse(text).map_err(|error| {
                        Failure::input(
                            format!("a shard of {}: {error}", one.host),
                            "make it again, with this version of flex",
                        )
                    })?;
                    let known = records.get(&key.test).map(runs_of);
                    if known.is_none_or(|known| known < runs_of(&record)) {
                        records.insert(key.test.clone(), record);
                    }
                }
            }
        }
        Ok(records)
    }

    /// Notes that no shard holds anything of a test.
    pub fn miss_all(&self, node: &str) {
        let wanted = Wanted {
            all: true,
            ..Wanted::default()
        };
        self.miss(&key_of_node(node, false), wanted, 0.0);
    }
}
