//! `--engine NAME`: shards are made elsewhere, round by round, until what they show is enough.

mod sources;
mod work;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flex_bounds::config::{Engine, EngineConfig};
use flex_run::project::config::Project;
use flex_shard::Shard;
use flex_shard::file::{begin_of_names, file_ending, scan};
use flex_shard::share::RUNS_OF_PART;

use super::COMMAND;
use super::args::CalibrateArgs;
use crate::engine::{
    Driver, Journal, Local, Round, RoundEnd, Scheduler, ShardCommand, Shown, Slurm,
};
use crate::exit::{Exit, Failure};
use crate::session::{Interrupt, ShardDisplay, base_seed, jobs};
use crate::terminal;
use work::Work;

/// Whoever asks for more rounds than this never has enough.
const MOST_ROUNDS: u32 = 20;

/// So many shards for each worker, so that nobody waits long for the last.
const SHARDS_PER_WORKER: usize = 4;

/// So many of cargo's tests on this machine, where each costs some hundredths of a second. A session of pytest costs more.
const SHARDS_HERE: usize = 16;

/// So many for Slurm, which does not say how many workers there are.
const SHARDS_OF_SLURM: usize = 64;

/// What is asked of an engine, here or by flex.toml; `None` if this process makes the runs.
pub fn asked(args: &CalibrateArgs) -> Result<Option<EngineConfig>, Failure> {
    if args.shards.making.shard.is_some() || !args.shards.from.is_empty() {
        return Ok(None);
    }
    let folder = match (&args.pytest, args.cargo.manifest_path()) {
        (Some(path), _) => path.parent(),
        (None, manifest) => manifest.and_then(Path::parent),
    };
    let here = std::env::current_dir()?;
    let folder = folder.map_or_else(|| here.clone(), |folder| here.join(folder));
    let project = Project::of_package(&folder);
    let project = project.map_err(|error| Failure::input(error, "nothing was run"))?;
    let config = args.engine.or(&project.config.engine);
    match config.name {
        None | Some(Engine::None) => Ok(None),
        Some(_) if args.time_budget.is_some() => Err(Failure::input(
            "an engine makes all runs, whatever time that takes",
            "leave out --time-budget, or calibrate here with --engine none",
        )),
        Some(_) => Ok(Some(config)),
    }
}

/// Lets the engine make all rounds, and puts together what they show.
pub fn run(
    args: &CalibrateArgs,
    config: &EngineConfig,
    merge: impl Fn(&CalibrateArgs) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let interrupt = Interrupt::listen();
    let work = Work::prepare(args)?;
    let mut journal = work.journal(|| base_seed(args.seed.as_ref()));
    let said = work.out.join("said");
    fs::create_dir_all(&said)?;
    let (mut scheduler, usual) = scheduler(args, config, said)?;
    if journal.total == 0 {
        let usual = u32::try_from(usual).unwrap_or(u32::MAX);
        let (shards, most) = match config.shards {
            None => (usual, work.most_shards),
            // Who asks for more shards than there are parts has parts of fewer runs.
            Some(asked) => (asked, work.most_shards.saturating_mul(RUNS_OF_PART)),
        };
        journal.total = shards.clamp(1, most.max(1));
    }
    loop {
        journal.save(&work.out)?;
        let command = work.command(&journal);
        let made = make(&work, &command, &mut journal, &mut *scheduler, &interrupt)?;
        if let Some(exit) = made {
            return Ok(exit);
        }
        let exit = merge(&work.merging(args, journal.round))?;
        if exit != Exit::MoreRuns {
            work.end();
            return Ok(exit);
        }
        let shown =
            journal.round > 1 && work.asked_in(journal.round) == work.asked_in(journal.round + 1);
        if shown || journal.round >= MOST_ROUNDS {
            work.end();
            return Err(Failure::refused(
                "a further round of shards would show nothing new, and what they show is not enough",
                "calibrate the tests that are named above with --engine none, which says what is wrong with them",
            ));
        }
        (journal.round, journal.tasks) = (journal.round + 1, Vec::new());
    }
}

/// Makes one round; an exit code if that is the end.
fn make(
    work: &Work,
    command: &ShardCommand,
    journal: &mut Journal,
    scheduler: &mut dyn Scheduler,
    interrupt: &Interrupt,
) -> Result<Option<Exit>, Failure> {
    let round = journal.round;
    let known = RefCell::new(BTreeMap::new());
    let whole = |these: Option<&BTreeSet<u32>>| {
        whole_shards(&work.out, (round, command.total), these, &known)
    };
    let display = ShardDisplay::new(command.total);
    let mut shown = Shown::new(&display, command.total);
    let ended = Round {
        command,
        scheduler,
        interrupt,
        whole: &whole,
    }
    .make(journal, &mut shown);
    drop(shown);
    display.finish();
    match ended? {
        RoundEnd::Made => Ok(None),
        RoundEnd::Interrupted => {
            writeln!(
                terminal::stderr(),
                "interrupted: {} of {} shards are kept in {}; the same command goes on from them",
                whole(None)?.len(),
                command.total,
                work.out.display()
            )?;
            Ok(Some(Exit::Interrupted))
        }
        RoundEnd::GivenUp(given_up) => Err(Failure::build(
            format!(
                "shard {}/{} cannot be made: {} attempts failed, the last {}",
                given_up.shard + 1,
                command.total,
                given_up.attempts,
                given_up.words
            ),
            "shards that were made are kept: the same command goes on from them",
        )),
    }
}

/// Whoever makes the shards, and how many there are unless somebody says so.
fn scheduler(
    args: &CalibrateArgs,
    config: &EngineConfig,
    said: PathBuf,
) -> Result<(Box<dyn Scheduler>, usize), Failure> {
    let at_a_time = args.jobs.map(usize::from);
    let driver = |name: &str, said| -> Result<(Box<dyn Scheduler>, usize), Failure> {
        let driver = Driver::start(name, config.address.as_deref(), said)?;
        let shards = driver.workers.saturating_mul(SHARDS_PER_WORKER);
        Ok((Box::new(driver), shards))
    };
    match config.name {
        Some(Engine::Slurm) => {
            let slurm = Slurm::new(config, at_a_time, said)?;
            Ok((Box::new(slurm), SHARDS_OF_SLURM))
        }
        Some(Engine::Dask) => driver("dask", said),
        Some(Engine::Ray) => driver("ray", said),
        Some(Engine::Local | Engine::None) | None => {
            let jobs = jobs(args.jobs);
            let each = match args.pytest {
                Some(_) => SHARDS_PER_WORKER,
                None => SHARDS_HERE,
            };
            let shards = jobs.saturating_mul(each);
            Ok((Box::new(Local::new(jobs, said)), shards))
        }
    }
}

/// The shards of a round of so many that are whole, by index from 0 on. Files that were whole before are not read again, nor,
/// if only these shards may have become whole, those of others: a thousand workers that are still at it have a thousand.
fn whole_shards(
    folder: &Path,
    (round, total): (u32, u32),
    these: Option<&BTreeSet<u32>>,
    known: &RefCell<BTreeMap<PathBuf, Option<u32>>>,
) -> Result<BTreeSet<u32>, Failure> {
    let mut known = known.borrow_mut();
    let begins = these.map(|these| {
        let shards = these.iter().filter_map(|place| Shard::new(*place, total));
        let begins = shards.map(|shard| begin_of_names(COMMAND, round, shard));
        begins.collect::<Vec<String>>()
    });
    for entry in fs::read_dir(folder)?.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_meant = |begins: &Vec<String>| begins.iter().any(|begin| name.starts_with(begin));
        if !name.ends_with(file_ending()) || !begins.as_ref().is_none_or(is_meant) {
            continue;
        }
        let path = entry.path();
        if known.contains_key(&path) {
            continue;
        }
        // What cannot be read is not whole, or the merge says what is wrong with it.
        let Ok(scanned) = scan(&path) else { continue };
        if scanned.damaged == 0 && scanned.end.is_some_and(|end| end.whole) {
            let header = &scanned.header;
            let is_ours = header.round == round && header.shard.total() == total;
            known.insert(path, is_ours.then(|| header.shard.place()));
        }
    }
    Ok(known.values().copied().flatten().collect())
}
