//! `cargo flex review`: new bounds that somebody must look at before they take the place of the old ones.

use std::fmt;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use flex_bounds::change::is_refused;
use flex_bounds::file::{BoundsFile, Entry, Key, Learned, QUANTILES};
use flex_core::tail::Side;
use flex_core::words::{count, percent, plain, short};
use flex_run::calibrate::pending_store;
use flex_run::project::env;
use flex_run::store::Store;
use serde_json::{Value, json};

use crate::cargo::packages;
use crate::exit::{Exit, Failure};

/// Shows new bounds that calibration did not write without being asked, beside the old ones, and takes decisions.
///
/// Example: cargo flex review
///
/// A bound that would loosen, one that could not be learned any more, and one whose site runs begin to miss wait in
/// flex-bounds.pending.toml. At a terminal each is accepted, rejected, skipped, or its site marked as unenforced; so are
/// sites for which no bound could be learned in the first place. Elsewhere they are listed, and the exit code is 1 if there are any.
#[derive(Debug, Args)]
pub struct ReviewArgs {
    #[command(subcommand)]
    decision: Option<Decision>,

    /// Path to Cargo.toml
    #[arg(long, value_name = "PATH", global = true)]
    manifest_path: Option<PathBuf>,

    /// Review the bounds of pytest tests that lie here, or in the nearest folder above, instead of cargo packages
    #[arg(
        long,
        value_name = "PATH",
        global = true,
        conflicts_with = "manifest_path"
    )]
    pytest: Option<PathBuf>,

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
        return Err(Failure::input(
            "--json lists, and decides nothing",
            "leave it out, or the decision",
        ));
    }
    let mut waiting = Vec::new();
    match &args.pytest {
        Some(path) => waiting.extend(Waiting::in_store(store_above(path)?)?),
        None => {
            for package in packages(args.manifest_path.as_deref())? {
                waiting.extend(Waiting::in_store(package.store())?);
            }
        }
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
            let pending = waiting.iter().filter(|waiting| waiting.is_pending).count();
            let refused = match waiting.len() - pending {
                0 => String::new(),
                refused => format!(", {} refused", count(refused, "site is", "sites are")),
            };
            let many = count(pending, "bound waits", "bounds wait");
            writeln!(io::stderr(), "{many} for a review{refused}")?;
            if pending > 0 {
                let hint =
                    "`cargo flex review accept --all` or `reject --all` decides without a terminal";
                writeln!(io::stderr(), "hint: {hint}")?;
            }
            if !refused.is_empty() {
                let hint = "at a terminal, a refused site can be marked as unenforced";
                writeln!(io::stderr(), "hint: {hint}")?;
            }
            Ok(found(&waiting))
        }
    }
}

/// The bounds file that tests at this path have.
fn store_above(path: &Path) -> Result<Store, Failure> {
    let absolute = std::path::absolute(path)?;
    let mut folders = absolute.ancestors().map(env::bounds_file_in);
    let found = folders.find(|file| file.exists());
    found.map(Store::at).ok_or_else(|| {
        Failure::input(
            format!(
                "no {} lies at {} or above",
                env::BOUNDS_FILE,
                path.display()
            ),
            "learn one: flex-harness calibrate --pytest PATH",
        )
    })
}

fn found(waiting: &[Waiting]) -> Exit {
    if waiting.is_empty() {
        Exit::Fine
    } else {
        Exit::Findings
    }
}

/// A new entry that waits, and the one that there is; or one that waits in the bounds file itself, since it refuses its
/// site.
struct Waiting {
    store: Store,
    old: Option<Entry>,
    new: Entry,
    /// Whether there is something to accept or to reject.
    is_pending: bool,
    /// The learned sites of its test.
    sites: usize,
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
        let sites = |key: &Key| {
            let of = |key: &Key| (key.target.clone(), key.test.clone(), key.variant.clone());
            let of_test = |entry: &&Entry| of(&entry.key) == of(key);
            bounds.entries().iter().filter(of_test).count()
        };
        let with_old = |new: &Entry| Waiting {
            store: store.clone(),
            old: bounds.get(&new.key).cloned(),
            new: new.clone(),
            is_pending: true,
            sites: sites(&new.key),
        };
        let refused = |entry: &&Entry| {
            is_refused(entry) && !entry.unenforced && pending.get(&entry.key).is_none()
        };
        let as_it_is = |entry: &Entry| Waiting {
            store: store.clone(),
            old: None,
            new: entry.clone(),
            is_pending: false,
            sites: sites(&entry.key),
        };
        let waiting = pending.entries().iter().map(with_old);
        Ok(waiting
            .chain(bounds.entries().iter().filter(refused).map(as_it_is))
            .collect())
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
                "power": entry.power(self.sites),
                "reached": entry.reached.as_str(),
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
            "pending": self.is_pending,
            "old": self.old.as_ref().map(entry),
            "new": entry(&self.new),
        })
    }
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.new.key)?;
        for (side, new) in self.new.sides.iter() {
            if let (false, Learned::Refuse { reason }) = (self.is_pending, new) {
                writeln!(f, "  {side:<5}  refused: {reason}")?;
                continue;
            }
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
        if !self.is_pending {
            return writeln!(f, "  values      {}", quantiles(Some(&self.new)));
        }
        writeln!(f, "  values old  {}", quantiles(self.old.as_ref()))?;
        writeln!(f, "         new  {}", quantiles(Some(&self.new)))?;
        if let Some(words) = self.old.as_ref().and_then(|old| moved(old, &self.new)) {
            writeln!(f, "  moved       {words}")?;
        }
        if let Some(old) = self
            .old
            .as_ref()
            .filter(|old| old.reached != self.new.reached)
        {
            let (before, now) = (old.reached.as_str(), self.new.reached.as_str());
            writeln!(f, "  reached     {before} before, {now} now")?;
        }
        let power = |entry: Option<&Entry>| {
            let power = entry.and_then(|entry| entry.power(self.sites));
            power.map_or("unknown".to_owned(), |[one, two, three, _]| {
                format!("{}, {}, {}", percent(one), percent(two), percent(three))
            })
        };
        writeln!(
            f,
            "  power  old  {} at 1, 2, 3 sd",
            power(self.old.as_ref())
        )?;
        writeln!(f, "         new  {}", power(Some(&self.new)))
    }
}

/// How the values moved: their middle, and how far they spread.
fn moved(old: &Entry, new: &Entry) -> Option<String> {
    let (old, new) = (old.quantiles?, new.quantiles?);
    let spread = |q: [f64; QUANTILES]| q[12] - q[4];
    let by = new[8] - old[8];
    let mut words = format!("the median by {by:+.3e}");
    if spread(old) > 0.0 {
        let (share, wider) = (by.abs() / spread(old), spread(new) / spread(old));
        words = format!(
            "the median by {} of what lies between 10% and 90%; that is {wider:.2} times as wide",
            percent(share)
        );
    }
    Some(words)
}

/// Decides about everything that is pending; a refusal is nothing to accept.
fn decide_all(waiting: &[Waiting], verdict: Verdict) -> Result<Exit, Failure> {
    let waiting: Vec<&Waiting> = waiting.iter().filter(|w| w.is_pending).collect();
    for waiting in &waiting {
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
            let question = match waiting.is_pending {
                true => "[a]ccept, [r]eject, [s]kip or mark as [u]nenforced? ",
                false => "[s]kip or mark as [u]nenforced? ",
            };
            write!(output, "{question}")?;
            output.flush()?;
            let Some(answer) = answers.next() else {
                return Ok(Exit::Fine);
            };
            let verdict = match answer?.trim() {
                "a" | "accept" if waiting.is_pending => Verdict::Accept,
                "r" | "reject" if waiting.is_pending => Verdict::Reject,
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
    Failure::input(error, "mend the file first; nothing was decided")
}
