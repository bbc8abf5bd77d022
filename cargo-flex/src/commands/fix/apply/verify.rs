//! Runs each patched test once, under the first seed that failed it.
//!
//! Which program that is, is decided here: the record names a test, and what it says besides are words among the
//! arguments, checked when it was read.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use flex_core::visible::visible;
use flex_detect::invocation::{Invocation, Replays};
use flex_detect::menu::Remedy;
use flex_detect::proposal::Patch;
use flex_detect::report;
use flex_run::model::Runner;
use flex_run::project::env;

use crate::called;
use crate::commands::fix::work::FixWork;
use crate::exit::Failure;
use crate::pytest::with_python;
use crate::terminal;

/// Whether every test passes whose file was written. One that does not is left as it is: its other assertions may fail
/// under that seed, and version control has the file as it was.
pub fn verify(work: &FixWork<'_>, written: &[&Path]) -> Result<bool, Failure> {
    let mut all_pass = true;
    let patches = work.plan.patches.iter();
    for patch in patches.filter(|patch| written.contains(&patch.file.as_path())) {
        let name = visible(work.record.tests[patch.test].name());
        let Some((replays, seed)) = repeated(work, patch) else {
            continue;
        };
        let command = replays.shown(&seed).to_string();
        let command = visible(&command);
        let said = match run(work, replays, &seed) {
            Some(Ok(true)) => format!("{name} passes: {command}"),
            Some(Ok(false)) => {
                all_pass = false;
                let file = work.record.root.join(&patch.file);
                format!(
                    "warning: {name} still fails: {command}\nhint: another assertion may fail it, which `{} detect` sees now; `git checkout {}` takes \
                     the patch back",
                    called::name(),
                    file.display()
                )
            }
            Some(Err(error)) => {
                all_pass = false;
                format!("warning: cannot run {name}: {error}\nhint: run `{command}`")
            }
            None => format!("hint: see whether {name} passes now: {command}"),
        };
        writeln!(terminal::stderr(), "{said}")?;
    }
    Ok(all_pass)
}

/// What repeats the first failing run. A number that is yet to be learned has nothing to repeat; a test that is rerun now
/// is to pass as a whole, not in the run that failed.
fn repeated<'a>(work: &'a FixWork<'_>, patch: &Patch) -> Option<(&'a Replays, String)> {
    let proposals = || {
        patch
            .proposals
            .iter()
            .map(|index| &work.plan.proposals[*index])
    };
    let changes = |is_it: fn(&Remedy) -> bool| {
        proposals().any(|proposal| {
            let choice = proposal.choice.as_ref().ok();
            let offer = choice.map(|choice| &proposal.menu.offers[choice.offer]);
            offer.is_some_and(|offer| is_it(&offer.change))
        })
    };
    let is_learned = changes(|change| matches!(change, Remedy::Learned { .. }));
    let is_rerun = changes(|change| matches!(change, Remedy::Reruns { .. }));
    let first = proposals().find_map(|proposal| proposal.finding.figures.failed.first());
    let judged = work.findings.tests.get(patch.test)?;
    let nearest = proposals().find_map(|proposal| proposal.finding.figures.nearest);
    let run = first.copied().or(nearest).filter(|_| !is_learned)?;
    let seed = match is_rerun {
        true => report::base(judged).to_owned(),
        false => report::seed(judged, run),
    };
    Some((judged.replay.as_ref()?, seed))
}

/// Runs the test in the project that was asked for; `None` if that would read files from outside of it.
fn run(work: &FixWork<'_>, replays: &Replays, seed: &str) -> Option<io::Result<bool>> {
    let folder = &work.record.root;
    let is_inside = |file: &&str| work.root.file(&folder.join(file)).is_ok();
    let invocation = replays.in_root(seed);
    if !replays.files().iter().all(is_inside) || !names_our_bounds(&invocation) {
        return None;
    }
    Some(match invocation.runner {
        Runner::Cargo => {
            let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
            status(&cargo, &[], &invocation, folder)
        }
        Runner::Pytest => with_python(|python| {
            let python = OsString::from(python);
            status(&python, &["-m", "pytest"], &invocation, folder)
        }),
    })
}

/// Whether the bounds file is none, or the one that our own environment names: that of a record could be any.
fn names_our_bounds(invocation: &Invocation) -> bool {
    let mut named = invocation.variables.iter();
    named.all(|(name, value)| *name != env::BOUNDS || std::env::var(name).as_ref() == Ok(value))
}

fn status(
    program: &OsString,
    before: &[&str],
    invocation: &Invocation,
    folder: &Path,
) -> io::Result<bool> {
    let status = Command::new(program)
        .args(before)
        .args(&invocation.arguments)
        .envs(
            invocation
                .variables
                .iter()
                .map(|(name, value)| (name, value)),
        )
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    Ok(status.success())
}
