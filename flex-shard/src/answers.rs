//! All that is known of one test: samples, and what was made again to see whether the seed decides them.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use flex_run::calibrate::{FixedRun, Recorded};
use flex_run::model::ProcessRecord;

use crate::file::{Frame, ShardContent, ShardKind};
use crate::union::{Made, RunConflict, Union, conflicts, shown_by, shown_in, together};

/// What is known of a test.
#[derive(Debug, Default)]
pub struct Answers {
    /// Its samples.
    pub union: Union,
    repeated: Vec<Repeated>,
    confirmed: Vec<ProcessRecord>,
    replayed: Vec<(String, ProcessRecord)>,
    /// Which order answered a question that another order asked.
    asked_as: RefCell<Vec<(Vec<u32>, Vec<u32>)>>,
    confirmations: Cell<usize>,
}

/// Runs that a process made again.
#[derive(Debug)]
struct Repeated {
    order: Vec<u32>,
    made: Made,
    used: Cell<bool>,
}

impl Repeated {
    /// Whether it has what is asked for in this order. Where a process ended early, the order alone tells which run ended
    /// it, so that it answers no other.
    fn answers(&self, order: &[u32]) -> bool {
        let is_whole = |record: &ProcessRecord| record.took.is_some();
        let holds = || order.iter().all(|run| self.order.contains(run));
        self.order == order || (self.made.recorded.records.iter().all(is_whole) && holds())
    }
}

/// A record without the runs that are not meant, from which nobody can tell any more which run ended its process.
fn cut(record: &ProcessRecord, is_meant: impl Fn(u32) -> bool) -> ProcessRecord {
    let mut left = record.only(is_meant);
    left.took = left.took.or(Some(Duration::ZERO));
    left
}

/// A frame with where it comes from.
#[derive(Debug)]
pub struct FoundFrame {
    /// What it holds.
    pub frame: Frame,
    /// The machine.
    pub host: String,
    /// What tells its process from all others.
    pub by: String,
    /// The kind of machine.
    pub platform: usize,
}

impl Answers {
    /// Puts together what there is of a test.
    pub fn of(found: Vec<FoundFrame>) -> Self {
        let mut answers = Answers::default();
        let mut samples = Vec::new();
        for one in found {
            let ShardContent::Recorded(recorded) = one.frame.content else {
                continue;
            };
            let first = || recorded.records.first().cloned();
            match one.frame.kind {
                ShardKind::Runs => samples.push(Made {
                    recorded,
                    host: one.host,
                    by: one.by,
                    platform: one.platform,
                }),
                ShardKind::Repeat(order) => answers.repeated.push(Repeated {
                    order,
                    made: Made {
                        recorded,
                        host: one.host,
                        by: one.by,
                        platform: one.platform,
                    },
                    used: Cell::new(false),
                }),
                ShardKind::Confirm(_) => answers.confirmed.extend(first()),
                ShardKind::Replay(base) => {
                    answers
                        .replayed
                        .extend(first().map(|record| (base, record)));
                }
            }
        }
        answers.union = Union::of(samples);
        answers.repeated.sort_by(|a, b| a.made.by.cmp(&b.made.by));
        answers
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.union.parts.is_empty() && self.replayed.is_empty()
    }

    /// What a process showed that holds the first run, or whichever comes first.
    pub fn first(&self) -> Option<&ProcessRecord> {
        let parts = self.union.parts.iter();
        parts.flat_map(|part| &part.recorded.records).next()
    }

    /// What one process shows that is to make these runs; `until_fixed`, a single one if that touches nothing that could
    /// differ. The error has those that nobody made.
    pub fn recorded(&self, runs: &[u32], until_fixed: bool) -> Result<Recorded, Vec<u32>> {
        let missing = match self.union.runs(runs) {
            Ok(parts) => return Ok(together(parts)),
            Err(missing) => missing,
        };
        let made = |end: u32| -> Option<Recorded> {
            let before: Vec<u32> = runs.iter().copied().filter(|run| *run < end).collect();
            let parts = (!before.is_empty()).then(|| self.union.runs(&before).ok());
            parts.flatten().map(together)
        };
        let hangs = || {
            let until = made(*missing.first()?)?;
            until.hung.is_some_and(|hung| hung.is_hang).then_some(until)
        };
        let is_fixed = |first: &Recorded| match &first.records[..] {
            [record] => FixedRun::of(record).is_some(),
            _ => false,
        };
        let fixed = || made(runs.first()? + 1).filter(is_fixed);
        let ended = until_fixed.then(fixed).flatten().or_else(hangs);
        ended.ok_or(missing)
    }

    /// What these runs showed when they were made again, in this order or among others. Every answer is given once.
    ///
    /// Of an answer that is compared with the samples, runs are left out that another kind of machine made before and saw
    /// otherwise: they say nothing about the seed. An answer of which nothing else is left is none.
    pub fn repeated(&self, order: &[u32], is_compared: bool) -> Option<ProcessRecord> {
        let order = self.asked_as(order);
        let free = || {
            let free = self.repeated.iter().filter(|repeated| !repeated.used.get());
            free.filter(|repeated| !is_compared || self.tells(repeated).is_some())
        };
        let same = free().find(|repeated| repeated.order == order);
        // What was made in a larger order answers as well: the runs are the same, and so is that they have another process.
        let larger = || {
            let is_first = self.repeated.iter().all(|repeated| !repeated.used.get());
            free().find(|repeated| is_first && repeated.answers(&order))
        };
        let found = same.or_else(larger)?;
        found.used.set(true);
        if found.order != order {
            let mut asked_as = self.asked_as.borrow_mut();
            asked_as.push((order, found.order.clone()));
        }
        match is_compared {
            true => self.tells(found),
            false => found.made.recorded.records.first().cloned(),
        }
    }

    /// The same for whoever compares with the samples and can do without: where nothing is left of the only answer, it is one
    /// without runs.
    pub fn repeated_or_nothing(&self, order: &[u32]) -> Option<ProcessRecord> {
        let nothing = || {
            let found = self.repeated(order, false)?;
            Some(cut(&found, |_| false))
        };
        self.repeated(order, true).or_else(nothing)
    }

    /// What a process made again, without runs that differ because another kind of machine made them before; `None` if
    /// nothing is left.
    fn tells(&self, repeated: &Repeated) -> Option<ProcessRecord> {
        let record = repeated.made.recorded.records.first()?;
        let (_, between) = self.elsewhere(repeated);
        let differs = |run| between.iter().any(|conflict| conflict.run == run);
        let is_left = record.runs().any(|(run, _)| !differs(run.index));
        match between.is_empty() {
            true => Some(record.clone()),
            false => is_left.then(|| cut(record, |run| !differs(run))),
        }
    }

    /// How many runs that a process made again were the same on another kind of machine before, and what was not.
    fn elsewhere(&self, repeated: &Repeated) -> (u32, Vec<RunConflict>) {
        let (mut agreed, mut between) = (0, Vec::new());
        let again = &repeated.made;
        let parts = self.union.parts.iter();
        for part in parts.filter(|part| part.platform != again.platform) {
            let before = shown_by(&part.recorded);
            for record in &again.recorded.records {
                for (run, shown) in shown_in(record) {
                    let Some(before) = before.get(&run) else {
                        continue;
                    };
                    let conflicts = conflicts(run, before.differing(&shown), part, again);
                    agreed += u32::from(conflicts.is_empty());
                    between.extend(conflicts);
                }
            }
        }
        (agreed, between)
    }

    /// Whether an answer that is compared with the samples is there and was not given yet.
    pub fn could_answer(&self, order: &[u32]) -> bool {
        let mut free = self.repeated.iter().filter(|repeated| !repeated.used.get());
        free.any(|repeated| repeated.answers(order) && self.tells(repeated).is_some())
    }

    /// The order in which runs are to be made again that answer this question: like those that answered it before.
    pub fn asked_as(&self, order: &[u32]) -> Vec<u32> {
        let known = self.asked_as.borrow();
        let found = known.iter().find(|(asked, _)| asked == order);
        found.map_or_else(|| order.to_vec(), |(_, made)| made.clone())
    }

    /// What confirms that a test is fixed.
    pub fn confirmed(&self) -> Option<ProcessRecord> {
        let next = self.confirmations.get();
        self.confirmations.set(next + 1);
        self.confirmed.get(next).cloned()
    }

    /// What runs of the last calibration, which had this base seed, showed when they were made again.
    pub fn replayed(&self, base: &str) -> impl Iterator<Item = &ProcessRecord> {
        let of_base = self.replayed.iter().filter(move |(of, _)| of == base);
        of_base.map(|(_, record)| record)
    }

    /// Whether runs that kinds of machines have in common show the same there: how many do, and of those that do not the one
    /// that differs most.
    pub fn between_platforms(&self) -> (u32, Option<RunConflict>) {
        let mut agreed = self.union.agreed;
        let mut between = self.union.between.clone();
        for repeated in &self.repeated {
            let (same, differing) = self.elsewhere(repeated);
            agreed += same;
            between.extend(differing);
        }
        // Of several the first.
        let most = between.into_iter().rev();
        (agreed, most.max_by(|a, b| a.size().total_cmp(&b.size())))
    }

    /// What a part of the runs showed that hung, if any did.
    pub fn hung(&self) -> Option<&Recorded> {
        let parts = self.union.parts.iter().map(|part| &part.recorded);
        parts
            .into_iter()
            .find(|recorded| recorded.hung.is_some_and(|hung| hung.is_hang))
    }
}
