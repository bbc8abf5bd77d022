//! Putting shards together: what is there, what is missing, and what is said of both.

use std::io::Write;
use std::path::PathBuf;

use flex_core::seed::{Phase, SeedRequest};
use flex_shard::folder::Shards;
use flex_shard::report::{Missing, missing_in_words, plan_for};

use crate::called;
use crate::exit::{Exit, Failure};
use crate::terminal;

/// Shards that are put together.
#[derive(Debug)]
pub struct Putting {
    /// What they showed.
    pub shards: Shards,
    /// Where the plan of a further round goes.
    plan: PathBuf,
    /// The first of their folders.
    folder: PathBuf,
}

impl Putting {
    /// The shards that the options name; `None` if they name none.
    pub fn asked(
        (from, plan): (&[PathBuf], Option<&PathBuf>),
        command: &str,
        phase: Phase,
        seed: Option<&SeedRequest>,
    ) -> Result<Option<Self>, Failure> {
        let Some(folder) = from.first().cloned() else {
            return match plan {
                None => Ok(None),
                Some(plan) => Err(Failure::input(
                    format!(
                        "--plan {} is for shards, and there are none",
                        plan.display()
                    ),
                    "give --shard and --out to make what it names, or --from to write one",
                )),
            };
        };
        let shards = Shards::read(from).map_err(|error| {
            let name = called::name();
            let hint = format!("`{name} {command} --shard K/N --out DIR` makes shards");
            Failure::input(error, hint)
        })?;
        let header = shards.header();
        let wrong = |what: &str, theirs: &str, ours: &str| {
            Failure::input(
                format!("the shards have the {what} `{theirs}`, and this has `{ours}`"),
                "give the options that the shards had, and nothing else",
            )
        };
        if header.command != command {
            return Err(wrong("command", &header.command, command));
        }
        if header.phase != phase.as_str() {
            return Err(wrong("phase", &header.phase, phase.as_str()));
        }
        if let Some(seed) = seed.filter(|seed| seed.base != header.base) {
            return Err(wrong("base seed", &header.base, &seed.base));
        }
        let plan = plan.cloned();
        Ok(Some(Putting {
            plan: plan.unwrap_or_else(|| folder.join("plan.json")),
            folder,
            shards,
        }))
    }

    /// Refuses shards of code that is compared with another commit than this.
    pub fn check_against(&self, commit: Option<&str>) -> Result<(), Failure> {
        let theirs = self.shards.header().against.as_deref();
        let shown = |commit: Option<&str>| commit.map_or("no commit".to_owned(), str::to_owned);
        match theirs == commit {
            true => Ok(()),
            false => Err(Failure::input(
                format!(
                    "the shards are compared with {}, and this is with {}",
                    shown(theirs),
                    shown(commit)
                ),
                "name the commit itself with --base, since a branch can move on",
            )),
        }
    }

    /// Refuses shards that had other numbers of such runs to begin with, and at most, than these options ask for.
    pub fn check_runs(
        &self,
        asked: (Option<u32>, Option<u32>),
        what: &str,
        options: &str,
    ) -> Result<(), Failure> {
        let header = self.shards.header();
        let theirs = (header.runs, header.max_runs);
        let shown = |(runs, most): (Option<u32>, Option<u32>)| {
            let numbers = runs
                .into_iter()
                .chain(most)
                .map(|number| number.to_string());
            numbers.collect::<Vec<_>>().join(" to ")
        };
        match theirs == asked {
            true => Ok(()),
            false => Err(Failure::input(
                format!(
                    "the shards have {} {what}, and this asks for {}",
                    shown(theirs),
                    shown(asked)
                ),
                format!("give {options} as the shards had them"),
            )),
        }
    }

    /// The base seed.
    pub fn base(&self) -> &str {
        &self.shards.header().base
    }

    /// Says what is missing, writes the plan of a further round, and how the program ends.
    pub fn report_missing(&self, missing: &[Missing]) -> Result<Exit, Failure> {
        let plan = plan_for(&self.shards, missing);
        let path = self.plan.display().to_string();
        plan.write(&self.plan).map_err(|error| {
            Failure::input(
                format!("cannot write {path}: {error}"),
                "name another file with --plan",
            )
        })?;
        self.say(&missing_in_words(&self.shards, &plan, &path))?;
        let (name, command) = (called::name(), &plan.command);
        let out = self.folder.display();
        self.say(&[format!(
            "hint: {name} {command} --shard K/N --out {out} --plan {path}, and --from again"
        )])?;
        Ok(Exit::MoreRuns)
    }

    /// Says something about shards.
    pub fn say(&self, lines: &[String]) -> Result<(), Failure> {
        for line in lines {
            writeln!(terminal::stderr(), "{line}")?;
        }
        Ok(())
    }
}
