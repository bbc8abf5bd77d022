//! What every engine can do: take attempts at shards, tell what became of them, take them back.

use std::time::Duration;

use super::command::ShardCommand;
use super::handout::Attempt;
use crate::exit::Failure;

/// An attempt to be made somewhere.
#[derive(Debug, Clone)]
pub struct Order {
    pub attempt: Attempt,
    /// Hosts on which it should not be made, if others are there.
    pub avoid: Vec<String>,
}

/// What became of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// It runs on this host.
    Begun(Attempt, String),
    /// Its process has ended.
    Ended(Attempt, Ended),
}

/// How the process of an attempt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// With this exit code, and what it said last.
    Itself { code: i32, words: String },
    /// It was ended from outside, or is gone.
    Died(String),
}

/// Whoever lets workers make attempts: a scheduler of a cluster, or this machine.
pub trait Scheduler {
    /// How many attempts can be under way at a time; `None` if there is a queue that takes any number.
    fn places(&self) -> Option<usize>;

    /// Lets these attempts at shards of a command be made.
    fn hand_out(&mut self, command: &ShardCommand, orders: &[Order]) -> Result<(), Failure>;

    /// Nobody needs these attempts any more.
    fn withdraw(&mut self, attempts: &[Attempt]);

    /// What happened since it was asked last.
    fn news(&mut self) -> Result<Vec<News>, Failure>;

    /// How long to wait before it is asked again.
    fn pause(&self) -> Duration;

    /// What a second submitter would need to find the attempts again that are under way, after this one was killed.
    fn under_way(&self) -> Vec<(Attempt, String)> {
        Vec::new()
    }

    /// Looks for attempts that an earlier submitter left under way; those that are found.
    fn find(&mut self, _left: &[(Attempt, String)]) -> Result<Vec<Attempt>, Failure> {
        Ok(Vec::new())
    }
}
