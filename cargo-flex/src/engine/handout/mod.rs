//! The machine that hands shards out to workers: which shard is where, what died, what is handed out twice. It does no IO
//! and has no clock: what happened goes in, and what to do next comes out.
//!
//! A shard is done as soon as one attempt at it has made it whole, whichever that is; two attempts at the same shard make
//! the same runs, so that nothing is lost or counted twice.

mod hosts;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use hosts::Hosts;

/// One attempt at making a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Attempt {
    /// The index of the shard, from 0 on.
    pub shard: u32,
    /// Which attempt at it this is, from 0 on.
    pub nth: u32,
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.shard, self.nth)
    }
}

impl FromStr for Attempt {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (shard, nth) = text.split_once('.').ok_or(())?;
        Ok(Attempt {
            shard: shard.parse().map_err(|_| ())?,
            nth: nth.parse().map_err(|_| ())?,
        })
    }
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// Its shard is there, and whole.
    Whole,
    /// Somebody or something ended it: it was killed, its node was lost. Nothing speaks against another attempt.
    Died(String),
    /// It ended itself without a whole shard, and said why: a full disk, a program that cannot be run.
    Failed(String),
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Let a worker make this attempt, on none of these hosts if that can be had.
    HandOut {
        attempt: Attempt,
        avoid: Vec<String>,
    },
    /// Nobody needs this attempt any more.
    Withdraw(Attempt),
}

/// A shard that no worker could make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenUp {
    pub shard: u32,
    /// How many attempts were made.
    pub attempts: u32,
    /// Where, and what the last of them said.
    pub words: String,
}

/// An attempt may die so often before its shard is given up.
const MOST_DEATHS: usize = 5;

/// A shard is given up when so many attempts at it have failed by themselves, on different hosts where there are others.
const MOST_FAILURES: usize = 3;

/// The last shards are handed out twice when they are at most one in so many.
const STRAGGLERS: usize = 20;

/// Which shards are where.
#[derive(Debug)]
pub struct Handout {
    shards: Vec<Shard>,
    /// How many attempts may be under way at a time; `None` if whoever makes them has a queue.
    places: Option<usize>,
    hosts: Hosts,
    withdrawn: Vec<Attempt>,
    given_up: Option<GivenUp>,
}

#[derive(Debug, Default)]
struct Shard {
    is_whole: bool,
    /// Attempts that were made or are under way.
    tried: u32,
    live: Vec<Live>,
    deaths: usize,
    /// Where attempts failed.
    failures: Vec<Option<String>>,
    /// Whether it was handed out twice because it was among the last.
    is_twice: bool,
}

#[derive(Debug)]
struct Live {
    attempt: Attempt,
    /// Where it runs; `None` while it waits.
    host: Option<String>,
}

impl Handout {
    /// So many shards, of which at most so many attempts are to be under way at a time.
    pub fn new(shards: u32, places: Option<usize>) -> Self {
        Handout {
            shards: (0..shards).map(|_| Shard::default()).collect(),
            places,
            hosts: Hosts::default(),
            withdrawn: Vec::new(),
            given_up: None,
        }
    }

    /// This shard is there already.
    pub fn is_there(&mut self, shard: u32) {
        if let Some(shard) = self.shards.get_mut(shard as usize) {
            shard.is_whole = true;
            let others = shard.live.drain(..).map(|live| live.attempt);
            self.withdrawn.extend(others);
        }
    }

    /// This attempt is under way already: whoever handed it out is gone.
    pub fn adopt(&mut self, attempt: Attempt) {
        if let Some(shard) = self.shards.get_mut(attempt.shard as usize) {
            shard.tried = shard.tried.max(attempt.nth.saturating_add(1));
            match shard.is_whole {
                true => self.withdrawn.push(attempt),
                false => shard.live.push(Live {
                    attempt,
                    host: None,
                }),
            }
        }
    }

    /// An attempt runs on this host now. One that was begun anew elsewhere tells so twice.
    pub fn begun(&mut self, attempt: Attempt, host: &str) {
        self.hosts.seen(host);
        if let Some(live) = self.live(attempt) {
            live.host = Some(host.to_owned());
        }
    }

    /// An attempt has ended. Of one that is not known, or that was withdrawn, only a whole shard counts.
    pub fn ended(&mut self, attempt: Attempt, end: End) {
        let host = self.live(attempt).map(|live| live.host.clone());
        let Some(shard) = self.shards.get_mut(attempt.shard as usize) else {
            return;
        };
        shard.live.retain(|live| live.attempt != attempt);
        let (host, words) = match (host, end) {
            (host, End::Whole) => {
                if let Some(host) = host.flatten() {
                    self.hosts.made(&host);
                }
                return self.is_there(attempt.shard);
            }
            (None, _) => return,
            (Some(host), End::Died(words)) => {
                shard.deaths += 1;
                (host, words)
            }
            (Some(host), End::Failed(words)) => {
                shard.failures.push(host.clone());
                if let Some(host) = &host {
                    self.hosts.failed(host);
                }
                (host, words)
            }
        };
        if shard.is_hopeless() && shard.live.is_empty() && !shard.is_whole {
            let words = match host {
                Some(host) => format!("on {host}: {words}"),
                None => words,
            };
            self.given_up.get_or_insert(GivenUp {
                shard: attempt.shard,
                attempts: shard.tried,
                words,
            });
        }
    }

    /// What to do now. Every act is told once.
    pub fn step(&mut self) -> Vec<Act> {
        let mut acts: Vec<Act> = self.withdrawn.drain(..).map(Act::Withdraw).collect();
        if self.given_up.is_some() {
            acts.extend(self.withdraw_all());
            return acts;
        }
        let mut free = self.free();
        let waiting = |shard: &Shard| !shard.is_whole && shard.live.is_empty();
        for index in 0..self.shards.len() {
            if free > 0 && waiting(&self.shards[index]) {
                acts.push(self.hand_out(index));
                free -= 1;
            }
        }
        let open = self.shards.iter().filter(|shard| !shard.is_whole).count();
        let are_last = open * STRAGGLERS <= self.shards.len() || open == 1;
        if !are_last || self.shards.len() < 2 {
            return acts;
        }
        for index in 0..self.shards.len() {
            let shard = &self.shards[index];
            let runs = matches!(&shard.live[..], [Live { host: Some(_), .. }]);
            if free > 0 && !shard.is_whole && runs && !shard.is_twice {
                self.shards[index].is_twice = true;
                acts.push(self.hand_out(index));
                free -= 1;
            }
        }
        acts
    }

    /// Nobody waits for the rest: what is under way and is to be withdrawn.
    pub fn withdraw_all(&mut self) -> Vec<Act> {
        let shards = self.shards.iter_mut();
        let live = shards.flat_map(|shard| shard.live.drain(..));
        live.map(|live| Act::Withdraw(live.attempt)).collect()
    }

    /// Whether every shard is there.
    pub fn is_done(&self) -> bool {
        self.shards.iter().all(|shard| shard.is_whole)
    }

    /// The shard that no worker could make, if there is one.
    pub fn given_up(&self) -> Option<&GivenUp> {
        self.given_up.as_ref()
    }

    /// Attempts that are under way or wait.
    pub fn under_way(&self) -> impl Iterator<Item = Attempt> + '_ {
        let live = self.shards.iter().flat_map(|shard| &shard.live);
        live.map(|live| live.attempt)
    }

    fn free(&self) -> usize {
        let places = self.places.unwrap_or(usize::MAX);
        places.saturating_sub(self.under_way().count())
    }

    fn hand_out(&mut self, index: usize) -> Act {
        let shard = &mut self.shards[index];
        let attempt = Attempt {
            shard: index as u32,
            nth: shard.tried,
        };
        // A second attempt beside the first makes sense elsewhere only, where there is an elsewhere.
        let beside = shard.live.iter().filter_map(|live| live.host.clone());
        let failed = shard.failures.iter().flatten().cloned();
        let avoid = self.hosts.avoiding(beside.chain(failed));
        shard.tried += 1;
        shard.live.push(Live {
            attempt,
            host: None,
        });
        Act::HandOut { attempt, avoid }
    }

    fn live(&mut self, attempt: Attempt) -> Option<&mut Live> {
        let shard = self.shards.get_mut(attempt.shard as usize)?;
        shard.live.iter_mut().find(|live| live.attempt == attempt)
    }
}

impl Shard {
    /// Whether a further attempt would come to the same.
    fn is_hopeless(&self) -> bool {
        self.deaths >= MOST_DEATHS || self.failures.len() >= MOST_FAILURES
    }
}
