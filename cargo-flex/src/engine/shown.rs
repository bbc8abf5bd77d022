//! How far a round is: a bar for each shard that runs, and one for all; plain lines where there is no terminal.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use super::handout::{Attempt, End};
use crate::session::{ShardBar, ShardDisplay};

/// What people see of a round.
pub struct Shown<'a> {
    display: &'a ShardDisplay,
    total: u32,
    running: BTreeMap<Attempt, Running>,
    /// When the first attempt began.
    began: Option<Instant>,
    there: u32,
    /// The shards that were made since, some of them by two attempts.
    made: BTreeSet<u32>,
}

struct Running {
    /// It is on the screen as long as it is here.
    _bar: ShardBar,
    host: String,
    since: Instant,
}

impl<'a> Shown<'a> {
    /// So many shards are to be made.
    pub fn new(display: &'a ShardDisplay, total: u32) -> Self {
        Shown {
            display,
            total,
            running: BTreeMap::new(),
            began: None,
            there: 0,
            made: BTreeSet::new(),
        }
    }

    /// So many were there before.
    pub fn there(&mut self, shards: usize) {
        if shards > 0 {
            self.there = u32::try_from(shards).unwrap_or(u32::MAX);
            let line = format!("{shards} of {} shards are there already", self.total);
            self.display.say(self.there, &line, None);
        }
    }

    /// An attempt runs.
    pub fn begun(&mut self, attempt: Attempt, host: &str) {
        self.began.get_or_insert_with(Instant::now);
        let label = format!("shard {}/{} on {host}", attempt.shard + 1, self.total);
        let running = Running {
            _bar: self.display.begin(&label),
            host: host.to_owned(),
            since: Instant::now(),
        };
        self.running.insert(attempt, running);
    }

    /// An attempt has ended.
    pub fn ended(&mut self, attempt: Attempt, end: &End) {
        let running = self.running.remove(&attempt);
        let on = running
            .as_ref()
            .map_or(String::new(), |r| format!(" on {}", r.host));
        let shard = format!("shard {}/{}", attempt.shard + 1, self.total);
        match end {
            End::Whole => {
                if !self.made.insert(attempt.shard) {
                    return;
                }
                let made = self.there + self.made.len() as u32;
                let took = running.map_or(0.0, |r| r.since.elapsed().as_secs_f64());
                // A line for each twentieth is enough.
                let is_told = made.is_multiple_of(self.total.div_ceil(20));
                let line = match is_told || made == self.total {
                    true => format!(
                        "{made} of {} shards are made, the last{on} in {took:.1} s",
                        self.total
                    ),
                    false => String::new(),
                };
                self.display.say(1, &line, self.seconds_left());
            }
            End::Died(words) => self
                .display
                .warn(&format!("{shard} died{on}: {words}; it is made again")),
            End::Failed(words) => self.display.warn(&format!("{shard} failed{on}: {words}")),
        }
    }

    /// Seconds until all are made, if the others take as long as those that were made since this began.
    fn seconds_left(&self) -> Option<f64> {
        let took = self.began?.elapsed().as_secs_f64();
        let new = self.made.len() as u32;
        let left = self.total.saturating_sub(self.there + new);
        (new > 0 && left > 0).then(|| took * f64::from(left) / f64::from(new))
    }

    /// Nobody needs these any more.
    pub fn withdrawn(&mut self, attempts: &[Attempt]) {
        self.running
            .retain(|attempt, _| !attempts.contains(attempt));
    }
}
