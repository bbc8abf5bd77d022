//! One claim under way.

use flex_bounds::file::Entry;
use flex_core::sequential::{Claim, Decision, Evidence, Levels, Observation, Process, Refusal};

use super::decided::{ClaimOutcome, Decided, LearnedFrom};
use super::shared::SharedSeeds;
use crate::model::{ClaimSpec, Draws, Hit, Place, Site, SiteId};

/// A claim, and what the runs showed of it so far.
#[derive(Debug)]
pub(super) struct Deciding {
    /// The index of the site.
    pub site: usize,
    id: SiteId,
    place: Place,
    message: Option<String>,
    spec: ClaimSpec,
    rate: f64,
    /// Runs of the test after which it stays undecided.
    most: u32,
    state: State,
    runs: u32,
    draws: u64,
    seeds: SharedSeeds,
    claim: Option<Claim>,
    learned: Option<LearnedFrom>,
}

#[derive(Debug)]
enum State {
    Deciding(Process),
    /// As many runs were made as there may be.
    Stopped(Process),
    /// Something is wrong with the claim or with a value; with what was known before that.
    Wrong(Option<Process>, String),
}

impl Deciding {
    /// A claim before its first run, with what is to be decided and what it may spend, or why that cannot be.
    pub fn new(
        (index, site): (usize, &Site),
        spec: &ClaimSpec,
        (claim, rate): (Result<Claim, &'static str>, Result<f64, &'static str>),
        most: u32,
    ) -> Self {
        Deciding {
            site: index,
            id: site.id.clone(),
            place: site.place.clone(),
            message: None,
            spec: *spec,
            rate: rate.unwrap_or(0.0),
            most,
            claim: claim.clone().ok(),
            learned: None,
            state: match process(claim, rate) {
                Ok(process) => State::Deciding(process),
                Err(why) => State::Wrong(None, why),
            },
            runs: 0,
            draws: 0,
            seeds: SharedSeeds::default(),
        }
    }

    /// Its bound was learned by a calibration.
    pub fn learned_from(&mut self, entry: &Entry) {
        let mut held = entry.sides.iter().filter_map(|(_, side)| side.held());
        self.learned = held.next().map(|held| LearnedFrom {
            mean: held.mean,
            samples: entry.samples,
        });
    }

    /// Takes what a run showed, if it reached the site; with it, so many runs of the test were made.
    pub fn see(&mut self, hit: Option<&Hit>, made: u32) {
        if self.outcome() != ClaimOutcome::Open {
            return;
        }
        if let Some(hit) = hit {
            self.runs += 1;
            self.message = hit.message.clone().or(self.message.take());
            if let Err(why) = self.take(&hit.draws) {
                self.fail(why);
                return;
            }
        }
        if made >= self.most {
            self.stop();
        }
    }

    /// No further run comes.
    pub fn stop(&mut self) {
        if self.outcome() == ClaimOutcome::Open {
            self.change(State::Stopped);
        }
    }

    /// Where it stands.
    pub fn outcome(&self) -> ClaimOutcome {
        let decided = |process: &Process, otherwise| match process.decision() {
            Decision::Broken => ClaimOutcome::Broken,
            Decision::Fine => ClaimOutcome::Fine,
            Decision::Undecided => otherwise,
        };
        if matches!(self.state, State::Deciding(_)) && self.seeds.is_suspicious() {
            return ClaimOutcome::Open;
        }
        match &self.state {
            State::Deciding(process) => decided(process, ClaimOutcome::Open),
            State::Stopped(process) => decided(process, ClaimOutcome::Undecided),
            State::Wrong(_, why) => ClaimOutcome::Undecidable(why.clone()),
        }
    }

    /// All that is known.
    pub fn decided(&self) -> Decided {
        let process = match &self.state {
            State::Deciding(process) | State::Stopped(process) => Some(process),
            State::Wrong(process, _) => process.as_ref(),
        };
        Decided {
            site: self.id.clone(),
            place: self.place.clone(),
            message: self.message.clone(),
            spec: self.spec,
            claim: self.claim.clone(),
            learned: self.learned,
            outcome: self.outcome(),
            runs: self.runs,
            draws: self.draws,
            rate: self.rate,
            // Half of the level is for each side, and only one of them was at stake.
            estimate: process.and_then(|process| process.estimate((2.0 * self.rate).min(0.5))),
            evidence: process.map_or(
                Evidence {
                    broken: 0.0,
                    fine: 0.0,
                },
                Process::evidence,
            ),
            path: process.map_or_else(Vec::new, |process| process.path().to_vec()),
        }
    }

    /// Counts what a run drew: as one, or one by one.
    fn take(&mut self, drawn: &Draws) -> Result<(), String> {
        let State::Deciding(process) = &mut self.state else {
            return Ok(());
        };
        self.draws += drawn.first.len() as u64;
        // By its rank alone, a NaN would be better than every number where higher values are.
        let mut values = drawn.first.iter().chain(&drawn.second);
        if values.any(|value| value.is_nan()) {
            return Err(Refusal::NotANumber.to_string());
        }
        // What is learned may have limits farther in than the domain.
        if let Some(domain) = self.spec.domain
            && let Some(value) = drawn.first.iter().find(|value| !domain.contains(**value))
        {
            let value = *value;
            return Err(Refusal::Outside { value, domain }.to_string());
        }
        let one = Observation {
            first: &drawn.first,
            second: &drawn.second,
        };
        if !self.spec.independent || drawn.first.len() < 2 {
            return push(process, one);
        }
        if let Some(why) = self.seeds.see(&drawn.first) {
            return Err(why.to_owned());
        }
        if !drawn.second.is_empty() && drawn.second.len() != drawn.first.len() {
            // The words are those of the arithmetic.
            return push(process, one);
        }
        for place in 0..drawn.first.len() {
            let second = drawn.second.get(place..=place).unwrap_or_default();
            push(
                process,
                Observation {
                    first: &drawn.first[place..=place],
                    second,
                },
            )?;
            if process.decision() != Decision::Undecided {
                break;
            }
        }
        Ok(())
    }

    fn fail(&mut self, why: String) {
        self.change(|process| State::Wrong(Some(process), why));
    }

    fn change(&mut self, change: impl FnOnce(Process) -> State) {
        let nothing = State::Wrong(None, String::new());
        self.state = match std::mem::replace(&mut self.state, nothing) {
            State::Deciding(process) => change(process),
            other => other,
        };
    }
}

fn process(
    claim: Result<Claim, &'static str>,
    rate: Result<f64, &'static str>,
) -> Result<Process, String> {
    let (claim, rate) = (claim?, rate?);
    Process::new(&claim, Levels::new(rate)).map_err(|error| error.to_string())
}

fn push(process: &mut Process, run: Observation<'_>) -> Result<(), String> {
    match process.push(run) {
        Ok(_) => Ok(()),
        Err(refusal) => Err(refusal.to_string()),
    }
}
