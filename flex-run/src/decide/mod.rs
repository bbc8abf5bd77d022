//! Decisions: claims about all runs together, and the runs that decide them (docs/design/sequential.md).
//!
//! [`Claims`] is a machine without IO, for all claims of one test. It takes what each run showed and says whether another
//! one is needed. Claims share what the test may spend on false alarms; each looks at every run, and stops looking when it
//! is decided. What came of each is a [`Decided`], which is a value.

mod decided;
mod deciding;
mod shared;
mod shares;

pub use decided::{ClaimOutcome, Decided, LearnedFrom};
use deciding::Deciding;
pub use shares::Allowance;
use shares::Shares;

use crate::model::{RunRecord, Site};
use flex_bounds::file::Entry;

/// The claims of one test, under way.
#[derive(Debug)]
pub struct Claims {
    deciding: Vec<Deciding>,
    /// What holds means and rates whose bounds are learned.
    learned: Vec<Entry>,
    shares: Shares,
    /// Runs that were looked at.
    runs: u32,
    /// Runs after which claims stay undecided that do not say so themselves.
    most: u32,
}

impl Claims {
    /// The claims of a test that may spend this on them, and stops after so many runs.
    pub fn new(allowance: Allowance, most: u32) -> Self {
        Claims {
            deciding: Vec::new(),
            learned: Vec::new(),
            shares: Shares::new(allowance),
            runs: 0,
            most,
        }
    }

    /// With what was learned for some of them. A claim whose bound is learned, and for which there is nothing here, is
    /// not looked at.
    pub fn learned(self, learned: Vec<Entry>) -> Self {
        Claims { learned, ..self }
    }

    /// Takes what a run showed. The sites are all that are known by now.
    pub fn see(&mut self, sites: &[Site], record: &RunRecord) {
        self.register(sites, record);
        self.runs += 1;
        for deciding in &mut self.deciding {
            deciding.see(record.hit(deciding.site), self.runs);
        }
    }

    /// Whether a run more would tell anything.
    pub fn need_a_run(&self) -> bool {
        let is_open = |deciding: &Deciding| deciding.outcome() == ClaimOutcome::Open;
        self.deciding.iter().any(is_open)
    }

    /// No further run comes: what is open stays undecided.
    pub fn stop(&mut self) {
        self.deciding.iter_mut().for_each(Deciding::stop);
    }

    /// What came of all claims so far, in the order in which they were first reached.
    pub fn decided(&self) -> impl Iterator<Item = Decided> {
        self.deciding.iter().map(Deciding::decided)
    }

    /// What came of those claims whose outcome is such.
    pub fn with(&self, wanted: impl Fn(&ClaimOutcome) -> bool) -> Vec<Decided> {
        let chosen = self.deciding.iter();
        let chosen = chosen.filter(|deciding| wanted(&deciding.outcome()));
        chosen.map(Deciding::decided).collect()
    }

    /// Registers the claims that this run reached for the first time. Those of the first run share what there is to
    /// spend; some of it is kept for those that come later.
    fn register(&mut self, sites: &[Site], record: &RunRecord) {
        let is_known = |index: usize| self.deciding.iter().any(|deciding| deciding.site == index);
        let is_new = |(index, site): &(usize, &Site)| {
            site.claim().is_some() && record.hit(*index).is_some() && !is_known(*index)
        };
        let (held, new): (Vec<_>, Vec<_>) = sites
            .iter()
            .enumerate()
            .filter(is_new)
            .partition(|(_, site)| site.is_learned());
        for (index, site) in held {
            let entry = self.learned.iter().find(|entry| entry.key.site == site.id);
            if let (Some(spec), Some(entry)) = (site.claim(), entry)
                && let Some(claim) = spec.learned_by(entry)
            {
                let most = spec.max_runs.unwrap_or(self.most);
                let claim = (Ok(claim), Ok(entry.confidence.false_alarm_rate()));
                let mut deciding = Deciding::new((index, site), spec, claim, most);
                deciding.learned_from(entry);
                self.deciding.push(deciding);
            }
        }
        let own = new.iter().map(|(_, site)| site.claim()?.confidence);
        let rates = self.shares.divide(&own.collect::<Vec<_>>(), self.runs == 0);
        for ((index, site), rate) in new.into_iter().zip(rates) {
            let Some(spec) = site.claim() else { continue };
            let most = spec.max_runs.unwrap_or(self.most);
            let deciding = Deciding::new((index, site), spec, (spec.claim(), rate), most);
            self.deciding.push(deciding);
        }
    }
}

#[cfg(test)]
mod tests;
