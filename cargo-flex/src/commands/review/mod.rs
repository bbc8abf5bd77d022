//! `cargo flex review`: new bounds that somebody must look at before they take the place of the old ones.

mod edited;
mod histogram;
mod show;
mod strays;
mod waiting;

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use flex_bounds::file::{Entry, Key};
use flex_core::paint::Paint;
use flex_core::words::count;
use flex_run::store::Store;
use serde_json::{Value, json};

use crate::cargo::Workspace;
use crate::exit::{Exit, Failure};
use crate::pytest::{FLEX_CACHE, store_above};
use crate::terminal;
use edited::Edited;
use strays::SiteStrays;
use waiting::{ReviewDecision, WaitingEntry};

/// Shows new bounds that calibration did not write without being asked, beside the old ones, and takes decisions.
///
/// Example: cargo flex review
///
/// A bound that would loosen, one that could not be learned any more, and one whose site runs begin to miss wait in
/// flex-bounds.pending.toml. At a terminal each is accepted, rejected, skipped, or its site marked as unenforced; so are
/// sites for which no bound could be learned in the first place. Elsewhere they are listed, and the exit code is 1 if there
/// are any. Entries that somebody edited by hand are listed too, and runs that went beyond everything that calibration saw
/// and were cleared.
#[derive(Debug, Args)]
pub struct ReviewArgs {
    #[command(subcommand)]
    decision: Option<DecideAll>,

    /// Path to Cargo.toml
    #[arg(long, value_name = "PATH", global = true)]
    manifest_path: Option<PathBuf>,

    /// Review only these packages
    #[arg(
        long,
        short,
        value_name = "NAME",
        global = true,
        conflicts_with = "pytest"
    )]
    package: Vec<String>,

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
enum DecideAll {
    /// Puts new bounds in the place of the old ones.
    Accept(Which),
    /// Forgets new bounds; the old ones stay.
    Reject(Which),
    /// Marks sites as unenforced, also those that were refused.
    Unenforced(Which),
}

#[derive(Debug, Args)]
struct Which {
    /// Only those of tests or sites whose name contains one of these words
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    names: Vec<String>,

    /// All that wait
    #[arg(long)]
    all: bool,
}

impl Which {
    /// Whether this is about an entry.
    fn names(&self, waiting: &WaitingEntry) -> bool {
        let key = &waiting.new.key;
        let (test, site) = (key.test.name(), key.site.to_string());
        let is_in = |word: &String| test.contains(word.as_str()) || site.contains(word.as_str());
        self.all || self.names.iter().any(is_in)
    }
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
    let mut strays = Vec::new();
    let mut edited = Vec::new();
    for (store, log) in stores(args)? {
        let file = store.read().unwrap_or_default();
        strays.extend(SiteStrays::in_folder(&log, &file));
        edited.extend(Edited::in_file(&file));
        waiting.extend(WaitingEntry::in_store(store)?);
    }
    let mut output = terminal::stdout();
    if args.decision.is_none() && !args.json {
        for strays in &strays {
            writeln!(output, "{strays}")?;
        }
        for edited in &edited {
            writeln!(output, "{edited}")?;
        }
    }
    match &args.decision {
        Some(DecideAll::Accept(which)) => decide(&waiting, which, ReviewDecision::Accept),
        Some(DecideAll::Reject(which)) => decide(&waiting, which, ReviewDecision::Reject),
        Some(DecideAll::Unenforced(which)) => decide(&waiting, which, ReviewDecision::Unenforced),
        None if args.json => {
            let strays = strays.iter().map(SiteStrays::json);
            let waits = waiting.iter().map(WaitingEntry::json);
            let edited = edited.iter().map(Edited::json);
            let all: Vec<Value> = waits.chain(strays).chain(edited).collect();
            writeln!(io::stdout(), "{}", Value::from(all))?;
            Ok(found(&waiting))
        }
        None if io::stdin().is_terminal() => ask(&waiting, &mut output),
        None => list(&waiting, &mut output),
    }
}

/// What there is to say of an entry, for programs, with what the entry is known by.
fn json_of(key: &Key, said: Value) -> Value {
    let known_by = json!({
        "target": key.test.target(),
        "test": key.test.name(),
        "site": key.site.label(),
        "case": key.site.case,
        "variant": key.variant,
    });
    let parts = [known_by, said].into_iter();
    let parts = parts.filter_map(|part| part.as_object().cloned());
    parts.flatten().collect()
}

/// The bounds files, each with the folder of its log of strays.
fn stores(args: &ReviewArgs) -> Result<Vec<(Store, PathBuf)>, Failure> {
    if let Some(path) = &args.pytest {
        let store = store_above(path)?;
        let folder = store.path().parent().unwrap_or(Path::new("."));
        let log = folder.join(FLEX_CACHE);
        return Ok(vec![(store, log)]);
    }
    let manifest = args.manifest_path.as_deref();
    let workspace = Workspace::of(manifest)?;
    let log = workspace.target.join("flex");
    let packages = workspace.named(&args.package)?.into_iter();
    Ok(packages
        .map(|package| (package.store(), log.clone()))
        .collect())
}

/// Lists what waits, where nobody can be asked.
fn list(waiting: &[WaitingEntry], output: &mut impl Write) -> Result<Exit, Failure> {
    for waiting in waiting {
        writeln!(output, "{}", shown(waiting))?;
    }
    let pending = waiting.iter().filter(|waiting| waiting.is_pending).count();
    let refused = match waiting.len() - pending {
        0 => String::new(),
        refused => format!(", {} refused", count(refused, "site is", "sites are")),
    };
    let many = count(pending, "bound waits", "bounds wait");
    writeln!(terminal::stderr(), "{many} for a review{refused}")?;
    if pending > 0 {
        let hint = "`cargo flex review accept NAME` or `reject NAME` decides without a terminal; --all about all";
        writeln!(terminal::stderr(), "hint: {hint}")?;
    }
    if !refused.is_empty() {
        let hint = "`cargo flex review unenforced NAME` marks a refused site as unenforced";
        writeln!(terminal::stderr(), "hint: {hint}")?;
    }
    Ok(found(waiting))
}

/// An entry for whoever reads standard output.
fn shown(waiting: &WaitingEntry) -> String {
    match terminal::paint() {
        Paint::Coloured => format!("{waiting:#}"),
        Paint::Plain => waiting.to_string(),
    }
}

fn found(waiting: &[WaitingEntry]) -> Exit {
    if waiting.is_empty() {
        Exit::Fine
    } else {
        Exit::Findings
    }
}

/// Decides about what is named. A refusal is nothing to accept or to reject.
fn decide(
    waiting: &[WaitingEntry],
    which: &Which,
    decision: ReviewDecision,
) -> Result<Exit, Failure> {
    let can_be = |w: &WaitingEntry| w.is_pending || decision == ReviewDecision::Unenforced;
    let named = waiting.iter().filter(|w| can_be(w) && which.names(w));
    let named: Vec<&WaitingEntry> = named.collect();
    if named.is_empty() && !which.all {
        return Err(Failure::input(
            format!(
                "nothing waits that is named `{}`",
                which.names.join("` or `")
            ),
            "`cargo flex review` lists what waits",
        ));
    }
    for waiting in &named {
        waiting.decide(decision)?;
    }
    let word = match decision {
        ReviewDecision::Accept => "accepted",
        ReviewDecision::Reject => "rejected",
        ReviewDecision::Unenforced => "unenforced",
    };
    let many = count(named.len(), "bound", "bounds");
    writeln!(terminal::notes(), "{many} {word}")?;
    Ok(Exit::Fine)
}

/// Asks for a decision about each, at a terminal.
fn ask(waiting: &[WaitingEntry], output: &mut impl Write) -> Result<Exit, Failure> {
    let mut answers = io::stdin().lock().lines();
    for waiting in waiting {
        writeln!(output, "{}", shown(waiting))?;
        let quantiles = |entry: Option<&Entry>| entry.and_then(|entry| entry.quantiles);
        let both = quantiles(waiting.old.as_ref()).zip(quantiles(Some(&waiting.new)));
        if let Some(picture) = both.and_then(|(old, new)| histogram::beside(&old, &new)) {
            writeln!(output, "{picture}")?;
        }
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
            let decision = match answer?.trim() {
                "a" | "accept" if waiting.is_pending => ReviewDecision::Accept,
                "r" | "reject" if waiting.is_pending => ReviewDecision::Reject,
                "u" | "unenforced" => ReviewDecision::Unenforced,
                "s" | "skip" => break,
                _ => continue,
            };
            waiting.decide(decision)?;
            break;
        }
    }
    if waiting.is_empty() {
        writeln!(terminal::notes(), "nothing waits for a review")?;
    }
    Ok(Exit::Fine)
}
