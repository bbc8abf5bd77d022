//! Workers on this machine: a process for each attempt, so many at a time.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::process::{Child, ExitStatus, Stdio};
use std::time::Duration;

use flex_run::watch::in_group;

use super::command::ShardCommand;
use super::handout::Attempt;
use super::scheduler::{Ended, News, Order, Scheduler};
use super::words::last_words;
use crate::exit::Failure;
use crate::session::tied;

/// The name of this machine among hosts.
const HOST: &str = "this machine";

/// Processes on this machine, which end with this one.
pub struct Local {
    places: usize,
    /// Where what processes say goes.
    said: PathBuf,
    children: BTreeMap<Attempt, Child>,
    news: Vec<News>,
}

impl Local {
    /// So many processes at a time, which say what they have to say into files of this folder.
    pub fn new(places: usize, said: PathBuf) -> Self {
        Local {
            places,
            said,
            children: BTreeMap::new(),
            news: Vec::new(),
        }
    }

    fn file(&self, attempt: Attempt) -> PathBuf {
        self.said.join(format!("{attempt}.stderr"))
    }

    fn start(&self, command: &ShardCommand, attempt: Attempt) -> io::Result<Child> {
        let words = command.words(attempt.shard, &command.out);
        let [program, args @ ..] = &words[..] else {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        };
        let mut process = tied(program.as_ref());
        process
            .args(args)
            .current_dir(&command.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(self.file(attempt))?);
        in_group(&mut process).spawn()
    }
}

impl Scheduler for Local {
    fn places(&self) -> Option<usize> {
        Some(self.places)
    }

    fn hand_out(&mut self, command: &ShardCommand, orders: &[Order]) -> Result<(), Failure> {
        for order in orders {
            let attempt = order.attempt;
            let child = self.start(command, attempt).map_err(|error| {
                let what = format!("cannot start a worker on this machine: {error}");
                Failure::build(what, "is the disk full, or are there too many processes?")
            })?;
            self.children.insert(attempt, child);
            self.news.push(News::Begun(attempt, HOST.to_owned()));
        }
        Ok(())
    }

    fn withdraw(&mut self, attempts: &[Attempt]) {
        for attempt in attempts {
            if let Some(mut child) = self.children.remove(attempt) {
                end(&child);
                // It may have ended by itself in between.
                let _ = child.kill();
                let _ = child.wait();
            }
        }
    }

    fn news(&mut self) -> Result<Vec<News>, Failure> {
        let mut news = std::mem::take(&mut self.news);
        let mut ended = Vec::new();
        for (attempt, child) in &mut self.children {
            // A child that nobody can ask about is gone.
            match child.try_wait() {
                Ok(None) => {}
                Ok(Some(status)) => ended.push((*attempt, Ok(status))),
                Err(error) => ended.push((*attempt, Err(error.to_string()))),
            }
        }
        for (attempt, status) in ended {
            self.children.remove(&attempt);
            let file = self.file(attempt);
            let end = match status {
                Ok(status) => ended_with(status, last_words(&file)),
                Err(error) => Ended::Died(error),
            };
            let _ = std::fs::remove_file(file);
            news.push(News::Ended(attempt, end));
        }
        Ok(news)
    }

    fn pause(&self) -> Duration {
        Duration::from_millis(20)
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        let all: Vec<Attempt> = self.children.keys().copied().collect();
        self.withdraw(&all);
    }
}

/// Ends a process with its group. At the end of a round there are many: a program like the shell for each would take seconds.
#[cfg(unix)]
fn end(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};

    // What is gone cannot be ended, which is what was wanted.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

#[cfg(not(unix))]
fn end(_: &Child) {}

fn ended_with(status: ExitStatus, words: String) -> Ended {
    match status.code() {
        Some(code) => Ended::Itself { code, words },
        None => Ended::Died(status.to_string()),
    }
}
