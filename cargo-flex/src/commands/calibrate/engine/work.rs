//! What an engine works on: the command of its shards, where they go, and what another submitter must have in common.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use flex_core::seed::sha256;
use flex_run::calibrate::scratch_folder;
use flex_run::project::duration::seconds;
use flex_run::text_file;
use flex_shard::share::most_shards;

use super::super::args::CalibrateArgs;
use super::sources::{self, state_of};
use crate::cargo::{build, find, write_programs};
use crate::engine::{Held, Journal, LOCK, ShardCommand};
use crate::exit::Failure;
use crate::pytest::FLEX_CACHE;
use crate::shards::{MakingArgs, ShardArgs};

/// The folder of pytest's cache.
const CACHE: &str = ".pytest_cache";

/// What is made.
pub struct Work {
    /// Where shards go.
    pub out: PathBuf,
    /// The same for everybody who makes the same shards of the same code.
    session: String,
    /// The folder that commands are run in.
    folder: PathBuf,
    /// The program, and the options that all shards have in common.
    words: Vec<String>,
    /// The list of what was built; `None` for pytest.
    programs: Option<PathBuf>,
    /// How many shards can have anything to do.
    pub most_shards: u32,
    _held: Held,
}

impl Work {
    /// Builds the tests, if they are cargo's, and finds out where their shards go.
    pub fn prepare(args: &CalibrateArgs) -> Result<Self, Failure> {
        let here = std::env::current_dir()?;
        let options = options(args);
        let name = format!(
            "engine-{}",
            hash(&format!("{} {options:?}", here.display()))
        );
        let mut words = vec![
            std::env::current_exe()?.to_string_lossy().into_owned(),
            "calibrate".to_owned(),
        ];
        words.extend(options);
        if args.pytest.is_some() {
            let cache = here.join(CACHE);
            if !cache.exists() {
                // pytest leaves a folder that is there as it is, and git would see it.
                fs::create_dir_all(&cache)?;
                fs::write(cache.join(".gitignore"), "*\n")?;
            }
            let out = here.join(FLEX_CACHE).join(name);
            let state = sources::state(&here);
            return Work::hold(out, here, words, &state, u32::MAX);
        }
        let programs = build(&args.cargo)?;
        let mut all = Vec::new();
        let mut state = String::new();
        for program in &programs {
            all.extend(find(program)?);
            let exe = &program.program.exe;
            let _ = write!(state, "{} {} ", exe.display(), state_of(exe));
        }
        let tests = args.filter().select(all, programs.len())?.len();
        let Some(first) = programs.first() else {
            let error = "cargo builds no tests here";
            return Err(Failure::input(error, "name a package with -p"));
        };
        let out = scratch_folder(&first.program.exe).join(name);
        words.extend(["--jobs".to_owned(), "1".to_owned()]);
        let mut work = Work::hold(out, here, words, &state, most_shards(tests))?;
        let file = work.out.join("programs.json");
        write_programs(&programs, &file)?;
        work.programs = Some(file);
        Ok(work)
    }

    /// Holds the folder against other submitters, and clears it of what was made of other code or under other options.
    fn hold(
        out: PathBuf,
        folder: PathBuf,
        words: Vec<String>,
        state: &str,
        most_shards: u32,
    ) -> Result<Self, Failure> {
        let work = Work {
            _held: Held::hold(&out)?,
            session: hash(&format!("{words:?} {state}")),
            out,
            folder,
            words,
            programs: None,
            most_shards,
        };
        if Journal::left_in(&work.out, &work.session).is_none() {
            work.clear()?;
        }
        Ok(work)
    }

    /// What an earlier submitter of the same left, or a journal without shards.
    pub fn journal(&self, base: impl FnOnce() -> String) -> Journal {
        let left = Journal::left_in(&self.out, &self.session);
        left.unwrap_or_else(|| Journal::new(self.session.clone(), base(), 0))
    }

    /// The command of the shards of a round.
    pub fn command(&self, journal: &Journal) -> ShardCommand {
        let mut words = self.words.clone();
        words.extend(["--seed".to_owned(), journal.base.clone()]);
        let mut path = |option: &str, path: &Path| {
            words.extend([option.to_owned(), path.to_string_lossy().into_owned()]);
        };
        if let Some(programs) = &self.programs {
            path("--programs", programs);
        }
        if journal.round > 1 {
            path("--plan", &self.plan(journal.round));
        }
        ShardCommand {
            words,
            folder: self.folder.clone(),
            out: self.out.clone(),
            total: journal.total,
        }
    }

    /// The file with the plan of a round.
    pub fn plan(&self, round: u32) -> PathBuf {
        self.out.join(format!("plan-{round}.json"))
    }

    /// What the plan of a round asks for, test by test.
    pub fn asked_in(&self, round: u32) -> Option<serde_json::Value> {
        let text = text_file::read_text(&self.plan(round)).ok()??;
        let mut plan: serde_json::Value = serde_json::from_str(&text).ok()?;
        Some(plan["tests"].take())
    }

    /// The arguments that put together what is there, and write the plan of the round after this one.
    pub fn merging(&self, args: &CalibrateArgs, round: u32) -> CalibrateArgs {
        let mut merging = args.clone();
        merging.shards = ShardArgs {
            from: vec![self.out.clone()],
            making: MakingArgs {
                plan: Some(self.plan(round + 1)),
                ..MakingArgs::default()
            },
        };
        merging.cargo.programs.clone_from(&self.programs);
        if args.pytest.is_some() {
            // What is put together is no work for several processes.
            merging.jobs = None;
        }
        merging
    }

    /// All is learned: nothing of it is needed any more.
    pub fn end(&self) {
        // What cannot be removed is recognised by the next one, and cleared then.
        Journal::forget(&self.out);
        let _ = fs::remove_dir_all(&self.out);
    }

    /// Removes what was made of other code, or under other options.
    fn clear(&self) -> Result<(), Failure> {
        for entry in fs::read_dir(&self.out)?.flatten() {
            let path = entry.path();
            match entry.file_type()?.is_dir() {
                true => fs::remove_dir_all(path)?,
                false if entry.file_name() == LOCK => {}
                false => fs::remove_file(path)?,
            }
        }
        Ok(())
    }
}

/// The options that decide which runs there are, as the command line of a shard takes them.
fn options(args: &CalibrateArgs) -> Vec<String> {
    let mut options: Vec<String> = Vec::new();
    let mut option = |name: &str, value: Option<String>| {
        options.extend(value.map(|value| format!("--{name}={value}")));
    };
    let path = args.pytest.as_ref();
    option(
        "pytest",
        path.map(|path| path.to_string_lossy().into_owned()),
    );
    option("runs", args.runs.map(|runs| runs.to_string()));
    option("max-runs", args.max_runs.map(|runs| runs.to_string()));
    option("timeout", args.timeout.map(seconds));
    let flags = [
        ("--exact", args.exact),
        ("--include-ignored", args.include_ignored),
        ("--full", args.full),
        ("--check", args.check),
    ];
    let set = flags.into_iter().filter(|(_, set)| *set);
    options.extend(set.map(|(flag, _)| flag.to_owned()));
    options.extend(args.filters.iter().cloned());
    options
}

/// A short name for a text.
fn hash(text: &str) -> String {
    let hash = sha256(text.as_bytes());
    hash[..6].iter().map(|byte| format!("{byte:02x}")).collect()
}
