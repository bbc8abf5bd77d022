//! Enforcement as a machine without IO: what a run showed goes in, and what to do next comes out
//! (docs/design/semantics.md, "Enforcement").
//!
//! Whoever runs the test makes run 0 and hands in what it showed, and makes the runs that the machine asks for: a replay
//! of a calibration run, where a value is in doubt, and reruns under fresh seeds, where the replay did not clear it. The
//! machine knows a test only as a plain value, so that tests of any language are judged alike.

use std::path::{Path, PathBuf};

use flex_bounds::file::BoundsFile;
use flex_core::bound::race::WalkStep;
use flex_core::seed::{Phase, SeedRequest};

use super::doubt::{Doubt, Watched};
use super::failure::{FailedTest, Reason, Warning};
use super::judge::{FirstRun, TestBounds, declared_problems};
use super::problem::Problem;
use super::replayed::{Replayed, TestReplay};
use super::report::{self, Passed};
use super::stray::Stray;
use crate::decide::{Allowance, ClaimOutcome, Claims, Decided};
use crate::history::HistoryPlace;
use crate::kept::Kept;
use crate::model::{Inconclusive, MOST_RUNS, RunRecord, Site, SiteId, Test};
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
    /// The run of this phase that is under way, or was last.
    index: u64,
    /// Attempts at it that failed by themselves.
    failed_attempts: u32,
    stage: Stage,
    /// What the run showed that is judged, for those who ask.
    first: RunRecord,
    /// Every side that has a guard, with what the first run showed there.
    watched: Vec<Watched>,
    /// What the replay showed, if there was one.
    replayed: Option<Replayed>,
    doubts: Vec<Doubt>,
    /// What is claimed of all runs together.
    claims: Claims,
    /// Runs that told nothing, of all that were made.
    inconclusive: Inconclusive,
    /// Whether the time for claims was up.
    is_late: bool,
    warnings: Vec<Warning>,
}

/// What the run under way is for.
#[derive(Debug, Clone, PartialEq)]
enum Stage {
    /// To be judged.
    First,
    /// To see whether anything changed.
    Replay(Box<TestReplay>, u32),
    /// To settle doubts about the first.
    Rerun,
}

/// How a test ended, for those who keep it.
#[derive(Debug, Clone, Copy)]
pub enum Ended<'a> {
    /// It passed.
    Passed,
    /// It failed by the verdict of flex.
    Failed(&'a FailedTest),
    /// It panicked, or returned an error.
    ByItself,
}

/// A run to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WantedRun {
    /// This run of the enforcement.
    Rerun(u64),
    /// A run of the calibration with this base seed, once more.
    Replay {
        /// The base seed.
        base: String,
        /// The index of the run.
        run: u32,
    },
}

/// What comes after a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Make this run too.
    Run(WantedRun),
    /// The test passes.
    Pass,
    /// It fails.
    Fail(Box<FailedTest>),
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
            stage: Stage::First,
            first: RunRecord::default(),
            watched: Vec::new(),
            replayed: None,
            doubts: Vec::new(),
            claims: Claims::new(Allowance::NOTHING, 0),
            inconclusive: Inconclusive::default(),
            is_late: false,
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

    /// Takes what run 0 showed, or the run that was asked for.
    pub fn see(&mut self, sites: &[Site], record: &RunRecord) -> Verdict {
        self.inconclusive.made();
        match std::mem::replace(&mut self.stage, Stage::Rerun) {
            Stage::First => {
                if !declared_problems(sites, record).is_empty()
                    && let Some(next) = self.another_attempt()
                {
                    self.stage = Stage::First;
                    return next;
                }
                match self.judge(sites, record) {
                    Some(reason) => self.fail(reason),
                    None => {
                        let bounds = self.bounds();
                        self.claims = Claims::new(bounds.left_for_claims(), self.most_runs())
                            .learned(bounds.held(sites));
                        self.claims.see(sites, record);
                        self.after_the_first()
                    }
                }
            }
            Stage::Replay(replay, run) => {
                let replayed = replay.compare(run, Some((sites, record)));
                self.take_replay(&replay, replayed)
            }
            Stage::Rerun => {
                for doubt in &mut self.doubts {
                    if doubt.step() == WalkStep::Rerun {
                        doubt.see(sites, record);
                    }
                }
                self.claims.see(sites, record);
                self.next()
            }
        }
    }

    /// Takes note that a run failed by itself: what comes after it, unless that is the test's own failure.
    ///
    /// Every run that counts has all attempts, the one that is judged as well as each that answers a doubt: a failure
    /// that the test is allowed says nothing about learned bounds. A replay that fails shows that something changed.
    pub fn see_failure(&mut self, record: &RunRecord) -> Option<Verdict> {
        self.inconclusive.made();
        if self.stage == Stage::First && self.test.options.attempts() == 1 {
            // Calibration learns from what it showed before, so that whoever collects values must have it too.
            self.first = record.clone();
        }
        match std::mem::replace(&mut self.stage, Stage::Rerun) {
            Stage::Replay(replay, run) => {
                let replayed = replay.compare(run, None);
                Some(self.take_replay(&replay, replayed))
            }
            stage => {
                self.stage = stage;
                self.another_attempt()
            }
        }
    }

    /// Takes note that a run tells nothing of the code, and why: what it was for is left to the next one. If that happens
    /// too often, nothing can be decided.
    pub fn see_inconclusive(&mut self, why: &str) -> Verdict {
        self.inconclusive.made();
        self.inconclusive.take(why);
        if self.inconclusive.are_too_many(&self.test.options) {
            return self.fail(Reason::Inconclusive);
        }
        Verdict::Run(match &self.stage {
            Stage::Replay(replay, run) => WantedRun::Replay {
                base: replay.base.clone(),
                run: *run,
            },
            Stage::First | Stage::Rerun => {
                self.index += 1;
                WantedRun::Rerun(self.index)
            }
        })
    }

    /// The time for claims is up: what comes in place of the run that is wanted. Doubts are settled all the same.
    pub fn out_of_time(&mut self) -> Verdict {
        if self.is_late || self.stage != Stage::Rerun {
            return Verdict::Run(WantedRun::Rerun(self.index));
        }
        self.is_late = self.claims.need_a_run();
        self.claims.stop();
        self.index -= 1;
        self.next()
    }

    fn another_attempt(&mut self) -> Option<Verdict> {
        self.failed_attempts += 1;
        (self.failed_attempts < self.test.options.attempts()).then(|| {
            self.index += 1;
            Verdict::Run(WantedRun::Rerun(self.index))
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

    /// Values beyond all calibrated ones that were cleared, for the log of those.
    pub fn cleared_strays(&self) -> Vec<Stray> {
        let cleared = |doubt: &&Doubt| doubt.step() == WalkStep::Cleared;
        let strays = self.doubts.iter().filter(cleared).filter_map(Doubt::stray);
        let of_entry = |(site, judged)| {
            let base = self.bounds().entry(site)?.base.clone();
            Some(Stray::new(&self.test, &self.seed, site, judged, base))
        };
        strays.filter_map(of_entry).collect()
    }

    /// Whether a value is in doubt, which reruns settle.
    pub fn is_in_doubt(&self) -> bool {
        let mut doubts = self.doubts.iter();
        doubts.any(|doubt| doubt.step() == WalkStep::Rerun)
    }

    /// What to say of a test that passes: claims that so many runs did not decide, runs that told nothing.
    pub fn notes(&self) -> Vec<String> {
        let undecided = self
            .claims
            .with(|outcome| *outcome == ClaimOutcome::Undecided);
        let undecided = undecided.iter();
        let undecided = undecided.map(|decided| report::undecided(&self.test, decided));
        let remarks = report::remarks(&self.test, &self.inconclusive, self.is_late);
        let named = |words: String| format!("note: {}: {words}\n", self.test.name());
        undecided.chain(remarks.map(named)).collect()
    }

    /// What came of every claim.
    pub fn claims(&self) -> Vec<Decided> {
        self.claims.decided().collect()
    }

    /// What to say of a test that passes and does not do what it did at calibration, once in a while.
    pub fn changed(&self) -> Option<String> {
        let replayed = self
            .replayed
            .as_ref()
            .filter(|replayed| !replayed.is_same())?;
        Some(report::changed(&self.test, replayed))
    }

    /// The bounds of a site in words, such as `guard 0.041  ceiling 0.093`, if it has any.
    #[inline]
    pub fn bound_of(&self, site: &SiteId) -> Option<String> {
        let entry = self.bounds().entry(site)?;
        let sides = entry.sides.iter().map(|(_, learned)| learned.tiers());
        Some(sides.collect::<Vec<String>>().join(", "))
    }

    /// What to say besides the words of a run that failed by itself.
    pub fn failed_by_itself(&self) -> String {
        report::in_rerun(self.index, &self.doubted())
            + &report::attempts(self.failed_attempts, &self.test.options)
            + &report::remarked(&self.test, &self.inconclusive, self.is_late)
            + &report::replay_line(&self.test, &self.seed)
    }

    /// The verdict of a test that failed by itself, for programs that asked.
    pub fn error_line(&self) -> Option<String> {
        let line = || report::by_itself(&self.test, &self.seed).end() + "\n";
        self.settings.log_json.then(line)
    }

    /// The verdict of a test that passes, for those who asked.
    pub fn passed(&self, sites: &[Site]) -> String {
        let passed = self.passing(sites);
        match self.settings.log_json {
            true => passed.json(),
            false => passed.to_string(),
        }
    }

    fn passing<'a>(&'a self, sites: &'a [Site]) -> Passed<'a> {
        Passed {
            test: &self.test,
            seed: &self.seed,
            failed_attempts: self.failed_attempts,
            cleared: self.doubted(),
            replayed: self.replayed.as_ref(),
            claims: self.claims(),
            inconclusive: &self.inconclusive,
            sites,
            record: &self.first,
        }
    }

    /// Keeps how the test ended, and what its sites saw, in the folder that flex has, and in the history. Nothing depends on
    /// it: what cannot be written is not kept, with a word if somebody asked for the history.
    pub fn keep(&self, flex: Option<&Path>, sites: &[Site], ended: Ended<'_>) -> Option<String> {
        let flex = flex.filter(|_| self.settings.keep);
        let history = self.settings.history.clone().map(HistoryPlace::at);
        if flex.is_none() && history.is_none() {
            return None;
        }
        let line = self.line(sites, ended);
        if let Some(flex) = flex {
            let kept = Kept::within(flex);
            let _ = kept.append(&self.test, self.settings.variant.as_deref(), &line);
        }
        history?.append_or_say(&line)
    }

    /// How the test ended, and what its sites saw in the run that was judged, as a line of JSON.
    pub fn line(&self, sites: &[Site], ended: Ended<'_>) -> String {
        let mut line = match ended {
            Ended::Passed => self.passing(sites).object(),
            Ended::Failed(failure) => failure.object(),
            Ended::ByItself => report::by_itself(&self.test, &self.seed),
        };
        let variant = self.settings.variant.as_deref();
        report::kept(&mut line, &self.test, variant, sites, &self.first);
        line.end() + "\n"
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

    /// Runs after which claims stay undecided.
    fn most_runs(&self) -> u32 {
        self.test.options.max_runs.unwrap_or(MOST_RUNS)
    }

    fn bounds(&self) -> TestBounds<'_> {
        TestBounds {
            test: &self.test,
            entries: &self.entries,
            variant: self.settings.variant.as_deref(),
        }
    }

    fn fail(&self, reason: Reason) -> Verdict {
        Verdict::Fail(Box::new(FailedTest {
            test: self.test.clone(),
            seed: self.seed.clone(),
            reason,
            is_stale: self.bounds().is_stale(),
            bounds_file: self.bounds_file.clone(),
            failed_attempts: self.failed_attempts,
            inconclusive: self.inconclusive.clone(),
            is_late: self.is_late,
        }))
    }

    /// What gave rise to doubts, with what the reruns showed so far; or what a replay cleared.
    fn doubted(&self) -> Vec<Problem> {
        let raced = self.doubts.iter().map(Doubt::confirmed);
        let cleared = self.watched.iter().filter(|_| self.is_cleared_by_replay());
        let cleared = cleared.filter(|watched| watched.is_in_doubt());
        raced
            .chain(cleared.map(|watched| watched.problem.clone()))
            .collect()
    }

    fn is_cleared_by_replay(&self) -> bool {
        self.replayed.as_ref().is_some_and(Replayed::is_same)
    }

    /// Judges the first run; why it fails, if it does.
    fn judge(&mut self, sites: &[Site], record: &RunRecord) -> Option<Reason> {
        // For those who show it or keep it.
        self.first = record.clone();
        let is_stale = self.bounds().is_stale();
        let FirstRun {
            mut problems,
            warnings,
            watched,
            missed,
        } = self.bounds().judge(sites, record, &self.settings);
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
            let in_doubt = watched.iter().filter(|watched| watched.is_in_doubt());
            problems.extend(in_doubt.map(|watched| watched.problem.clone()));
            problems.extend(missed.iter().map(Doubt::confirmed));
            Some(Reason::Problems(problems))
        };
        (self.watched, self.doubts) = (watched, missed);
        reason
    }

    /// A replay, if a value is in doubt that it may clear; else reruns, if there is anything to settle.
    fn after_the_first(&mut self) -> Verdict {
        let variant = self.settings.variant.as_deref();
        let replay = TestReplay::of(&self.entries, variant);
        let may_clear = |watched: &Watched| {
            let replay = replay.as_ref();
            replay.is_some_and(|replay| replay.knows(&watched.problem.site))
        };
        for watched in self.watched.iter().filter(|watched| watched.is_in_doubt()) {
            if !may_clear(watched) {
                self.doubts.push(watched.race(None));
                self.doubts.extend(watched.stray(None));
            }
        }
        let is_wanted = |replay: &TestReplay| {
            let mut known = self.watched.iter().filter(|watched| may_clear(watched));
            known.any(|watched| replay.always || watched.is_in_doubt())
        };
        match replay.as_ref().filter(|replay| is_wanted(replay)) {
            Some(replay) => {
                let run = replay.drawn(&self.seed, &self.test.id);
                self.stage = Stage::Replay(Box::new(replay.clone()), run);
                Verdict::Run(WantedRun::Replay {
                    base: replay.base.clone(),
                    run,
                })
            }
            None => self.next(),
        }
    }

    /// Takes what the replay showed. If nothing changed, only strays are left to doubt; if something did, every side is.
    fn take_replay(&mut self, replay: &TestReplay, replayed: Replayed) -> Verdict {
        let known = self
            .watched
            .iter()
            .filter(|watched| replay.knows(&watched.problem.site));
        for watched in known {
            if !replayed.is_same() {
                self.doubts.push(watched.race(Some(&replayed)));
            }
            self.doubts.extend(watched.stray(Some(&replayed)));
        }
        self.replayed = Some(replayed);
        self.next()
    }

    /// Goes on until every doubt is cleared and every claim decided, or one is confirmed or broken.
    fn next(&mut self) -> Verdict {
        let is = |step: WalkStep| move |doubt: &&Doubt| doubt.step() == step;
        let confirmed = self.doubts.iter().filter(is(WalkStep::Regression));
        let mut confirmed: Vec<Problem> = confirmed.map(Doubt::confirmed).collect();
        let broken = self
            .claims
            .with(|outcome| matches!(outcome, ClaimOutcome::Broken | ClaimOutcome::Undecidable(_)));
        confirmed.extend(broken.into_iter().map(Problem::of_claim));
        if !confirmed.is_empty() {
            return self.fail(Reason::Problems(confirmed));
        }
        if self.is_in_doubt() || self.claims.need_a_run() {
            self.index += 1;
            self.failed_attempts = 0;
            return Verdict::Run(WantedRun::Rerun(self.index));
        }
        let undecided = self
            .claims
            .with(|outcome| *outcome == ClaimOutcome::Undecided);
        let failing = undecided
            .into_iter()
            .filter(|decided| decided.spec.undecided_fails);
        let failing: Vec<Problem> = failing.map(Problem::of_claim).collect();
        match failing.is_empty() {
            true => Verdict::Pass,
            false => self.fail(Reason::Problems(failing)),
        }
    }
}
