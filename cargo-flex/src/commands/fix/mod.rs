//! `flex-harness fix`: proposes patches for flaky assertions, with what each alternative costs and catches.

mod apply;
mod check;
mod json;
mod pull_request;
mod record;
mod words;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use flex_core::bound::confidence::Confidence;
use flex_core::words::count;
use flex_detect::diff::unified;
use flex_detect::menu::{OfferKind, Standing};
use flex_detect::proposal::{Order, Patch, Plan, propose};
use flex_detect::record::{ObservedTest, Record};
use flex_detect::verdict::{Findings, JudgeRule, judge};

use crate::exit::{Exit, Failure};

/// Proposes patches for assertions that fail by chance, from what `detect` recorded.
///
/// Example: flex-harness fix | git apply
///
/// Standard output is a unified diff, one patch for each test; standard error says what else could be done, how often it
/// would still fail, what it costs and what it catches. What looks like a bug is never changed unless you ask for it.
/// The exit code is 1 if something was found that no patch mends.
#[derive(Debug, Args)]
pub struct FixArgs {
    /// Mend only tests whose name contains one of these words
    filters: Vec<String>,

    /// Mend the tests of pytest in this file or folder, or with this node id, instead of cargo packages
    #[arg(long, value_name = "PATH", conflicts_with = "manifest_path")]
    pytest: Option<PathBuf>,

    /// Path to Cargo.toml
    #[arg(long, value_name = "PATH")]
    manifest_path: Option<PathBuf>,

    /// What `detect` recorded [default: what it recorded last]
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// The probability that unchanged code passes a test
    #[arg(long, value_name = "P", default_value = "0.9999")]
    confidence: Confidence,

    /// Do this instead of the first that is possible of bound, empirical and rerun
    #[arg(long, value_name = "OPTION")]
    choose: Option<Choose>,

    /// Change also what looks like a bug; needs --choose and the name of the test
    #[arg(long, requires_all = ["choose", "filters"])]
    suspected: bool,

    /// Write the patches into the files, and run each patched test once
    #[arg(long)]
    apply: bool,

    /// Write also into files with changes that are not committed
    #[arg(long, requires = "apply")]
    allow_dirty: bool,

    /// Also write a description of each patch, with pictures, into this folder [default: flex-fix]
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, require_equals = true, default_missing_value = "flex-fix")]
    pr_text: Option<PathBuf>,

    /// Print everything as JSON, instead of a diff and words
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Choose {
    /// A bound from the tail, or a tolerance
    Bound,
    /// A bound from the extreme of the values
    Empirical,
    /// A tolerance, or a bound
    Tolerance,
    /// Reruns
    Rerun,
    /// A number that flex learns
    Learned,
    /// A fixed seed
    Seed,
    /// A closer bound for what is looser than needed
    Tighten,
}

impl Choose {
    fn kind(self) -> OfferKind {
        match self {
            Choose::Bound => OfferKind::Bound,
            Choose::Empirical => OfferKind::Empirical,
            Choose::Tolerance => OfferKind::Tolerance,
            Choose::Rerun => OfferKind::Rerun,
            Choose::Learned => OfferKind::Learned,
            Choose::Seed => OfferKind::Seed,
            Choose::Tighten => OfferKind::Tighten,
        }
    }
}

/// What was recorded, found and planned.
struct Work<'a> {
    args: &'a FixArgs,
    record: &'a Record,
    findings: &'a Findings,
    plan: &'a Plan,
}

/// Runs the command.
pub fn run(args: &FixArgs) -> Result<Exit, Failure> {
    let record = record::read(args)?;
    let rule = JudgeRule {
        probability: Some(args.confidence.false_alarm_rate()),
    };
    let findings = judge(&record, &rule);
    let order = Order {
        confidence: args.confidence,
        choose: args.choose.map(Choose::kind),
        even_suspected: args.suspected,
    };
    let is_named = |test: &ObservedTest| args.names(test, &record.root);
    if !record.tests.iter().any(is_named) {
        return Err(nothing_named(&record));
    }
    let mut read = |file: &Path| {
        let path = record.root.join(file);
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let plan = propose(&record, &findings, &order, is_named, &mut read);
    let work = Work {
        args,
        record: &record,
        findings: &findings,
        plan: &plan,
    };
    for patch in work.last_patches() {
        check::parses(record.runner, &patch.file, &patch.after)?;
    }
    if !args.json {
        io::stderr().write_all(words::menus(&work).as_bytes())?;
    }
    if let Some(folder) = &args.pr_text {
        pull_request::write(&work, folder)?;
    }
    let mended = if args.apply {
        apply::apply(&work)?
    } else {
        true
    };
    if args.json {
        writeln!(io::stdout(), "{:#}", json::json(&work))?;
    } else if !args.apply {
        print_patches(&work)?;
    }
    let remain = work.unmended();
    if !args.json {
        io::stderr().write_all(words::summary(&work, remain).as_bytes())?;
    }
    Ok(match remain == 0 && mended {
        true => Exit::Fine,
        false => Exit::Findings,
    })
}

fn print_patches(work: &Work<'_>) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    for patch in &work.plan.patches {
        // What stands before a patch is for people; who applies it skips that.
        writeln!(out, "# {}", work.record.tests[patch.test].name())?;
        out.write_all(work.diff(patch).as_bytes())?;
    }
    Ok(())
}

impl Work<'_> {
    /// A patch as a diff that is applied in the current folder.
    fn diff(&self, patch: &Patch) -> String {
        let path = self.record.root.join(&patch.file);
        let here = std::env::current_dir().unwrap_or_default();
        let shown = path.strip_prefix(&here).unwrap_or(&patch.file);
        let shown = shown.to_string_lossy().replace('\\', "/");
        unified(&shown, &patch.before, &patch.after)
    }

    /// The last patch of each file, after which it is what it will be.
    fn last_patches(&self) -> Vec<&Patch> {
        let patches = &self.plan.patches;
        let is_last = |at: usize| !patches[at + 1..].iter().any(|p| p.file == patches[at].file);
        let last = (0..patches.len()).filter(|at| is_last(*at));
        last.map(|at| &patches[at]).collect()
    }

    /// How many assertions can fail a build and get no patch.
    fn unmended(&self) -> usize {
        let proposals = self.plan.proposals.iter();
        let remain = proposals.filter(|proposal| {
            let is_fine = proposal.menu.standing == Standing::Keep;
            proposal.finding.is_finding() && proposal.choice.is_err() && !is_fine
        });
        let mut places: Vec<_> = remain
            .map(|proposal| (proposal.test, proposal.finding.site))
            .collect();
        places.dedup();
        places.len()
    }
}

impl FixArgs {
    /// Whether a test is to be mended.
    fn names(&self, test: &ObservedTest, root: &Path) -> bool {
        let is_filtered = self.filters.is_empty()
            || self
                .filters
                .iter()
                .any(|word| test.name().contains(word.as_str()));
        let is_there = self.pytest.as_ref().is_none_or(|path| {
            let text = path.to_string_lossy();
            let (file, rest) = text.split_once("::").unwrap_or((&text, ""));
            let absolute = std::path::absolute(file).unwrap_or_else(|_| file.into());
            let id = test.name().split_once("::").map_or("", |(_, id)| id);
            let is_below = |folder: &Path| root.join(&test.place.file).starts_with(folder);
            let real = absolute.canonicalize().unwrap_or_else(|_| absolute.clone());
            (is_below(&absolute) || is_below(&real)) && id.starts_with(rest)
        });
        is_filtered && is_there
    }
}

fn nothing_named(record: &Record) -> Failure {
    let tests = count(record.tests.len(), "test", "tests");
    Failure::Input {
        error: format!("the record holds {tests}, and none that is asked for"),
        hint: "leave out filters, or let `flex-harness detect` search the tests first".to_owned(),
    }
}
