//! Doubts: what a first run leaves open, and the reruns that settle it (docs/design/semantics.md, "Enforcement").

use flex_bounds::file::{Entry, GuardBound};
use flex_core::bound::race::{Race, RaceStep};
use flex_core::bound::reach::misses_to_fail;

use crate::enforce::judge::{Beyond, Finding, Problem, Rerun, side_of, site_name};

use crate::enforce::report::{beyond_words, reruns_words};
use crate::model::run::{RunRecord, SiteRecord};

/// Something about one site that may be chance.
#[derive(Debug)]
pub(crate) struct Doubt {
    finding: Finding,
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
        id: String,
        case: Option<String>,
        misses: u32,
        enough: u32,
        reached: bool,
    },
}

impl Doubt {
    /// A value beyond its guard; the index is that of the site.
    pub fn beyond(site: usize, beyond: Beyond, guard: GuardBound, finding: Finding) -> Self {
        Doubt {
            finding,
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
        let key = &entry.key;
        Doubt {
            finding: Finding {
                site: site_name(&key.site, key.case.as_deref()),
                place: None,
                message: None,
                problem: Problem::NotReached { runs: 1 },
                entry: Some(entry.clone()),
            },
            question: Question::Missed {
                id: key.site.clone(),
                case: key.case.clone(),
                misses: 1,
                enough: misses_to_fail(entry.samples, entry.confidence.false_alarm_rate()),
                reached: false,
            },
        }
    }

    /// The site, for people.
    pub fn site(&self) -> &str {
        &self.finding.site
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
    pub fn see(&mut self, sites: &[SiteRecord], record: &RunRecord) {
        let seen = |index: usize| record.seen.get(index).and_then(Option::as_ref);
        match &mut self.question {
            Question::Beyond {
                site,
                beyond,
                race,
                reruns,
            } => {
                let value = seen(*site).map(|seen| side_of(seen.extremes, beyond.side));
                let hit = value.is_some_and(|value| beyond.side.is_beyond(value, beyond.bound));
                reruns.push(Rerun { value, hit });
                if hit {
                    race.hit();
                } else {
                    race.miss();
                }
            }
            Question::Missed {
                id,
                case,
                misses,
                reached,
                ..
            } => {
                let is_it = |(index, site): (usize, &SiteRecord)| {
                    site.id == *id
                        && site.case == *case
                        && site.is_learned()
                        && seen(index).is_some()
                };
                *reached = sites.iter().enumerate().any(is_it);
                *misses += u32::from(!*reached);
            }
        }
    }

    /// What is said if it is confirmed.
    pub fn confirmed(&self) -> Finding {
        let problem = match &self.question {
            Question::Beyond { beyond, reruns, .. } => Problem::Regression {
                beyond: *beyond,
                reruns: reruns.clone(),
            },
            Question::Missed { misses, .. } => Problem::NotReached { runs: *misses },
        };
        Finding {
            problem,
            ..self.finding.clone()
        }
    }

    /// What is said if the test fails for another reason.
    pub fn unconfirmed(&self) -> Finding {
        self.finding.clone()
    }

    /// What gave rise to it, and what the reruns did.
    pub fn words(&self) -> String {
        match &self.question {
            Question::Beyond { beyond, reruns, .. } => {
                let mut words = format!("{} was {}", self.site(), beyond_words(beyond, "guard"));
                if !reruns.is_empty() {
                    words += &format!("; {}", reruns_words(reruns).replace('\n', ": "));
                }
                words
            }
            Question::Missed { misses, .. } => {
                let runs = flex_core::words::count(*misses as usize, "run", "runs");
                format!("{} was not reached in {runs}", self.site())
            }
        }
    }
}
