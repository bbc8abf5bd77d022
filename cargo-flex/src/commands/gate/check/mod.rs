//! `gate check` and `check`: reruns tests, says which are flaky, and whether they were so before.

mod cargo;
mod checked;
mod engine;
mod junit;
mod made;
mod names;
mod pytest;
mod words;

use std::io::{self, Write};
use std::path::Path;

use flex_core::words::count;
use flex_detect::compare as report;
use flex_gate::bank::trials_to_catch;
use flex_gate::selection::Selection;

use super::args::{CheckArgs, CheckTestsArgs, TrialArgs};
use super::select;
use crate::cargo::CargoArgs;
use crate::exit::{Exit, Failure};
use crate::git::Repository;
use crate::session::{base_seed, check_request, most_urgent};
use crate::{summary, terminal};
use checked::Checked;
use engine::{Base, check};

/// `gate check`: reruns what was selected.
pub fn run(args: &CheckArgs) -> Result<Exit, Failure> {
    let repository = Repository::of(Path::new("."))?;
    let selection = match &args.from {
        Some(from) => {
            let wrong = |why| Failure::input(why, "`gate select --json` writes it");
            Selection::parse(&select::read(from)?).map_err(wrong)?
        }
        None => select::of_change(&repository, &args.selecting)?,
    };
    let names: Vec<String> = selection.tests.iter().map(|test| test.id.clone()).collect();
    let base = match &selection.base {
        Some(base) => Some(Base {
            commit: repository.commit(base)?,
            repository,
            compares: args.compare,
        }),
        None if args.compare => {
            return Err(Failure::input(
                "it is not known what to compare with: the selection names no commit",
                "select from `gate diff --json`, or without --from",
            ));
        }
        None => None,
    };
    let checking = Checking::new(&args.trials, &args.selecting.cargo)?;
    let checked = match &args.selecting.pytest {
        _ if names.is_empty() => Checked::default(),
        Some(_) => check(
            &checking,
            &mut pytest::Pytest::new(&checking, names)?,
            base.as_ref(),
        )?,
        None => check(
            &checking,
            &mut cargo::Cargo::new(&checking, Some(&names), &[])?,
            base.as_ref(),
        )?,
    };
    say(&checked, &args.trials)
}

/// `check`: reruns tests that are named.
pub fn run_named(args: &CheckTestsArgs) -> Result<Exit, Failure> {
    let checking = Checking::new(&args.trials, &args.cargo)?;
    let checked = match names::of_pytest(&args.named)? {
        Some(names) => check(&checking, &mut pytest::Pytest::new(&checking, names)?, None)?,
        None => check(
            &checking,
            &mut cargo::Cargo::new(&checking, None, &args.named)?,
            None,
        )?,
    };
    say(&checked, &args.trials)
}

/// How tests are checked.
pub struct Checking<'a> {
    pub args: &'a TrialArgs,
    pub cargo: &'a CargoArgs,
    /// The base seed.
    pub base: String,
}

impl<'a> Checking<'a> {
    fn new(args: &'a TrialArgs, cargo: &'a CargoArgs) -> Result<Self, Failure> {
        check_request("a check", args.seed.as_ref(), None, None)?;
        Ok(Checking {
            args,
            cargo,
            base: base_seed(args.seed.as_ref()),
        })
    }

    /// Trials at most of each test.
    fn most(&self) -> u32 {
        let caught = || trials_to_catch(self.args.catch, self.args.confidence);
        self.args.trials.unwrap_or_else(caught)
    }
}

/// Says what was found, to whoever wants to know.
fn say(checked: &Checked, args: &TrialArgs) -> Result<Exit, Failure> {
    let mut output = io::stdout().lock();
    match args.json {
        true => {
            serde_json::to_writer(&mut output, &checked.json()?)?;
            writeln!(output)?;
        }
        false => {
            write!(output, "{}", words::text(checked))?;
            write!(output, "{}", words::annotations(checked))?;
        }
    }
    if let Some(path) = &args.junit {
        junit::write(path, checked)?;
    }
    if let Some(path) = &args.summary {
        let compared = checked.compared.as_ref().map(report::markdown);
        let compared = compared.map_or_else(String::new, |text| format!("\n{text}"));
        summary::append(path, &(words::markdown(checked) + &compared))?;
    }
    let tests = count(checked.tests.len(), "test", "tests");
    let blocking = checked
        .tests
        .iter()
        .filter(|test| test.verdict.blocks())
        .count();
    writeln!(
        terminal::stderr(),
        "{tests} checked: {blocking} newly flaky or failing"
    )?;
    let found = (blocking > 0).then_some(Exit::Findings);
    Ok(most_urgent(checked.exits.iter().copied().chain(found)))
}
