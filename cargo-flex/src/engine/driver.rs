//! Dask and Ray, by the driver in Python that pytest-flex brings (`pytest_flex.engines`): orders go in and news come out, a
//! line of JSON each.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use flex_run::project::env::{SetBy, VARIABLES, Variable};
use flex_run::watch::{end_group, in_group, name_parent};
use serde::Deserialize;
use serde_json::json;

use super::command::ShardCommand;
use super::handout::Attempt;
use super::scheduler::{Ended, News, Order, Scheduler};
use super::words::{last_lines, last_words};
use crate::exit::Failure;
use crate::pytest::with_python;

/// A cluster may take so long to be found.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the driver tells.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(tag = "is", rename_all = "lowercase")]
enum Told {
    Ready {
        workers: usize,
    },
    Refused {
        words: String,
        hint: String,
    },
    Begun {
        id: String,
        host: String,
    },
    Ended {
        id: String,
        code: i32,
        words: String,
    },
    Died {
        id: String,
        words: String,
    },
}

/// The driver, which ends with this process.
pub struct Driver {
    child: Child,
    orders: Option<ChildStdin>,
    told: Receiver<String>,
    said: PathBuf,
    under_way: BTreeSet<Attempt>,
    /// How many shards the cluster can make at a time.
    pub workers: usize,
}

impl Driver {
    /// Connects to the cluster of this engine, `dask` or `ray`.
    pub fn start(engine: &str, address: Option<&str>, said: PathBuf) -> Result<Self, Failure> {
        let said = said.join("driver.stderr");
        let mut child = with_python(|python| {
            let mut command = Command::new(python);
            command.args(["-m", "pytest_flex.engines", engine]);
            if let Some(address) = address {
                command.arg(format!("--address={address}"));
            }
            command
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(File::create(&said)?);
            name_parent(&mut command);
            in_group(&mut command).spawn()
        })
        .map_err(|error| {
            let what = format!("cannot run python: {error}");
            Failure::build(what, "activate the environment with pytest-flex")
        })?;
        let (sender, told) = channel();
        if let Some(output) = child.stdout.take() {
            std::thread::spawn(move || {
                let lines = BufReader::new(output).lines().map_while(Result::ok);
                for line in lines {
                    if sender.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        let mut driver = Driver {
            orders: child.stdin.take(),
            child,
            told,
            said,
            under_way: BTreeSet::new(),
            workers: 0,
        };
        driver.workers = driver.ready(engine)?.max(1);
        Ok(driver)
    }

    /// Waits for the cluster; how many shards it can make at a time.
    fn ready(&self, engine: &str) -> Result<usize, Failure> {
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let Ok(line) = self.told.recv_timeout(left) else {
                let said = last_words(&self.said);
                let what = match said.is_empty() {
                    true => format!("the driver of {engine} does not answer"),
                    false => format!("the driver of {engine} does not answer: {said}"),
                };
                let hint = format!("pip install 'pytest-flex[{engine}]'");
                return Err(Failure::build(what, hint));
            };
            match serde_json::from_str(&line) {
                Ok(Told::Ready { workers }) => return Ok(workers),
                Ok(Told::Refused { words, hint }) => {
                    let what = format!("cannot use {engine}: {}", last_lines(&words));
                    return Err(Failure::build(what, hint));
                }
                // Libraries print things.
                _ => {}
            }
        }
    }

    fn tell(&mut self, what: &serde_json::Value) -> Result<(), Failure> {
        let told = match &mut self.orders {
            Some(orders) => writeln!(orders, "{what}").and_then(|()| orders.flush()),
            None => Ok(()),
        };
        told.map_err(|_| self.gone())
    }

    fn gone(&self) -> Failure {
        Failure::build(
            format!("the driver has ended: {}", last_words(&self.said)),
            "what is there is kept: the same command goes on from it",
        )
    }

    /// What a line tells, if it is about an attempt that somebody waits for.
    fn heard(&mut self, line: &str) -> Option<News> {
        let told: Told = serde_json::from_str(line).ok()?;
        let (id, end) = match told {
            Told::Begun { id, host } => {
                let attempt = id.parse().ok()?;
                let is_ours = self.under_way.contains(&attempt);
                return is_ours.then_some(News::Begun(attempt, host));
            }
            Told::Ended { id, code, words } => {
                let words = last_lines(&words);
                (id, Ended::Itself { code, words })
            }
            Told::Died { id, words } => (id, Ended::Died(last_lines(&words))),
            Told::Ready { .. } | Told::Refused { .. } => return None,
        };
        let attempt = id.parse().ok()?;
        self.under_way
            .remove(&attempt)
            .then_some(News::Ended(attempt, end))
    }
}

impl Scheduler for Driver {
    fn places(&self) -> Option<usize> {
        None
    }

    fn hand_out(&mut self, command: &ShardCommand, orders: &[Order]) -> Result<(), Failure> {
        for order in orders {
            let words = command.words(order.attempt.shard, &command.out);
            let out = words.iter().rposition(|word| word == "--out");
            self.under_way.insert(order.attempt);
            self.tell(&json!({
                "do": "make",
                "id": order.attempt.to_string(),
                "words": words,
                "out": out.map(|at| at + 1),
                "folder": command.folder,
                "variables": variables(),
                "to": command.out,
                "avoid": order.avoid,
            }))?;
        }
        Ok(())
    }

    fn withdraw(&mut self, attempts: &[Attempt]) {
        let ids: Vec<String> = attempts.iter().map(Attempt::to_string).collect();
        self.under_way.retain(|attempt| !attempts.contains(attempt));
        // If it is gone, its attempts are too.
        let _ = self.tell(&json!({"do": "withdraw", "ids": ids}));
    }

    fn news(&mut self) -> Result<Vec<News>, Failure> {
        let mut news = Vec::new();
        loop {
            match self.told.try_recv() {
                Ok(line) => news.extend(self.heard(&line)),
                Err(TryRecvError::Disconnected) if news.is_empty() => return Err(self.gone()),
                Err(_) => return Ok(news),
            }
        }
    }

    fn pause(&self) -> Duration {
        Duration::from_millis(50)
    }
}

/// The variables of flex that people set: what they say holds for workers too.
fn variables() -> BTreeMap<&'static str, String> {
    let of_people = VARIABLES.iter().filter(|v| v.set_by == SetBy::People);
    let set = |variable: &Variable| Some((variable.name, std::env::var(variable.name).ok()?));
    of_people.filter_map(set).collect()
}

impl Drop for Driver {
    fn drop(&mut self) {
        // At the end of its input it withdraws what is under way, and ends.
        drop(self.orders.take());
        let until = Instant::now() + Duration::from_secs(10);
        while Instant::now() < until {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        end_group(self.child.id());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_driver_tells_is_understood() {
        let check = |line: &str, expected: Told| {
            assert_eq!(serde_json::from_str::<Told>(line).unwrap(), expected);
        };
        check(
            r#"{"is": "ready", "workers": 4}"#,
            Told::Ready { workers: 4 },
        );
        check(
            r#"{"is": "ended", "id": "3.0", "code": 70, "words": "no space"}"#,
            Told::Ended {
                id: "3.0".to_owned(),
                code: 70,
                words: "no space".to_owned(),
            },
        );
        for wrong in ["", "{}", "[]", r#"{"is": "else"}"#, r#"{"is": "ready"}"#] {
            assert!(serde_json::from_str::<Told>(wrong).is_err(), "{wrong}");
        }
    }
}
