//! One round: all shards of a command are made, by whatever engine there is.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::command::ShardCommand;
use super::handout::{Act, Attempt, End, GivenUp, Handout};
use super::journal::Journal;
use super::scheduler::{Ended, News, Order, Scheduler};
use super::shown::Shown;
use crate::exit::{Exit, Failure};
use crate::session::Interrupt;

/// How a round ended.
#[derive(Debug, PartialEq, Eq)]
pub enum RoundEnd {
    /// All shards are there.
    Made,
    /// One of them could not be made.
    GivenUp(GivenUp),
    /// Somebody wants the program to end.
    Interrupted,
}

/// The files of a worker may come so much later than its end, through a network.
const PATIENCE: Duration = Duration::from_secs(20);

/// Which shards of a round are whole, by index; `Some`, if others than these need not be looked at.
pub type Whole<'a> = dyn Fn(Option<&BTreeSet<u32>>) -> Result<BTreeSet<u32>, Failure> + 'a;

/// What a round works with.
pub struct Round<'a> {
    pub command: &'a ShardCommand,
    pub scheduler: &'a mut dyn Scheduler,
    pub interrupt: &'a Interrupt,
    pub whole: &'a Whole<'a>,
}

impl Round<'_> {
    /// Makes what is not there yet, and writes down in the journal what is under way.
    pub fn make(
        &mut self,
        journal: &mut Journal,
        shown: &mut Shown<'_>,
    ) -> Result<RoundEnd, Failure> {
        let began = Instant::now();
        let mut handout = Handout::new(self.command.total, self.scheduler.places());
        let there = (self.whole)(None)?;
        for shard in &there {
            handout.is_there(*shard);
        }
        shown.there(there.len());
        for attempt in self.scheduler.find(&journal.attempts())? {
            handout.adopt(attempt);
        }
        let ended = self.follow(&mut handout, began, journal, shown);
        let left: Vec<Attempt> = handout.under_way().collect();
        handout.withdraw_all();
        self.scheduler.withdraw(&left);
        ended
    }

    fn follow(
        &mut self,
        handout: &mut Handout,
        began: Instant,
        journal: &mut Journal,
        shown: &mut Shown<'_>,
    ) -> Result<RoundEnd, Failure> {
        loop {
            if self.interrupt.has_come() {
                return Ok(RoundEnd::Interrupted);
            }
            self.act(handout.step(began.elapsed()), journal, shown)?;
            if let Some(given_up) = handout.given_up() {
                return Ok(RoundEnd::GivenUp(given_up.clone()));
            }
            if handout.is_done() {
                return Ok(RoundEnd::Made);
            }
            std::thread::sleep(self.scheduler.pause());
            let mut ended = Vec::new();
            for news in self.scheduler.news()? {
                match news {
                    News::Begun(attempt, host) => {
                        handout.begun(attempt, &host, began.elapsed());
                        shown.begun(attempt, &host);
                    }
                    News::Ended(attempt, end) => ended.push((attempt, end)),
                }
            }
            if ended.is_empty() {
                continue;
            }
            let whole = self.settled(&ended)?;
            for (attempt, end) in ended {
                let end = match whole.contains(&attempt.shard) {
                    true => End::Whole,
                    false => unwhole(end),
                };
                shown.ended(attempt, &end);
                handout.ended(attempt, end, began.elapsed());
            }
        }
    }

    /// The shards that are whole, once the files of all have come whose workers say that they are.
    fn settled(&self, ended: &[(Attempt, Ended)]) -> Result<BTreeSet<u32>, Failure> {
        let until = Instant::now() + PATIENCE;
        let these = ended.iter().map(|(attempt, _)| attempt.shard).collect();
        let says_so = |end: &Ended| matches!(end, Ended::Itself { code: 0, .. });
        loop {
            let whole = (self.whole)(Some(&these))?;
            let comes =
                |(attempt, end): &(Attempt, Ended)| says_so(end) && !whole.contains(&attempt.shard);
            if !ended.iter().any(comes) || Instant::now() > until {
                return Ok(whole);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Does what the machine wants.
    fn act(
        &mut self,
        acts: Vec<Act>,
        journal: &mut Journal,
        shown: &mut Shown<'_>,
    ) -> Result<(), Failure> {
        let (mut orders, mut withdrawn) = (Vec::new(), Vec::new());
        for act in acts {
            match act {
                Act::HandOut { attempt, avoid } => orders.push(Order { attempt, avoid }),
                Act::Withdraw(attempt) => withdrawn.push(attempt),
            }
        }
        if !withdrawn.is_empty() {
            self.scheduler.withdraw(&withdrawn);
            shown.withdrawn(&withdrawn);
        }
        if !orders.is_empty() {
            self.scheduler.hand_out(self.command, &orders)?;
            let tasks = self.scheduler.under_way().into_iter();
            let tasks: Vec<_> = tasks.map(|(a, task)| (a.to_string(), task)).collect();
            if tasks != journal.tasks {
                journal.tasks = tasks;
                journal.save(&self.command.out)?;
            }
        }
        Ok(())
    }
}

/// What an attempt's end means that left no whole shard.
fn unwhole(end: Ended) -> End {
    match end {
        Ended::Itself { code: 0, .. } => {
            End::Failed("it ended well, but its shard is not there, or not whole".to_owned())
        }
        Ended::Itself { code, .. } if code == Exit::Interrupted as i32 => {
            End::Died("interrupted".to_owned())
        }
        Ended::Itself { code, words } if words.is_empty() => {
            End::Failed(format!("exit code {code}"))
        }
        Ended::Itself { words, .. } => End::Failed(words),
        Ended::Died(words) => End::Died(words),
    }
}
