//! The union of what many processes showed of one test, by run.
//!
//! A run that is there twice is there once, if it showed the same both times. If not, the seed alone does not decide what
//! the run shows, which is said with both machines. Machines of different kinds may differ by rounding, or more, though the
//! seed decides everything on each of them: that is told apart. What is kept does not depend on the order in which files come.

mod conflict;
mod shown;

use std::collections::{BTreeMap, BTreeSet};

use flex_run::calibrate::Recorded;

pub use conflict::{RunConflict, conflicts};
pub use shown::{Differing, Shown, shown_by, shown_in};

/// What a part of the runs showed, and who made it.
#[derive(Debug)]
pub struct Made {
    /// What it showed.
    pub recorded: Recorded,
    /// The machine.
    pub host: String,
    /// What tells the process from all others, such as the name of its file.
    pub by: String,
    /// Where it was made, among the kinds of machines that there are.
    pub platform: usize,
}

/// What is known of one test.
#[derive(Debug, Default)]
pub struct Union {
    /// What processes showed, without what others before showed too, by their first run.
    pub parts: Vec<Made>,
    /// Runs that were not the same twice on one kind of machine.
    pub conflicts: Vec<RunConflict>,
    /// Those of these runs that ended otherwise: that failed, or told nothing, only once.
    pub otherwise: BTreeSet<u32>,
    /// Runs that one kind of machine showed so and another otherwise.
    pub between: Vec<RunConflict>,
    /// Runs that were made more than once on different kinds of machines, and were the same.
    pub agreed: u32,
}

impl Union {
    /// Puts together what there is.
    pub fn of(mut made: Vec<Made>) -> Self {
        made.sort_by_cached_key(|made| {
            let runs = runs_of(&made.recorded);
            let first = runs.iter().min().copied();
            let longest = std::cmp::Reverse(runs.len());
            (first, longest, made.platform, made.by.clone())
        });
        let mut union = Union::default();
        // By run: where it is, among the parts that are kept.
        let mut known: BTreeMap<u32, usize> = BTreeMap::new();
        // What parts showed by run, of those that others overlap.
        let mut shown: BTreeMap<usize, BTreeMap<u32, Shown>> = BTreeMap::new();
        for one in made {
            let runs = runs_of(&one.recorded);
            let again: Vec<u32> = runs
                .into_iter()
                .filter(|run| known.contains_key(run))
                .collect();
            if !again.is_empty() {
                let new = shown_by(&one.recorded);
                for run in &again {
                    let before = known[run];
                    let old = shown
                        .entry(before)
                        .or_insert_with(|| shown_by(&union.parts[before].recorded));
                    let (Some(old), Some(new)) = (old.get(run), new.get(run)) else {
                        continue;
                    };
                    let differing = old.differing(new);
                    let other = &union.parts[before];
                    let conflicts = conflicts(*run, differing, other, &one);
                    if other.platform == one.platform {
                        union.conflicts.extend(conflicts);
                        union
                            .otherwise
                            .extend(old.ended_otherwise(new).then_some(*run));
                    } else if conflicts.is_empty() {
                        union.agreed += 1;
                    } else {
                        union.between.extend(conflicts);
                    }
                }
            }
            let recorded = match again.is_empty() {
                true => one.recorded,
                false => only(&one.recorded, |run| again.binary_search(&run).is_err()),
            };
            let place = union.parts.len();
            let new = runs_of(&recorded);
            if new.is_empty() && recorded.hung.is_none() {
                continue;
            }
            known.extend(new.into_iter().map(|run| (run, place)));
            union.parts.push(Made { recorded, ..one });
        }
        for conflicts in [&mut union.conflicts, &mut union.between] {
            conflicts.sort_by(|a, b| (a.run, &a.site).cmp(&(b.run, &b.site)));
        }
        union
    }

    /// All runs of which it is known what they showed, in ascending order.
    pub fn all_runs(&self) -> Vec<u32> {
        let parts = self.parts.iter();
        let mut runs: Vec<u32> = parts.flat_map(|part| runs_of(&part.recorded)).collect();
        runs.sort_unstable();
        runs
    }

    /// What these runs showed, process by process; the error has those that nobody made.
    pub fn runs(&self, wanted: &[u32]) -> Result<Vec<Recorded>, Vec<u32>> {
        let mut left: Vec<u32> = wanted.to_vec();
        left.sort_unstable();
        let mut parts = Vec::new();
        for part in &self.parts {
            let recorded = &part.recorded;
            let is_wanted = |run: &u32| left.binary_search(run).is_ok();
            let meant: Vec<u32> = runs_of(recorded).into_iter().filter(is_wanted).collect();
            if !meant.is_empty() {
                parts.push((meant, recorded));
            }
        }
        let mut found: Vec<u32> = parts.iter().flat_map(|(meant, _)| meant.clone()).collect();
        found.sort_unstable();
        left.retain(|run| found.binary_search(run).is_err());
        if !left.is_empty() {
            return Err(left);
        }
        let part = |(meant, recorded): (Vec<u32>, &Recorded)| {
            only(recorded, |run| meant.binary_search(&run).is_ok())
        };
        Ok(parts.into_iter().map(part).collect())
    }
}

/// All runs of which it is known how they ended, in ascending order.
pub fn runs_of(recorded: &Recorded) -> Vec<u32> {
    let mut runs: Vec<u32> = Vec::new();
    for record in &recorded.records {
        runs.extend(record.runs().map(|(run, _)| run.index));
        runs.extend(record.inconclusive.iter().map(|(run, _)| *run));
    }
    runs.extend(recorded.deaths.iter().map(|(run, _)| *run));
    runs.sort_unstable();
    runs.dedup();
    runs
}

/// What processes showed, as if one had.
pub fn together(parts: Vec<Recorded>) -> Recorded {
    let mut all = Recorded {
        records: Vec::new(),
        deaths: Vec::new(),
        vanished: None,
        hung: None,
    };
    for part in parts {
        all.records.extend(part.records);
        all.deaths.extend(part.deaths);
        all.vanished = all.vanished.or(part.vanished);
        all.hung = all.hung.or(part.hung);
    }
    all
}

/// The same without runs that are not meant.
fn only(recorded: &Recorded, is_meant: impl Fn(u32) -> bool) -> Recorded {
    let records = recorded.records.iter();
    let meant = |dead: &(u32, String)| is_meant(dead.0);
    Recorded {
        records: records.map(|record| record.only(&is_meant)).collect(),
        deaths: recorded
            .deaths
            .iter()
            .filter(|dead| meant(dead))
            .cloned()
            .collect(),
        vanished: recorded.vanished.clone().filter(meant),
        hung: recorded.hung.filter(|hung| is_meant(hung.run)),
    }
}
