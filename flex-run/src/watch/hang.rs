//! A run that hangs, and what to say of it.

use std::time::Duration;

use flex_core::seed::{Phase, SeedRequest};
use flex_core::words::plain;

use crate::model::Test;
use crate::project::commands::Commands;

/// A run that had not ended when its limit was up.
#[derive(Debug, Clone, PartialEq)]
pub struct Hang {
    /// The base seed.
    pub base: String,
    /// What decides the seed of the run, besides its index.
    pub phase: Phase,
    /// The index of the run.
    pub run: u64,
    /// How long it was under way.
    pub after: Duration,
    /// The name of its thread, if it has one.
    pub thread: Option<String>,
}

impl Hang {
    /// What happened, in one line.
    pub fn words(&self) -> String {
        in_words(self.run, self.after)
    }

    /// The seed of the run.
    pub fn seed(&self) -> SeedRequest {
        SeedRequest {
            base: self.base.clone(),
            run: Some((self.phase, self.run)),
        }
    }

    /// All there is to say, before the process ends.
    pub fn report(&self, test: &Test) -> String {
        let (name, words) = (test.name(), self.words());
        let thread = match &self.thread {
            Some(thread) => format!("thread `{thread}`, "),
            None => String::new(),
        };
        let replay = replay_line(test.commands(), &self.seed(), self.after);
        format!(
            "\nflex: {name}: {words}\n\n  {thread}seed {}\n  A thread cannot be ended, so its process ends here; nothing is \
             written, and tests that it had not\n  finished are not done.\n{replay}\nhint: `timeout` of the test, in seconds, \
             allows a run more time\n",
            self.seed()
        )
    }
}

/// A time as people tell it: to a tenth of a second, except where that is much.
pub fn rounded(time: Duration) -> Duration {
    let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    Duration::from_millis(match millis {
        1000.. => millis / 100 * 100,
        _ => millis,
    })
}

/// What happened, in one line.
pub fn in_words(run: u64, after: Duration) -> String {
    let seconds = plain(after.as_secs_f64());
    format!("run {run} hangs: it had not ended after {seconds} s, and was ended")
}

/// The line that repeats a run that hangs, with the limit that it exceeded.
pub fn replay_line(commands: Commands<'_>, seed: &SeedRequest, after: Duration) -> String {
    format!("replay: {}", commands.replay_within(seed, after))
}
