//! Enforcement as a machine without IO: what a run showed goes in, and what to do next comes out
//! (docs/design/semantics.md, "Enforcement").
//!
//! Whoever runs the test makes run 0 and hands in what it showed, and makes the reruns that the machine asks for. The
//! machine knows a test only as a plain value, so that tests of any language are judged alike.

use std::path::PathBuf;

use flex_bounds::file::BoundsFile;
use flex_core::bound::race::RaceStep;
use flex_core::seed::{Phase, SeedRequest};

use super::doubt::Doubt;
use super::failure::{Failure, Reason, Warning};
use super::judge::{Judged, TestBounds, declared_problems};
use super::problem::Problem;
use super::report::{self, Passed};
use crate::model::{RunRecord, Site, SiteId, Test};
use crate::project::env::Settings;

/// The enforcement of one test.
#[derive(Debug)]
pub struct Enforcement {
    test: Test,
    settings: Settings,
    /// What repeats this verdict.
    seed: SeedRequest,
    bounds_file: PathBuf,
    entries: BoundsFile,
    /// The run that is under way.
    index: u64,
    /// Attempts at it that failed by themselves.
    failed_attempts: u32,
    /// Whether a run was judged; all others answer doubts about that one.
    is_judged: bool,
    doubts: Vec<Doubt>,
    warnings: Vec<Warning>,
}

/// What comes after a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Make this run too.
    Rerun(u64),
    /// The test passes.
    Pass,
    /// It fails.
    Fail(Box<Failure>),
}

impl Enforcement {
    /// The enforcement of a test by its entries, which come from this bounds file.
    pub fn new(
        test: Test,
        settings: Settings,
        seed: SeedRequest,
        entries: BoundsFile,
        bounds_file: PathBuf,
    ) -> Self {
        Enforcement {
            test,
            settings,
            seed,
            bounds_file,
            entries,
            index: 0,
            failed_attempts: 0,
            is_judged: false,
            doubts: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// A single run of a test, without regard to learned bounds.
    pub fn single(
        mut test: Test,
        settings: Settings,
        seed: SeedRequest,
        bounds_file: PathBuf,
    ) -> Self {
        test.options.attempts = None;
        Self::new(test, settings, seed, BoundsFile::default(), bounds_file)
    }

    /// Takes what run 0 showed, or the rerun that was asked for.
    pub fn see(&mut self, sites: &[Site], record: &RunRecord) -> Verdict {
        if self.is_judged {
            for doubt in &mut self.doubts {
                if doubt.step() == RaceStep::Rerun {
                    doubt.see(sites, record);
                }
            }
        } else {
            if !declared_problems(sites, record).is_empty()
                && let Some(next) = self.another_attempt()
            {
                return Verdict::Rerun(next);
            }
            self.is_judged = true;
            if let Some(reason) = self.judge(sites, record) {
                return self.fail(reason);
            }
        }
        self.next()
    }

    /// Takes note that a run failed by itself: the run to make in its place, while attempts are left.
    ///
    /// Every run that counts has all attempts, the one that is judged as well as each that answers a doubt: a failure
    /// that the test is allowed says nothing about learned bounds.
    pub fn another_attempt(&mut self) -> Option<u64> {
        self.failed_attempts += 1;
        (self.failed_attempts < self.test.options.attempts()).then(|| {
            self.index += 1;
            self.index
        })
    }

    /// Takes a run without regard to learned bounds.
    pub fn see_declared(&self, sites: &[Site], record: &RunRecord) -> Verdict {
        match declared_problems(sites, record) {
            broken if broken.is_empty() => Verdict::Pass,
            broken => self.fail(Reason::Problems(broken)),
        }
    }

    /// The failure of a test with which something is wrong, whatever its values are.
    pub fn mistaken(&self, mistakes: &[String]) -> Verdict {
        self.fail(Reason::Mistakes(mistakes.to_vec()))
    }

    /// What there is to say without failing the test, once.
    pub fn take_warnings(&mut self) -> Vec<Warning> {
        std::mem::take(&mut self.warnings)
    }

    /// The bounds of a site in words, such as `guard 0.041  ceiling 0.093`, if it has any.
    pub fn bound_of(&self, site: &SiteId) -> Option<String> {
        let entry = self.bounds().entry(site)?;
        let sides = entry.sides.iter().map(|(_, learned)| learned.tiers());
        Some(sides.collect::<Vec<String>>().join(", "))
    }

    /// What to say besides the words of a run that failed by itself.
    pub fn failed_by_itself(&self) -> String {
        report::in_rerun(self.index, &self.doubted())
            + &report::attempts(self.failed_attempts, &self.test.options)
            + &report::replay_line(&self.test, &self.seed)
    }

    /// The verdict of a test that passes, for those who asked.
    pub fn passed(&self, sites: &[Site], record: &RunRecord) -> String {
        let passed = Passed {
            test: &self.test,
            seed: &self.seed,
            failed_attempts: self.failed_attempts,
            cleared: self.doubted(),
            sites,
            record,
        };
        match self.settings.log_json {
            true => passed.json(),
            false => passed.to_string(),
        }
    }

    /// What a single run showed.
    pub fn replayed(
        &self,
        (phase, index): (Phase, u64),
        sites: &[Site],
        record: &RunRecord,
    ) -> String {
        let (name, base) = (self.test.name(), &self.seed.base);
        let values = report::values(sites, record);
        format!("flex: {name}: run {index} of phase {phase} under seed {base}\n{values}")
    }

    fn bounds(&self) -> TestBounds<'_> {
        TestBounds {
            test: &self.test,
            entries: &self.entries,
            variant: self.settings.variant.as_deref(),
        }
    }

    fn fail(&self, reason: Reason) -> Verdict {
        Verdict::Fail(Box::new(Failure {
            test: self.test.clone(),
            seed: self.seed.clone(),
            reason,
            is_stale: self.bounds().is_stale(),
            bounds_file: self.bounds_file.clone(),
            failed_attempts: self.failed_attempts,
        }))
    }

    /// What gave rise to doubts, with what the reruns showed so far.
    fn doubted(&self) -> Vec<Problem> {
        self.doubts.iter().map(Doubt::confirmed).collect()
    }

    /// Judges the first run; why it fails, if it does.
    fn judge(&mut self, sites: &[Site], record: &RunRecord) -> Option<Reason> {
        let is_stale = self.bounds().is_stale();
        let judged = self.bounds().judge(sites, record, &self.settings);
        let Judged {
            mut problems,
            warnings,
            doubts,
        } = judged;
        let warning = |problem| Warning {
            test: self.test.clone(),
            problem,
        };
        self.warnings = warnings.into_iter().map(warning).collect();
        let reason = if is_stale && self.settings.stale_fails {
            Some(Reason::Stale(problems))
        } else if problems.is_empty() {
            None
        } else {
            problems.extend(doubts.iter().map(|doubt| doubt.problem().clone()));
            Some(Reason::Problems(problems))
        };
        self.doubts = doubts;
        reason
    }

    /// Goes on until every doubt is cleared or one is confirmed.
    fn next(&mut self) -> Verdict {
        let is = |step: RaceStep| move |doubt: &&Doubt| doubt.step() == step;
        let confirmed = self.doubts.iter().filter(is(RaceStep::Regression));
        let confirmed: Vec<Problem> = confirmed.map(Doubt::confirmed).collect();
        if !confirmed.is_empty() {
            self.fail(Reason::Problems(confirmed))
        } else if self.doubts.iter().any(|doubt| is(RaceStep::Rerun)(&doubt)) {
            self.index += 1;
            self.failed_attempts = 0;
            Verdict::Rerun(self.index)
        } else {
            Verdict::Pass
        }
    }
}
