//! Enforcement as a machine without IO: what a run showed goes in, and what to do next comes out
//! (docs/design/semantics.md, "Enforcement").
//!
//! Whoever runs the test makes run 0 and hands in what it showed, and makes the reruns that the machine asks for. The
//! machine knows a test only as a plain value, so that tests of any language are judged alike.

use std::path::PathBuf;

use flex_bounds::file::BoundsFile;
use flex_core::bound::race::RaceStep;
use flex_core::seed::{Phase, SeedRequest};

use crate::calibrate::summary::tiers;
use crate::enforce::doubt::Doubt;
use crate::enforce::judge::{Finding, Judged, TestBounds, declared_findings};
use crate::enforce::report::Report;
use crate::model::run::{RunRecord, SiteRecord};
use crate::model::test::TestRecord;
use crate::project::env::Settings;

/// The enforcement of one test.
#[derive(Debug)]
pub struct Enforcement {
    test: TestRecord,
    settings: Settings,
    /// What repeats this verdict.
    seed: SeedRequest,
    bounds_file: PathBuf,
    entries: BoundsFile,
    /// The run that is under way.
    index: u64,
    /// Attempts at it that failed by themselves.
    failed: u32,
    /// Whether a run was judged; all others answer doubts about that one.
    is_judged: bool,
    doubts: Vec<Doubt>,
    warnings: Vec<String>,
}

/// What comes after a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Make this run too.
    Rerun(u64),
    /// The test passes.
    Pass,
    /// It fails, for these reasons.
    Fail(String),
}

impl Enforcement {
    /// The enforcement of a test by its entries, which come from this bounds file.
    pub fn new(
        test: TestRecord,
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
            failed: 0,
            is_judged: false,
            doubts: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// A single run of a test, without regard to learned bounds.
    pub fn single(
        mut test: TestRecord,
        settings: Settings,
        seed: SeedRequest,
        bounds_file: PathBuf,
    ) -> Self {
        test.options.attempts = None;
        Self::new(test, settings, seed, BoundsFile::default(), bounds_file)
    }

    /// Takes what run 0 showed, or the rerun that was asked for.
    pub fn see(&mut self, sites: &[SiteRecord], record: &RunRecord) -> Verdict {
        if self.is_judged {
            for doubt in &mut self.doubts {
                if doubt.step() == RaceStep::Rerun {
                    doubt.see(sites, record);
                }
            }
        } else {
            if !declared_findings(sites, record).is_empty()
                && let Some(next) = self.another_attempt()
            {
                return Verdict::Rerun(next);
            }
            self.is_judged = true;
            if let Some(failure) = self.judge(sites, record) {
                return Verdict::Fail(failure);
            }
        }
        self.next()
    }

    /// Takes note that a run failed by itself: the run to make in its place, while attempts are left.
    ///
    /// Every run that counts has all attempts, the one that is judged as well as each that answers a doubt: a failure
    /// that the test is allowed says nothing about learned bounds.
    pub fn another_attempt(&mut self) -> Option<u64> {
        self.failed += 1;
        (self.failed < self.test.options.attempts()).then(|| {
            self.index += 1;
            self.index
        })
    }

    /// Takes a run without regard to learned bounds.
    pub fn see_declared(&self, sites: &[SiteRecord], record: &RunRecord) -> Verdict {
        match declared_findings(sites, record) {
            broken if broken.is_empty() => Verdict::Pass,
            broken => Verdict::Fail(self.report().failure(&broken)),
        }
    }

    /// What there is to say without failing the test, once.
    pub fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// The bounds of a site in words, such as `guard 0.041  ceiling 0.093`, if it has any.
    pub fn bound_of(&self, site: &str, case: Option<&str>) -> Option<String> {
        let entry = self.bounds().entry(site, case)?;
        let sides = entry.sides.iter().map(|(_, learned)| tiers(learned));
        Some(sides.collect::<Vec<String>>().join(", "))
    }

    /// What to say besides the words of a run that failed by itself.
    pub fn failed_by_itself(&self) -> String {
        let report = self.report();
        report.in_rerun(self.index, &self.doubts) + &report.panicked()
    }

    /// What to say if something is wrong with the test itself, whatever its values are.
    pub fn mistaken(&self, mistakes: &[String]) -> String {
        self.report().mistakes(mistakes)
    }

    /// The verdict of a test that passes, for those who asked.
    pub fn passed(&self, sites: &[SiteRecord], record: &RunRecord) -> String {
        self.report().passed(sites, record, &self.doubts)
    }

    /// What a single run showed.
    pub fn replayed(
        &self,
        (phase, index): (Phase, u64),
        sites: &[SiteRecord],
        record: &RunRecord,
    ) -> String {
        self.report().replayed(phase, index, sites, record)
    }

    fn bounds(&self) -> TestBounds<'_> {
        TestBounds {
            test: &self.test,
            entries: &self.entries,
            variant: self.settings.variant.as_deref(),
        }
    }

    fn report(&self) -> Report<'_> {
        Report {
            test: &self.test,
            seed: &self.seed,
            is_stale: self.bounds().is_stale(),
            bounds_file: &self.bounds_file,
            failed: self.failed,
        }
    }

    /// Judges the first run; why it fails, if it does.
    fn judge(&mut self, sites: &[SiteRecord], record: &RunRecord) -> Option<String> {
        let report = self.report();
        let Judged {
            mut findings,
            warnings,
            doubts,
        } = self.bounds().judge(sites, record, &self.settings);
        let warnings = warnings.iter().map(|warning| report.warning(warning));
        let warnings = warnings.collect();
        let failure = if report.is_stale && self.settings.stale_fails {
            Some(report.stale(&findings))
        } else if findings.is_empty() {
            None
        } else {
            let unconfirmed = doubts.iter().map(Doubt::unconfirmed);
            findings.extend(unconfirmed);
            Some(report.failure(&findings))
        };
        self.warnings = warnings;
        self.doubts = doubts;
        failure
    }

    /// Goes on until every doubt is cleared or one is confirmed.
    fn next(&mut self) -> Verdict {
        let confirmed: Vec<Finding> = self
            .doubts
            .iter()
            .filter(|doubt| doubt.step() == RaceStep::Regression)
            .map(Doubt::confirmed)
            .collect();
        let is_open = |doubt: &Doubt| doubt.step() == RaceStep::Rerun;
        if !confirmed.is_empty() {
            Verdict::Fail(self.report().failure(&confirmed))
        } else if self.doubts.iter().any(is_open) {
            self.index += 1;
            self.failed = 0;
            Verdict::Rerun(self.index)
        } else {
            Verdict::Pass
        }
    }
}
