//! How far each shard is, and the command that makes one that is missing.

use std::collections::{BTreeMap, BTreeSet};

use super::Shards;
use crate::file::Scanned;
use crate::{Shard, TestKey};

/// A shard, as far as its files tell.
#[derive(Debug, Clone, PartialEq)]
pub struct ShardStatus {
    /// Which one.
    pub shard: Shard,
    /// Of which round.
    pub round: u32,
    /// Whether one of its files came to its end.
    pub whole: bool,
    /// Whether one of them did so although there was no time for all runs.
    pub out_of_time: bool,
    /// The runs that they say they hold; those of files without an end are not counted.
    pub runs: u64,
    /// The tests of which they hold anything.
    pub tests: usize,
    /// Frames that are cut short or damaged.
    pub damaged: usize,
    /// Where they were made.
    pub hosts: Vec<String>,
    /// The command that makes the shard again.
    pub again: Option<String>,
}

impl Shards {
    /// Whether all shards of the first round are there, and came to their ends.
    pub fn first_round_is_whole(&self) -> bool {
        let status = self.status();
        let mut first = status.iter().filter(|status| status.round == 1).peekable();
        first.peek().is_some() && first.all(|status| status.whole)
    }

    /// How far each shard is, of every round of which any is there.
    pub fn status(&self) -> Vec<ShardStatus> {
        let mut all: BTreeMap<(u32, Shard), ShardStatus> = BTreeMap::new();
        let headers = || self.files.iter().map(|(_, scanned)| &scanned.header);
        for header in headers() {
            for shard in Shard::all(header.shard.total()) {
                let key = (header.round, shard);
                all.entry(key).or_insert_with(|| ShardStatus {
                    shard,
                    round: header.round,
                    whole: false,
                    out_of_time: false,
                    runs: 0,
                    tests: 0,
                    damaged: 0,
                    hosts: Vec::new(),
                    again: None,
                });
            }
        }
        for (_, scanned) in &self.files {
            let header = &scanned.header;
            if let Some(status) = all.get_mut(&(header.round, header.shard)) {
                status.take(scanned);
            }
        }
        // A file of a later round can be a piece of a smaller number of shards: each has its own.
        all.into_values().collect()
    }

    /// The command that makes a shard, as others of its round were made.
    pub fn command_for(&self, status: &ShardStatus) -> Option<String> {
        if status.again.is_some() {
            return status.again.clone();
        }
        let headers = self.files.iter().map(|(_, scanned)| &scanned.header);
        let mut of_round = headers
            .filter(|header| header.round == status.round)
            .filter(|header| header.shard.total() == status.shard.total());
        let other = of_round.next()?;
        let (theirs, ours) = (other.shard.to_string(), status.shard.to_string());
        let before = format!("--shard {theirs} ");
        let pytest = format!("--flex-shard={theirs} ");
        Some(match other.again.contains(&before) {
            true => other
                .again
                .replacen(&before, &format!("--shard {ours} "), 1),
            false => {
                let after = format!("--flex-shard={ours} ");
                other.again.replacen(&pytest, &after, 1)
            }
        })
    }
}

impl ShardStatus {
    fn take(&mut self, scanned: &Scanned) {
        self.whole |= scanned.end.is_some_and(|end| end.whole);
        self.out_of_time |= scanned.end.is_some_and(|end| !end.whole);
        self.runs += scanned.end.map_or(0, |end| end.runs);
        let tests: BTreeSet<&TestKey> = scanned.frames.iter().map(|at| &at.test).collect();
        self.tests = self.tests.max(tests.len());
        self.damaged += scanned.damaged;
        if !self.hosts.contains(&scanned.header.host) {
            self.hosts.push(scanned.header.host.clone());
        }
        self.again = Some(scanned.header.again.clone());
    }
}
