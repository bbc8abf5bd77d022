//! The machine that hands shards out to workers: which shard is where, what died, what is handed out twice. It does no IO
//! and has no clock: what happened goes in, with the time since the beginning, and what to do next comes out.
//!
//! A shard is done as soon as one attempt at it has made it whole, whichever that is; two attempts at the same shard make
//! the same runs, so that nothing is lost or counted twice.

mod hosts;
mod pace;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use hosts::Hosts;
use pace::Pace;

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
    pace: Pace,
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
    /// Whether it was handed out twice because it was late, or among the last.
    is_twice: bool,
}

#[derive(Debug)]
struct Live {
    attempt: Attempt,
    /// Where it runs, and since when; `None` while it waits.
    runs: Option<(String, Duration)>,
}

impl Handout {
    /// So many shards, of which at most so many attempts are to be under way at a time.
    pub fn new(shards: u32, places: Option<usize>) -> Self {
        Handout {
            shards: (0..shards).map(|_| Shard::default()).collect(),
            places,
            hosts: Hosts::default(),
            pace: Pace::default(),
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
                    runs: None,
                }),
            }
        }
    }

    /// An attempt runs on this host now. One that was begun anew elsewhere tells so twice.
    pub fn begun(&mut self, attempt: Attempt, host: &str, now: Duration) {
        self.hosts.seen(host);
        if let Some(live) = self.live(attempt) {
            live.runs = Some((host.to_owned(), now));
        }
    }

    /// An attempt has ended. Of one that is not known, or that was withdrawn, only a whole shard counts.
    pub fn ended(&mut self, attempt: Attempt, end: End, now: Duration) {
        let runs = self.live(attempt).map(|live| live.runs.clone());
        let Some(shard) = self.shards.get_mut(attempt.shard as usize) else {
            return;
        };
        shard.live.retain(|live| live.attempt != attempt);
        let host = runs.clone().map(|runs| runs.map(|(host, _)| host));
        let (host, words) = match (host, end) {
            (_, End::Whole) => {
                if let Some((host, since)) = runs.flatten() {
                    self.hosts.made(&host);
                    self.pace.made(now.saturating_sub(since));
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
    pub fn step(&mut self, now: Duration) -> Vec<Act> {
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
        if free > 0 && self.shards.len() > 1 {
            for index in self.stragglers(now).into_iter().take(free) {
                self.shards[index].is_twice = true;
                acts.push(self.hand_out(index));
            }
        }
        acts
    }

    /// The shards to hand out twice, those that run longest first: the last ones, and before that all that take much longer
    /// than others did. As long as anything waits for a worker, a copy would only make it wait longer.
    fn stragglers(&self, now: Duration) -> Vec<usize> {
        let open = self.shards.iter().filter(|shard| !shard.is_whole);
        let (mut count, mut all_run) = (0, true);
        for shard in open {
            count += 1;
            all_run &= shard.live.iter().any(|live| live.runs.is_some());
        }
        let are_last = count * STRAGGLERS <= self.shards.len() || count == 1;
        let since = |(index, shard): (usize, &Shard)| match &shard.live[..] {
            [
                Live {
                    runs: Some((_, since)),
                    ..
                },
            ] if !shard.is_whole && !shard.is_twice => {
                let takes = now.saturating_sub(*since);
                (are_last || (all_run && self.pace.is_late(takes))).then_some((*since, index))
            }
            _ => None,
        };
        let mut late: Vec<(Duration, usize)> =
            self.shards.iter().enumerate().filter_map(since).collect();
        late.sort_unstable();
        late.into_iter().map(|(_, index)| index).collect()
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
        let runs = shard.live.iter().filter_map(|live| live.runs.as_ref());
        let beside = runs.map(|(host, _)| host.clone());
        let failed = shard.failures.iter().flatten().cloned();
        let avoid = self.hosts.avoiding(beside.chain(failed));
        shard.tried += 1;
        shard.live.push(Live {
            attempt,
            runs: None,
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
