//! Shards for Python: what this session makes of all runs, and where it goes.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use flex_core::seed::Phase;
use flex_run::model::{ProcessRecord, Runner};
use flex_run::project::base::fresh_base;
use flex_run::wire;
use flex_shard::TestKey;
use flex_shard::auto::told;
use flex_shard::deal::deal;
use flex_shard::file::{Frame, Header, ShardContent, ShardKind, ShardWriter};
use flex_shard::folder::made_before;
use flex_shard::plan::{Order, Plan};
use flex_shard::platform::{Platform, host};
use flex_shard::share::{BY_PYTEST, ShardShare, for_claims, repeated};
use flex_shard::union::runs_of;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::record::RecordBuilder;
use crate::searched::{command_of, key, searched};
use crate::seeds::phase_of;
use crate::test::Test;

/// A shard that is being made.
#[pyclass(frozen)]
#[derive(Debug)]
pub struct Shard {
    header: Header,
    folder: PathBuf,
    plan: Option<Plan>,
    before: Vec<(TestKey, ShardKind, Frame)>,
    /// Its file once something was made, or why there is none.
    writer: Mutex<Option<Result<ShardWriter, String>>>,
}

/// What a shard makes of one test: runs that are samples, runs that are made again in another process, and whether the
/// runs are replayed that tell whether it is unchanged.
type Made = (Vec<u32>, Option<(&'static str, Vec<u32>)>, bool);

#[pymethods]
impl Shard {
    /// The shard with this number, such as `3/16` or `auto`; `again` is the command that makes it, with `{shard}` and
    /// `{seed}` in it. A `ValueError` says what is wrong.
    #[new]
    #[pyo3(signature = (number, folder, *, base, phase, runs, max_runs, plan, blas, again))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn new(
        number: &str,
        folder: PathBuf,
        base: Option<String>,
        phase: &str,
        runs: Option<u32>,
        max_runs: Option<u32>,
        plan: Option<PathBuf>,
        blas: Option<String>,
        again: &str,
    ) -> PyResult<Self> {
        let wrong = |error: String| PyValueError::new_err(error);
        let phase: Phase = phase_of(phase)?;
        let command = command_of(phase);
        let found = told(|name| std::env::var(name).ok());
        let (shard, start) = match (number, found) {
            ("auto", Err(error)) => return Err(wrong(error.to_string())),
            ("auto", Ok(told)) => {
                told.answer();
                (told.shard, told.start)
            }
            (number, found) => (
                number.parse().map_err(|error| wrong(format!("{error}")))?,
                found.ok().and_then(|told| told.start),
            ),
        };
        let plan = plan.map(|path| {
            let plan = Plan::read_for(&path, command);
            plan.map_err(|error| wrong(format!("{}: {error}", path.display())))
        });
        let plan: Option<Plan> = plan.transpose()?;
        let planned = plan.as_ref().map(|plan| plan.base.clone());
        if let (Some(stated), Some(planned)) = (&base, &planned)
            && stated != planned
        {
            return Err(wrong(format!(
                "the plan has the base seed `{planned}`, and `{stated}` is stated"
            )));
        }
        let start = start.map(|start| start.replace('@', "-"));
        let base = base.or(planned).or(start).ok_or_else(|| {
            wrong(
                "a shard has no base seed, and all shards must have the same; give all of them one --flex-seed, such as the hash of the commit"
                    .to_owned(),
            )
        })?;
        let again = again.replace("{shard}", &shard.to_string());
        let header = Header {
            flex: env!("CARGO_PKG_VERSION").to_owned(),
            command: command.to_owned(),
            phase: phase.as_str().to_owned(),
            shard,
            round: plan.as_ref().map_or(1, |plan| plan.round),
            runs,
            max_runs,
            against: None,
            id: fresh_base(),
            host: host(),
            pid: std::process::id(),
            platform: Platform::here(blas),
            again: again.replace("{seed}", &flex_core::words::quoted(&base)),
            base,
        };
        Ok(Shard {
            before: made_before(&folder, &header),
            header,
            folder,
            plan,
            writer: Mutex::new(None),
        })
    }

    /// The base seed.
    #[getter]
    fn base(&self) -> &str {
        &self.header.base
    }

    /// What is made of a test, by its place among so many; what earlier tries left is not made again.
    fn share(&self, test: &Test, place: (usize, usize)) -> Made {
        let key = TestKey::of(&test.test);
        if let Some(plan) = &self.plan {
            let share = plan.share(self.header.shard);
            let orders = share.into_iter().find(|(of, _)| *of == key);
            let (mut runs, mut again) = (Vec::new(), None);
            for order in orders.map(|(_, orders)| orders).unwrap_or_default() {
                match order {
                    Order::Part(part) => runs.extend(part.runs(self.runs_of(test))),
                    Order::Runs(range) => runs.extend(range),
                    Order::Repeat(order) => again = Some(("repeat", order)),
                    Order::Confirm(order) => again = Some(("confirm", order)),
                }
            }
            return self.not_made(&key, runs, again, false);
        }
        let share = ShardShare::of(
            self.header.shard,
            place,
            self.header.max_runs,
            Runner::Pytest,
        );
        let all = self.runs_of(test);
        let runs = share.parts.iter().flat_map(|part| part.runs(all)).collect();
        let again = share
            .repeats
            .then(|| ("repeat", repeated(all, 0.0, BY_PYTEST)));
        self.not_made(&key, runs, again, share.replays)
    }

    /// Further runs that are probably needed of a test that showed this.
    fn more(&self, test: &Test, place: (usize, usize), record: &[u8]) -> PyResult<Vec<u32>> {
        if self.plan.is_some() {
            return Ok(Vec::new());
        }
        let record = parsed(record)?;
        let most = self.header.max_runs.or(test.test.options.max_runs);
        let more = for_claims(&record, self.runs_of(test), most);
        let share = ShardShare::of(self.header.shard, place, None, Runner::Pytest);
        let range = |part: &flex_run::project::part::Part| {
            let part = part.runs(more.end - more.start);
            more.start + part.start..more.start + part.end
        };
        let runs = share.parts.iter().flat_map(range).collect();
        Ok(self.not_made(&TestKey::of(&test.test), runs, None, false).0)
    }

    /// The runs that are repeated if each takes so long; fewer of slow ones.
    fn repeats(&self, test: &Test, seconds_per_run: f64) -> Vec<u32> {
        repeated(self.runs_of(test), seconds_per_run, BY_PYTEST)
    }

    /// Writes down what runs showed: "runs", "repeat" or "confirm" with the order, or "replay" with the base seed.
    #[pyo3(signature = (kind, record, order=None, base=None))]
    fn write(
        &self,
        kind: &str,
        record: &[u8],
        order: Option<Vec<u32>>,
        base: Option<String>,
    ) -> PyResult<()> {
        let record = parsed(record)?;
        let kind = match (kind, order, base) {
            ("repeat", Some(order), _) => ShardKind::Repeat(order),
            ("confirm", Some(order), _) => ShardKind::Confirm(order),
            ("replay", _, Some(base)) => ShardKind::Replay(base),
            _ => ShardKind::Runs,
        };
        let frame = Frame {
            test: TestKey::of(&record.test),
            kind,
            content: ShardContent::Recorded(record.into()),
        };
        let runs = match &frame.content {
            ShardContent::Recorded(recorded) => runs_of(recorded).len() as u64,
            ShardContent::Text(_) => 0,
        };
        self.push(&frame, runs)
    }

    /// Which of all tests this shard searches. A `ValueError` says what a plan names that is not there.
    fn deal(&self, names: Vec<String>) -> PyResult<Vec<String>> {
        let dealt = deal((self.header.shard, self.plan.as_ref()), names, |name| {
            key(name)
        });
        let dealt = dealt.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(dealt.into_iter().map(|(name, _)| name).collect())
    }

    /// Writes down what the search of each test showed.
    fn write_searched(&self, record: &RecordBuilder) -> PyResult<()> {
        for (name, text, runs) in record.texts() {
            self.push(&searched(name, text), runs)?;
        }
        Ok(())
    }

    /// Ends the file, and returns what is to be said of it.
    fn end(&self, whole: bool) -> PyResult<String> {
        let writer = self
            .writer
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let begun = writer.unwrap_or_else(|| self.begin());
        let writer = begun.map_err(PyOSError::new_err)?;
        let path = writer.path().to_owned();
        let ended = writer.end(whole);
        let runs = ended.map_err(|error| PyOSError::new_err(self.unwritten(&error)))?;
        let (shard, base) = (self.header.shard, &self.header.base);
        let runs = flex_core::words::count(runs as usize, "run", "runs");
        Ok(format!(
            "shard {shard}: {runs}, seed {base}; wrote {}",
            path.display()
        ))
    }
}

impl Shard {
    /// The runs that a test begins with.
    fn runs_of(&self, test: &Test) -> u32 {
        let own = || test.test.options.runs_to_begin_with();
        let runs = self.header.runs.unwrap_or_else(own);
        self.header.max_runs.map_or(runs, |most| runs.min(most))
    }

    fn push(&self, frame: &Frame, runs: u64) -> PyResult<()> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = writer.get_or_insert_with(|| self.begin());
        let pushed = match begun {
            Ok(writer) => writer
                .push(frame, runs)
                .map_err(|error| self.unwritten(&error)),
            Err(words) => Err(words.clone()),
        };
        pushed.map_err(PyOSError::new_err)
    }

    fn not_made(
        &self,
        key: &TestKey,
        mut runs: Vec<u32>,
        again: Option<(&'static str, Vec<u32>)>,
        replays: bool,
    ) -> Made {
        let known = || self.before.iter().filter(|(of, ..)| of == key);
        for (_, kind, frame) in known() {
            if let (ShardKind::Runs, ShardContent::Recorded(recorded)) = (kind, &frame.content) {
                let made = runs_of(recorded);
                runs.retain(|run| made.binary_search(run).is_err());
            }
        }
        let is_made = |kind: &ShardKind| match kind {
            ShardKind::Repeat(order) | ShardKind::Confirm(order) => {
                again.as_ref().is_some_and(|(_, wanted)| wanted == order)
            }
            _ => false,
        };
        let made_again = known().any(|(_, kind, _)| is_made(kind));
        let replayed = known().any(|(_, kind, _)| matches!(kind, ShardKind::Replay(_)));
        (runs, again.filter(|_| !made_again), replays && !replayed)
    }

    fn begin(&self) -> Result<ShardWriter, String> {
        let begun = ShardWriter::begin(&self.folder, &self.header);
        begun.map_err(|error| self.unwritten(&error))
    }

    fn unwritten(&self, error: &std::io::Error) -> String {
        let folder = self.folder.display();
        format!("cannot write a shard into {folder}: {error}")
    }
}

fn parsed(record: &[u8]) -> PyResult<ProcessRecord> {
    wire::read(record).map_err(|error| PyValueError::new_err(error.to_string()))
}
