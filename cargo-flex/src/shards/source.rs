//! Who makes runs: processes here, processes here whose answers are written down for others, or shards, which made them
//! elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use flex_core::seed::SeedRequest;
use flex_core::words::count;
use flex_run::calibrate::CalibrationError;
use flex_run::project::env;
use flex_run::watch::follow_parent;
use flex_shard::TestKey;
use flex_shard::answers::Answers;
use flex_shard::calibrate::{Wanted, fits_together};
use flex_shard::file::{Frame, ShardContent, ShardWriter};
use flex_shard::folder::Shards;
use flex_shard::report::{
    Kinds, Missing, conflicts_as_warning, conflicts_in_words, kinds_in_words, lost_in_words,
};
use flex_shard::union::{RunConflict, runs_of};

use super::making::Making;
use super::merging::Putting;
use crate::exit::{Exit, Failure};
use crate::probes::Places;
use crate::session::{base_seed, locked, most_urgent};
use crate::terminal;

/// Who makes runs.
pub enum Source {
    /// Processes here.
    Here,
    /// Processes here, which make a shard.
    Shard(Box<Keeping>),
    /// Shards made them.
    Shards(Box<Playing>),
}

impl Source {
    /// The source of runs that the options ask for, and the base seed.
    pub fn asked(
        (making, putting): (Option<Making>, Option<Putting>),
        seed: Option<&SeedRequest>,
        root: impl FnOnce() -> Result<PathBuf, Failure>,
    ) -> Result<(Self, String), Failure> {
        Ok(match (making, putting) {
            (Some(making), _) => {
                let base = making.header.base.clone();
                let keeping = Keeping::begin(making, &root()?)?;
                (Source::Shard(Box::new(keeping)), base)
            }
            (None, Some(putting)) => {
                let base = putting.base().to_owned();
                let playing = Playing {
                    putting,
                    noted: Mutex::default(),
                };
                (Source::Shards(Box::new(playing)), base)
            }
            (None, None) => (Source::Here, base_seed(seed)),
        })
    }

    /// What is known of a test before anything is made; `None` if nobody can know anything.
    pub fn answers(&self, key: &TestKey) -> Result<Option<Answers>, CalibrationError> {
        let shards = match self {
            Source::Here => None,
            Source::Shard(keeping) => keeping.before.as_ref(),
            Source::Shards(playing) => Some(&playing.putting.shards),
        };
        let Some(shards) = shards else {
            return Ok(None);
        };
        let answers = shards.answers(key).map_err(|error| {
            CalibrationError::Process(format!("cannot read its shards: {error}"))
        })?;
        fits_together(&answers)?;
        if let Source::Shards(playing) = self {
            playing.see(key, &answers);
        }
        Ok(Some(answers))
    }

    /// The making of a shard, if this is one.
    pub fn making(&self) -> Option<&Making> {
        match self {
            Source::Shard(keeping) => Some(&keeping.making),
            Source::Here | Source::Shards(_) => None,
        }
    }

    /// Whether runs can be made that nobody made before.
    pub fn makes_runs(&self) -> bool {
        !matches!(self, Source::Shards(_))
    }

    /// Ends the shard, if this is one, of so many tests, and says how the program ends; `exits` speak for tests of which
    /// nothing came.
    pub fn end(&self, tests: usize, exits: &[Exit], is_interrupted: bool) -> Result<Exit, Failure> {
        match self {
            Source::Shard(keeping) if is_interrupted => keeping.interrupted(),
            Source::Shard(keeping) => keeping.end(tests, exits),
            Source::Here | Source::Shards(_) => Ok(most_urgent(exits.iter().copied())),
        }
    }

    /// Whether anything is known to be missing of what shards were to make.
    pub fn misses(&self) -> bool {
        match self {
            Source::Shards(playing) => !locked(&playing.noted).missing.is_empty(),
            Source::Here | Source::Shard(_) => false,
        }
    }

    /// There was no time for all runs of a test.
    pub fn was_short(&self) {
        if let Source::Shard(keeping) = self {
            keeping.is_short.store(true, Ordering::Relaxed);
        }
    }
}

/// The making of a shard.
pub struct Keeping {
    making: Making,
    /// What an earlier try of it left.
    before: Option<Shards>,
    writer: ShardWriter,
    /// What runs touched is told with its lines here: elsewhere, programs can be others.
    pub(super) places: Places,
    is_short: AtomicBool,
}

impl Keeping {
    /// Begins a shard of tests of this workspace.
    fn begin(making: Making, root: &Path) -> Result<Self, Failure> {
        // A worker of a cluster that is lost takes along what it started.
        let parent = env::parent().map_err(|error| Failure::input(error, "nothing was run"))?;
        if let Some(parent) = parent {
            follow_parent(parent);
        }
        Ok(Keeping {
            before: Shards::before(&making.folder, &making.header),
            writer: making.begin()?,
            making,
            places: Places::new(root),
            is_short: AtomicBool::new(false),
        })
    }

    /// Writes down what runs of a test showed.
    pub(super) fn write(&self, frame: &Frame) -> Result<(), CalibrationError> {
        let runs = match &frame.content {
            ShardContent::Recorded(recorded) => runs_of(recorded).len(),
            ShardContent::Text(_) => 0,
        };
        let written = self.push(frame, runs as u64);
        written.map_err(|failure| CalibrationError::Process(failure.to_string()))
    }

    /// Adds a frame of so many runs.
    pub(super) fn push(&self, frame: &Frame, runs: u64) -> Result<(), Failure> {
        let written = self.writer.push(frame, runs);
        written.map_err(|error| self.making.unwritten(&error))
    }

    /// Ends the shard of so many tests, and says what it holds.
    fn end(&self, tests: usize, exits: &[Exit]) -> Result<Exit, Failure> {
        let is_short = self.is_short.load(Ordering::Relaxed);
        let ended = self.writer.end(exits.is_empty() && !is_short);
        let runs = ended.map_err(|error| self.making.unwritten(&error))?;
        let runs = count(usize::try_from(runs).unwrap_or(usize::MAX), "run", "runs");
        let header = &self.making.header;
        let why = match is_short {
            true => "; there was no time for the rest",
            false => "",
        };
        writeln!(
            terminal::stderr(),
            "shard {}: {runs} of {}, seed {}; wrote {}{why}",
            header.shard,
            count(tests, "test", "tests"),
            header.base,
            self.writer.path().display()
        )?;
        Ok(most_urgent(exits.iter().copied()))
    }

    /// Says where what was made stays when somebody ends the session.
    fn interrupted(&self) -> Result<Exit, Failure> {
        writeln!(
            terminal::stderr(),
            "interrupted: what was made stays in {}, and the same command goes on",
            self.writer.path().display()
        )?;
        Ok(Exit::Interrupted)
    }
}

/// Shards that answer in place of processes.
pub struct Playing {
    putting: Putting,
    noted: Mutex<Noted>,
}

/// Runs of a test that were made twice and were not the same.
struct Differing {
    conflicts: Vec<RunConflict>,
    /// Those that ended otherwise.
    otherwise: BTreeSet<u32>,
}

/// What is noted while shards answer.
#[derive(Default)]
struct Noted {
    missing: BTreeMap<TestKey, (Wanted, f64)>,
    conflicts: BTreeMap<TestKey, Differing>,
    kinds: Kinds,
    seen: Vec<TestKey>,
}

impl Playing {
    /// The shards.
    pub(super) fn shards(&self) -> &Shards {
        &self.putting.shards
    }

    fn see(&self, key: &TestKey, answers: &Answers) {
        let mut noted = locked(&self.noted);
        if noted.seen.contains(key) {
            return;
        }
        noted.seen.push(key.clone());
        noted.kinds.add(key, answers);
        if !answers.union.conflicts.is_empty() {
            let differing = Differing {
                conflicts: answers.union.conflicts.clone(),
                otherwise: answers.union.otherwise.clone(),
            };
            noted.conflicts.insert(key.clone(), differing);
        }
    }

    /// Notes what is missing of a test, whose runs take so long.
    pub(super) fn miss(&self, key: &TestKey, wanted: Wanted, seconds_per_run: f64) {
        let mut noted = locked(&self.noted);
        let (known, seconds) = noted.missing.entry(key.test()).or_default();
        known.all |= wanted.all;
        known.runs.extend(wanted.runs);
        known.runs.sort_unstable();
        known.runs.dedup();
        known.repeat = known.repeat.take().or(wanted.repeat);
        *seconds = seconds.max(seconds_per_run);
    }

    /// Says which shards of the first round are lost or cut, where they alone know which tests there are, and how the program
    /// ends then.
    pub fn lost(&self) -> Result<Option<Exit>, Failure> {
        let shards = &self.putting.shards;
        if shards.first_round_is_whole() {
            return Ok(None);
        }
        let mut lines = lost_in_words(shards);
        if shards.status().iter().all(|status| status.round > 1) {
            lines.push(
                "missing: the first round; name the folder that it was made in with --from, too"
                    .to_owned(),
            );
        }
        lines.push(
            "error: not enough to decide: which tests these shards have is not known".to_owned(),
        );
        self.putting.say(&lines)?;
        Ok(Some(Exit::MoreRuns))
    }

    /// Says what speaks against the shards, and what is missing, which is how the program ends then; `None` if nothing is.
    ///
    /// Also whether a test that its seed controls ended otherwise when a run was made twice. One that no seed controls may do
    /// so, and values that differ without consequence are told, and are no reason to stop anybody.
    pub fn ended(
        &self,
        is_controlled: impl Fn(&TestKey) -> bool,
    ) -> Result<(Option<Exit>, bool), Failure> {
        let noted = std::mem::take(&mut *locked(&self.noted));
        let putting = &self.putting;
        putting.say(&kinds_in_words(&putting.shards, &noted.kinds))?;
        let mut is_finding = false;
        for (key, differing) in noted.conflicts {
            let (label, mut conflicts) = (key.to_string(), differing.conflicts);
            let words = match is_controlled(&key) && !differing.otherwise.is_empty() {
                true => {
                    is_finding = true;
                    conflicts.retain(|conflict| differing.otherwise.contains(&conflict.run));
                    conflicts_in_words(&label, &conflicts)
                }
                false => conflicts_as_warning(&label, &conflicts),
            };
            putting.say(&words.into_iter().collect::<Vec<String>>())?;
        }
        if noted.missing.is_empty() {
            return Ok((None, is_finding));
        }
        let missing = noted.missing.into_iter();
        let missing: Vec<Missing> = missing
            .map(|(key, (wanted, seconds_per_run))| Missing {
                key,
                wanted,
                seconds_per_run,
            })
            .collect();
        Ok((Some(putting.report_missing(&missing)?), is_finding))
    }
}
