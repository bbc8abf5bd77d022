//! `cargo flex review`: new bounds that somebody must look at before they take the place of the old ones.

use std::fmt;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use flex_core::bounds_file::{BoundsFile, Entry, Learned};
use flex_core::tail::Side;
use flex_core::words::{count, plain, short};
use flex_harness::calibrate::pending_store;
use flex_harness::store::Store;
use serde_json::{Value, json};

use crate::exit::{Exit, Failure};
use crate::packages::packages;

/// Shows new bounds that calibration did not write without being asked, beside the old ones, and takes decisions.
///
/// Example: cargo flex review
///
/// A bound that would loosen because the distribution moved, and a bound that could not be learned any more, wait in
/// flex-bounds.pending.toml. At a terminal each is accepted, rejected, skipped, or its site marked as unenforced.
/// Elsewhere they are listed, and the exit code is 1 if there are any.
#[derive(Debug, Args)]
pub struct ReviewArgs {
    #[command(subcommand)]
    decision: Option<Decision>,

    /// Path to Cargo.toml
    #[arg(long, value_name = "PATH", global = true)]
    manifest_path: Option<PathBuf>,

    /// List what waits as one JSON array, and decide nothing
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Decision {
    /// Puts new bounds in the place of the old ones.
    Accept(Which),
    /// Forgets new bounds; the old ones stay.
    Reject(Which),
}

#[derive(Debug, Args)]
struct Which {
    /// All that wait
    #[arg(long, required = true)]
    all: bool,
}

/// Runs the command.
pub fn run(args: &ReviewArgs) -> Result<Exit, Failure> {
    if args.json && args.decision.is_some() {
        return Err(Failure::Input {
            error: "--json lists, and decides nothing".to_owned(),
            hint: "leave it out, or the decision".to_owned(),
        });
    }
    let mut waiting = Vec::new();
    for package in packages(args.manifest_path.as_deref())? {
        waiting.extend(Waiting::in_store(package.store())?);
    }
    let mut output = io::stdout().lock();
    match &args.decision {
        Some(Decision::Accept(_)) => decide_all(&waiting, Verdict::Accept),
        Some(Decision::Reject(_)) => decide_all(&waiting, Verdict::Reject),
        None if args.json => {
            let all: Vec<Value> = waiting.iter().map(Waiting::json).collect();
            writeln!(output, "{}", Value::from(all))?;
            Ok(found(&waiting))
        }
        None if io::stdin().is_terminal() => ask(&waiting, &mut output),
        None => {
            for waiting in &waiting {
                writeln!(output, "{waiting}")?;
            }
            let many = count(waiting.len(), "bound waits", "bounds wait");
            writeln!(io::stderr(), "{many} for a review")?;
            if !waiting.is_empty() {
                let hint =
                    "`cargo flex review accept --all` or `reject --all` decides without a terminal";
                writeln!(io::stderr(), "hint: {hint}")?;
            }
            Ok(found(&waiting))
        }
    }
}

fn found(waiting: &[Waiting]) -> Exit {
    if waiting.is_empty() {
        Exit::Fine
    } else {
        Exit::Findings
    }
}

/// A new entry that waits, and the one that there is.
struct Waiting {
    store: Store,
    old: Option<Entry>,
    new: Entry,
}

/// What is decided.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Accept,
    Reject,
    Unenforced,
}

impl Waiting {
    fn in_store(store: Store) -> Result<Vec<Waiting>, Failure> {
        let pending = pending_store(&store).read().map_err(unreadable)?;
        let bounds = store.read().map_err(unreadable)?;
        let with_old = |new: &Entry| Waiting {
            store: store.clone(),
            old: bounds.get(&new.key).cloned(),
            new: new.clone(),
        };
        Ok(pending.entries().iter().map(with_old).collect())
    }

    fn decide(&self, verdict: Verdict) -> Result<(), Failure> {
        let change = |file: &mut BoundsFile| {
            let entry = match verdict {
                Verdict::Reject => return,
                Verdict::Accept => self.new.clone(),
                Verdict::Unenforced => {
                    let mut entry = self.old.clone().unwrap_or_else(|| self.new.clone());
                    entry.unenforced = true;
                    entry
                }
            };
            // It was read from a file, so it is one that a file can hold.
            let _ = file.insert(entry);
        };
        self.store.update(change).map_err(unreadable)?;
        let pending = pending_store(&self.store);
        pending
            .update(|file| file.remove(&self.new.key))
            .and_then(|_| pending.remove_if_empty())
            .map_err(unreadable)
    }

    fn json(&self) -> Value {
        let side = |(side, learned): (Side, &Learned)| {
            json!({
                "side": side.as_str(),
                "strategy": learned.strategy().as_str(),
                "guard": learned.guard().map(|guard| guard.bound),
                "ceiling": learned.ceiling(),
                "reason": learned.reason(),
            })
        };
        let entry = |entry: &Entry| {
            json!({
                "sides": entry.sides.iter().map(side).collect::<Vec<_>>(),
                "samples": entry.samples,
                "quantiles": entry.quantiles,
                "calibrated": entry.calibrated,
            })
        };
        let key = &self.new.key;
        json!({
            "file": self.store.path(),
            "target": key.target,
            "test": key.test,
            "site": key.site,
            "case": key.case,
            "variant": key.variant,
            "old": self.old.as_ref().map(entry),
            "new": entry(&self.new),
        })
    }
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.new.key)?;
        for (side, new) in self.new.sides.iter() {
            let old = self.old.as_ref().and_then(|old| old.sides.get(side));
            let bounds = |learned: Option<&Learned>| match learned {
                None => "none".to_owned(),
                Some(Learned::Refuse { reason }) => format!("refused: {reason}"),
                Some(learned) => {
                    let guard = learned
                        .guard()
                        .map(|guard| format!("guard {}", plain(guard.bound)));
                    let ceiling = learned.ceiling().map(|c| format!("ceiling {}", plain(c)));
                    guard
                        .into_iter()
                        .chain(ceiling)
                        .collect::<Vec<_>>()
                        .join(", ")
                }
            };
            writeln!(f, "  {side:<5}  old  {}", bounds(old))?;
            writeln!(f, "         new  {}", bounds(Some(new)))?;
        }
        let quantiles = |entry: Option<&Entry>| {
            let all = entry.and_then(|entry| entry.quantiles);
            all.map_or("unknown".to_owned(), |q| {
                format!(
                    "5% {}, median {}, 95% {}",
                    short(q[3]),
                    short(q[8]),
                    short(q[13])
                )
            })
        };
        writeln!(f, "  values old  {}", quantiles(self.old.as_ref()))?;
        writeln!(f, "         new  {}", quantiles(Some(&self.new)))
    }
}

fn decide_all(waiting: &[Waiting], verdict: Verdict) -> Result<Exit, Failure> {
    for waiting in waiting {
        waiting.decide(verdict)?;
    }
    let word = match verdict {
        Verdict::Accept => "accepted",
        Verdict::Reject => "rejected",
        Verdict::Unenforced => "unenforced",
    };
    let many = count(waiting.len(), "bound", "bounds");
    writeln!(io::stderr(), "{many} {word}")?;
    Ok(Exit::Fine)
}

/// Asks for a decision about each, at a terminal.
fn ask(waiting: &[Waiting], output: &mut impl Write) -> Result<Exit, Failure> {
    let mut answers = io::stdin().lock().lines();
    for waiting in waiting {
        writeln!(output, "{waiting}")?;
        loop {
            write!(
                output,
                "[a]ccept, [r]eject, [s]kip or mark as [u]nenforced? "
            )?;
            output.flush()?;
            let Some(answer) = answers.next() else {
                return Ok(Exit::Fine);
            };
            let verdict = match answer?.trim() {
                "a" | "accept" => Verdict::Accept,
                "r" | "reject" => Verdict::Reject,
                "u" | "unenforced" => Verdict::Unenforced,
                "s" | "skip" => break,
                _ => continue,
            };
            waiting.decide(verdict)?;
            break;
        }
    }
    if waiting.is_empty() {
        writeln!(io::stderr(), "nothing waits for a review")?;
    }
    Ok(Exit::Fine)
}

fn unreadable(error: impl fmt::Display) -> Failure {
    Failure::Input {
        error: error.to_string(),
        hint: "mend the file first; nothing was decided".to_owned(),
    }
}
