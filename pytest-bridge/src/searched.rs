//! Searches that shards made: what each test showed, as the record of a search that has no other.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use flex_core::seed::Phase;
use flex_detect::record::{ObservedTest, Outcome, Record};
use flex_run::model::SiteKey;
use flex_shard::TestKey;
use flex_shard::answers::FoundFrame;
use flex_shard::file::{Frame, ShardContent, ShardKind};
use flex_shard::union::{Differing, RunConflict};

/// The command that makes shards of runs in this phase.
pub fn command_of(phase: Phase) -> &'static str {
    match phase {
        Phase::Detect => "detect",
        _ => "calibrate",
    }
}

/// The key of a test in shards.
pub fn key(name: &str) -> TestKey {
    TestKey {
        package: String::new(),
        target: String::new(),
        test: name.to_owned(),
        old: false,
        compared: false,
    }
}

/// What the search of a test showed, for a shard.
pub fn searched(name: &str, text: String) -> Frame {
    Frame {
        test: key(name),
        kind: ShardKind::Runs,
        content: ShardContent::Text(text),
    }
}

/// What shards hold of the search of one test.
#[derive(Debug, Default)]
pub struct Searched {
    /// What the longest search showed; `None` if no shard made one.
    pub test: Option<ObservedTest>,
    /// Runs that were not the same twice on one kind of machine.
    pub conflicts: Vec<RunConflict>,
    /// Those of these runs that passed once and failed once although a seed controls the test.
    pub otherwise: BTreeSet<u32>,
    /// Runs that one kind of machine showed so and another otherwise.
    pub between: Vec<RunConflict>,
    /// Runs that two kinds of machines have in common, and that were the same.
    pub agreed: u32,
}

impl Searched {
    /// Puts together what there is. The error says what cannot be read.
    pub fn of(found: Vec<FoundFrame>) -> Result<Self, String> {
        let mut made = Vec::new();
        for one in found {
            let ShardContent::Text(text) = &one.frame.content else {
                continue;
            };
            let record = Record::parse(text).map_err(|error| error.to_string())?;
            made.extend(record.tests.into_iter().next().map(|test| (test, one)));
        }
        made.sort_by_cached_key(|(test, one)| {
            (Reverse(test.runs.len()), one.platform, one.by.clone())
        });
        let mut searched = Searched::default();
        // The first of each kind of machine.
        let mut firsts: Vec<(ObservedTest, FoundFrame)> = Vec::new();
        for (test, one) in made {
            let same_kind = firsts
                .iter()
                .find(|(_, known)| known.platform == one.platform);
            match same_kind.or(firsts.first()) {
                None => firsts.push((test, one)),
                Some((known, by)) => {
                    let again = Again::of(known, &test);
                    if by.platform == one.platform {
                        if is_controlled(known) {
                            searched.otherwise.extend(&again.otherwise);
                        }
                        searched.conflicts.extend(again.conflicts(by, &one));
                    } else {
                        searched.agreed += again.agreed;
                        searched.between.extend(again.conflicts(by, &one));
                        firsts.push((test, one));
                    }
                }
            }
        }
        searched.test = firsts.into_iter().next().map(|(test, _)| test);
        Ok(searched)
    }
}

/// Whether a seed decides what runs of a test show, as far as can be told.
fn is_controlled(test: &ObservedTest) -> bool {
    test.replay.is_some() && test.unseeded.is_empty()
}

/// Runs that two searches of a test made.
#[derive(Debug, Default)]
struct Again {
    /// How many were the same.
    agreed: u32,
    /// What was not, by run: the site, if it is one, and both values.
    differing: BTreeMap<u32, Vec<Differing>>,
    /// Those that passed in one search and failed in the other.
    otherwise: BTreeSet<u32>,
}

impl Again {
    fn of(one: &ObservedTest, other: &ObservedTest) -> Self {
        let runs = other.runs.iter().map(|run| (run.index, run.outcome));
        let outcomes: BTreeMap<u32, Outcome> = runs.collect();
        let (mut again, mut both) = (Again::default(), 0);
        for run in &one.runs {
            let Some(outcome) = outcomes.get(&run.index) else {
                continue;
            };
            both += 1;
            if *outcome != run.outcome {
                if ![*outcome, run.outcome].contains(&Outcome::Skip) {
                    again.otherwise.insert(run.index);
                }
                again.note(run.index, None, (None, None));
            }
        }
        for site in &one.sites {
            let Some(same) = other.sites.iter().find(|same| same.id == site.id) else {
                continue;
            };
            for (ours, theirs) in site.series.iter().zip(&same.series) {
                let values: BTreeMap<u32, f64> = theirs.values.iter().copied().collect();
                for (run, value) in &ours.values {
                    let Some(after) = values.get(run) else {
                        continue;
                    };
                    if value != after && !(value.is_nan() && after.is_nan()) {
                        let key = SiteKey {
                            id: site.id.clone(),
                            is_declared: true,
                        };
                        again.note(*run, Some(key), (Some(*value), Some(*after)));
                    }
                }
            }
        }
        let differing = again.differing.len() as u32;
        again.agreed = u32::saturating_sub(both, differing);
        again
    }

    fn note(&mut self, run: u32, site: Option<SiteKey>, values: (Option<f64>, Option<f64>)) {
        self.differing.entry(run).or_default().push((site, values));
    }

    fn conflicts(self, one: &FoundFrame, other: &FoundFrame) -> Vec<RunConflict> {
        let differing = self.differing.into_iter();
        let each = differing.flat_map(|(run, of_run)| of_run.into_iter().map(move |d| (run, d)));
        each.map(|(run, (site, values))| RunConflict {
            run,
            site,
            values,
            hosts: (one.host.clone(), other.host.clone()),
            platforms: (one.platform, other.platform),
        })
        .collect()
    }
}
