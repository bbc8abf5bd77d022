//! Doubts: what a first run leaves open, and the reruns that settle it (docs/design/semantics.md, "Enforcement").

use flex_bounds::file::{Entry, GuardBound};
use flex_core::bound::race::{Race, Walk, WalkStep};
use flex_core::bound::reach::misses_to_fail;
use flex_core::tail::Side;

use super::problem::{Confirmed, Judged, Problem, ProblemCause, Rerun};
use super::replayed::Replayed;
use crate::model::{RunRecord, Site, SiteId, value_on};

/// One side of a site that has a guard, and the value that the first run showed there.
#[derive(Debug)]
pub(super) struct Watched {
    /// The index of the site.
    pub site: usize,
    pub side: Side,
    pub value: f64,
    pub guard: GuardBound,
    /// The site, without what is wrong.
    pub problem: Problem,
}

impl Watched {
    /// Whether the value is beyond the guard.
    pub fn is_in_doubt(&self) -> bool {
        self.side.is_beyond(self.value, self.guard.bound)
    }

    /// The value, held against a bound.
    pub fn judged(&self, bound: f64) -> Judged {
        Judged {
            side: self.side,
            value: self.value,
            bound,
        }
    }

    /// Whether the value has moved, to be settled by a race.
    pub fn race(&self, replay: Option<&Replayed>) -> Doubt {
        let first = self.judged(self.guard.bound);
        self.raced(DoubtKind::Moved, &self.guard.race, first, replay)
    }

    /// Whether a value beyond all calibrated ones is a new mode, to be settled by a race; `None` if it is not beyond.
    pub fn stray(&self, replay: Option<&Replayed>) -> Option<Doubt> {
        let race = self.guard.strays.as_ref()?;
        let first = self.judged(race.cuts()[0].value);
        let is_beyond = first.is_beyond();
        is_beyond.then(|| self.raced(DoubtKind::Stray, race, first, replay))
    }

    fn raced(
        &self,
        kind: DoubtKind,
        race: &Race,
        first: Judged,
        replay: Option<&Replayed>,
    ) -> Doubt {
        let walk = Walk::start(race, self.side, self.value);
        Doubt {
            problem: self.problem.clone(),
            question: Question::Raced {
                kind,
                site: self.site,
                confirmed: Confirmed {
                    first,
                    replay: replay.cloned(),
                    reruns: Vec::new(),
                    start: walk.sum(),
                    clear: race.clear(),
                    fail: race.fail(),
                },
                race: race.clone(),
                walk,
            },
        }
    }
}

/// Something about one site that may be chance.
#[derive(Debug)]
pub(super) struct Doubt {
    problem: Problem,
    question: Question,
}

/// What a race is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DoubtKind {
    /// Whether all values have moved.
    Moved,
    /// Whether there is a new mode beyond all calibrated values.
    Stray,
}

#[derive(Debug)]
enum Question {
    /// Are the values as strange again?
    Raced {
        kind: DoubtKind,
        site: usize,
        race: Race,
        walk: Walk,
        confirmed: Confirmed,
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
    /// A site that every calibration run hit, and this run did not.
    pub fn missed(entry: &Entry) -> Self {
        Doubt {
            problem: Problem {
                site: entry.key.site.clone(),
                place: None,
                message: None,
                cause: ProblemCause::NotReached { runs: 1 },
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

    /// Where it stands.
    pub fn step(&self) -> WalkStep {
        match &self.question {
            Question::Raced { race, walk, .. } => walk.step(race),
            Question::Missed { reached: true, .. } => WalkStep::Cleared,
            Question::Missed { misses, enough, .. } if misses >= enough => WalkStep::Regression,
            Question::Missed { .. } => WalkStep::Rerun,
        }
    }

    /// Takes what a rerun showed.
    pub fn see(&mut self, sites: &[Site], record: &RunRecord) {
        match &mut self.question {
            Question::Raced {
                site,
                race,
                walk,
                confirmed,
                ..
            } => {
                let Judged { side, bound, .. } = confirmed.first;
                let hit = record.hit(*site);
                let value = hit.map(|hit| value_on(side, hit.extremes));
                walk.add(race, side, value);
                confirmed.reruns.push(Rerun {
                    value,
                    beyond: value.is_some_and(|value| side.is_beyond(value, bound)),
                    sum: walk.sum(),
                });
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

    /// The value beyond all calibrated ones that this is about, if it is about one.
    pub fn stray(&self) -> Option<(&SiteId, Judged)> {
        match &self.question {
            Question::Raced {
                kind: DoubtKind::Stray,
                confirmed,
                ..
            } => Some((&self.problem.site, confirmed.first)),
            _ => None,
        }
    }

    /// What is said if it is confirmed.
    pub fn confirmed(&self) -> Problem {
        let cause = match &self.question {
            Question::Raced {
                kind, confirmed, ..
            } => match kind {
                DoubtKind::Moved => ProblemCause::Regression(confirmed.clone()),
                DoubtKind::Stray => ProblemCause::NewMode(confirmed.clone()),
            },
            Question::Missed { misses, .. } => ProblemCause::NotReached { runs: *misses },
        };
        Problem {
            cause,
            ..self.problem.clone()
        }
    }
}
