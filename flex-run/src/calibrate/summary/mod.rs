//! What a calibration has to say, 80 columns wide.

mod declared;
mod layout;
mod learned;
mod notes;

use std::fmt;

use flex_core::paint::Ink;
use flex_core::words::{count, duration};

use super::cases::sort_by_case;
use super::outcome::{LearnedSite, TestCalibration};
use crate::model::{Runner, TestId};
use layout::{paint, paragraph};

/// A bound that catches three standard deviations more rarely is worth a hint.
const WEAK: f64 = 0.5;

impl fmt::Display for TestCalibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `{:#}` is for those who see weight and colour.
        if let TestId::Cargo { target, .. } = &self.test.id {
            write!(
                f,
                "{} {target} ",
                self.test.package.as_deref().unwrap_or_default()
            )?;
        }
        writeln!(f, "{}", paint(f).word(Ink::Strong, self.test.name()))?;
        self.made(f)?;
        for site in self.sites_in_order() {
            self.site(f, site)?;
        }
        self.weak(f)?;
        self.extra_runs(f)?;
        for site in &self.declared {
            self.declared(f, site)?;
        }
        for site in &self.claims {
            self.claim(f, site)?;
        }
        self.notes(f)
    }
}

impl TestCalibration {
    /// The runs that were made, and those that were not.
    fn made(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each = duration(self.seconds_per_run);
        if self.saved > 0 {
            let made = count((self.runs - self.saved) as usize, "run", "runs");
            let saved = count(self.saved as usize, "run", "runs");
            return writeln!(
                f,
                "  {made}, {each} each; nothing in it varies: {saved} saved"
            );
        }
        let runs = count(self.runs as usize, "run", "runs");
        let processes = count(self.processes, "process", "processes");
        writeln!(f, "  {runs} in {processes}, {each} each")
    }

    /// The sites, cases of one assertion in the order of the numbers in them.
    fn sites_in_order(&self) -> Vec<&LearnedSite> {
        let mut sites: Vec<&LearnedSite> = self.sites.iter().collect();
        let of_one = |a: &&LearnedSite, b: &&LearnedSite| {
            a.entry.key.site.label() == b.entry.key.site.label()
        };
        for cases in sites.chunk_by_mut(of_one) {
            sort_by_case(cases, |site| {
                site.entry.key.site.case.clone().unwrap_or_default()
            });
        }
        sites
    }

    /// What helps where bounds catch little.
    fn weak(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sides = |site: &LearnedSite| site.entry.tail().sides().to_vec();
        let caught = self.sites.iter().flat_map(|site| {
            let powers = sides(site).into_iter().map(|side| site.power_on(side));
            powers.flatten().map(|power| power.caught[2])
        });
        if caught.fold(1.0, f64::min) >= WEAK {
            return Ok(());
        }
        let (sites, runs) = (self.sites.len(), self.runs);
        let share = match sites {
            1 => String::new(),
            many => {
                format!("{many} sites share the test's false alarms and extra runs: split it, or ")
            }
        };
        let program = match self.is_pytest() {
            true => "flex-harness",
            false => "cargo flex",
        };
        let words = format!(
            "some bounds catch little of three standard deviations; {share}use more than {runs} runs, raise `effort` or \
             lower `confidence`; `{program} plan calibrate --sites {sites}` says what that gives"
        );
        paragraph(f, "hint", &words)
    }

    /// What replays and races cost.
    fn extra_runs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let learned = self.sites.iter().filter(|site| !site.is_objected_to());
        let most = learned.map(|site| site.most_reruns).max();
        let Some(most) = most.filter(|most| *most > 0) else {
            return Ok(());
        };
        let expected = self.extra_runs;
        let always = match self.replays_always && self.is_replayed() {
            true => ", a replay in each",
            false => "",
        };
        let words = format!(
            "{expected:.2} a run ({}){always}; {most} at most ({})",
            duration(expected * self.seconds_per_run),
            duration(f64::from(most) * self.seconds_per_run)
        );
        paragraph(f, "extra runs", &words)
    }

    /// The command that repeats one run.
    fn replay(&self, f: &mut fmt::Formatter<'_>, run: u32) -> fmt::Result {
        writeln!(f, "{}", self.replay_line(run))
    }

    fn is_pytest(&self) -> bool {
        self.test.id.runner() == Runner::Pytest
    }
}
