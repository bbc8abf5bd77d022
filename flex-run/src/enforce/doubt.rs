//! Doubts: what a first run leaves open, and the reruns that settle it (docs/design/semantics.md, "Enforcement").

use flex_bounds::file::{Entry, GuardBound};
use flex_core::bound::race::{Race, RaceStep};
use flex_core::bound::reach::misses_to_fail;

use super::problem::{Beyond, Cause, Problem, Rerun};
use crate::model::{RunRecord, Site, SiteId, value_on};

/// Something about one site that may be chance.
#[derive(Debug)]
pub(super) struct Doubt {
    problem: Problem,
    question: Question,
}

#[derive(Debug)]
enum Question {
    /// Are the values beyond the guard again?
    Beyond {
        site: usize,
        beyond: Beyond,
        race: Race,
        reruns: Vec<Rerun>,
    },
    /// Is the site reached again?
    Missed {
        site: SiteId,
        misses: u32,
        enough: u32,
        reached: bool,
    },
}

impl Doubt {
    /// A value beyond its guard; the index is that of the site.
    pub fn beyond(site: usize, beyond: Beyond, guard: GuardBound, problem: Problem) -> Self {
        Doubt {
            problem,
            question: Question::Beyond {
                site,
                beyond,
                race: Race::start(guard.hits),
                reruns: Vec::new(),
            },
        }
    }

    /// A site that every calibration run hit, and this run did not.
    pub fn missed(entry: &Entry) -> Self {
        Doubt {
            problem: Problem {
                site: entry.key.site.clone(),
                place: None,
                message: None,
                cause: Cause::NotReached { runs: 1 },
                entry: Some(entry.clone()),
            },
            question: Question::Missed {
                site: entry.key.site.clone(),
                misses: 1,
                enough: misses_to_fail(entry.samples, entry.confidence.false_alarm_rate()),
                reached: false,
            },
        }
    }

    /// What was wrong in the first run, as far as that is known.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Where it stands.
    pub fn step(&self) -> RaceStep {
        match &self.question {
            Question::Beyond { race, .. } => race.step(),
            Question::Missed { reached: true, .. } => RaceStep::Cleared,
            Question::Missed { misses, enough, .. } if misses >= enough => RaceStep::Regression,
            Question::Missed { .. } => RaceStep::Rerun,
        }
    }

    /// Takes what a rerun showed.
    pub fn see(&mut self, sites: &[Site], record: &RunRecord) {
        match &mut self.question {
            Question::Beyond {
                site,
                beyond,
                race,
                reruns,
            } => {
                let value = record
                    .hit(*site)
                    .map(|hit| value_on(beyond.side, hit.extremes));
                let hit = value.is_some_and(|value| beyond.side.is_beyond(value, beyond.bound));
                reruns.push(Rerun { value, hit });
                if hit {
                    race.hit();
                } else {
                    race.miss();
                }
            }
            Question::Missed {
                site: missed,
                misses,
                reached,
                ..
            } => {
                let is_it = |(index, site): (usize, &Site)| {
                    site.id == *missed && site.is_learned() && record.hit(index).is_some()
                };
                *reached = sites.iter().enumerate().any(is_it);
                *misses += u32::from(!*reached);
            }
        }
    }

    /// What is said if it is confirmed.
    pub fn confirmed(&self) -> Problem {
        let cause = match &self.question {
            Question::Beyond { beyond, reruns, .. } => Cause::Regression {
                beyond: *beyond,
                reruns: reruns.clone(),
            },
            Question::Missed { misses, .. } => Cause::NotReached { runs: *misses },
        };
        Problem {
            cause,
            ..self.problem.clone()
        }
    }
}
