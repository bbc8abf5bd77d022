//! What a verdict says: to people in words, to programs as JSON.

mod cause;
mod claim;
pub(super) mod json;
mod kept;
mod picture;
mod walk;

use std::fmt::{self, Write as _};

use flex_bounds::options::Options;
use flex_core::seed::SeedRequest;
use flex_core::words::{block, duration, percent, plain};

use super::failure::{FailedTest, Reason, Warning};
use super::problem::{Problem, ProblemCause};
use super::replayed::Replayed;
use crate::decide::Decided;
use crate::model::{Asks, Inconclusive, RunRecord, Site, Test, value_on};
pub(super) use json::by_itself;
pub(super) use kept::kept;

impl fmt::Display for FailedTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match &self.reason {
            Reason::Problems(problems) => self.because_of(problems),
            Reason::Stale(problems) => self.because_stale(problems),
            Reason::Mistakes(mistakes) => {
                let lines = mistakes.iter().map(|what| format!("  error: {what}\n"));
                title(&self.test, "cannot be judged") + &lines.collect::<String>()
            }
            Reason::Inconclusive => self.because_inconclusive(),
        };
        f.write_str(&text)
    }
}

impl FailedTest {
    /// The test fails for these reasons.
    fn because_of(&self, problems: &[Problem]) -> String {
        let mut words: Vec<&str> = Vec::new();
        for problem in problems {
            let word = problem.cause.word();
            if !words.contains(&word) {
                words.push(word);
            }
        }
        let mut text = title(&self.test, &words.join(", "));
        for problem in problems {
            text += &problem.report(&self.bounds_file);
        }
        if self.is_stale {
            text += "note: the test changed since calibration\n";
        }
        text += &attempts(self.failed_attempts, &self.test.options);
        text += &remarked(&self.test, &self.inconclusive, self.is_late);
        let commands = self.test.commands();
        let is = |wanted: fn(&ProblemCause) -> bool| problems.iter().any(|p| wanted(&p.cause));
        if is(|cause| matches!(cause, ProblemCause::Uncalibrated(_))) {
            text += &calibrate_line(&self.test);
            if let Some(command) = commands.cargo_flex_calibrate() {
                let _ = writeln!(text, "       or: {command}");
            }
        }
        if is(|cause| {
            !matches!(
                cause,
                ProblemCause::Uncalibrated(_) | ProblemCause::Refused(_)
            )
        }) {
            text += &replay_line(&self.test, &self.seed);
        }
        let may_be_intended = |cause: &ProblemCause| {
            matches!(
                cause,
                ProblemCause::Ceiling(_)
                    | ProblemCause::Regression(_)
                    | ProblemCause::NewMode(_)
                    | ProblemCause::NotReached { .. }
            )
        };
        if is(may_be_intended) {
            let learn = commands.cargo_flex_calibrate();
            let learn = learn.unwrap_or_else(|| commands.calibrate());
            let _ = writeln!(text, "hint: if the change is intended, learn it: {learn}");
        }
        text
    }

    /// Too many runs told nothing.
    fn because_inconclusive(&self) -> String {
        let words = self.inconclusive.in_words().unwrap_or_default();
        let share = self.test.options.inconclusive();
        title(&self.test, "could not be decided")
            + &block(&format!(
                "{words}. More than {} of them say nothing, which is what this test allows \
                 (`inconclusive`); whatever the others showed is no verdict.",
                percent(share)
            ))
            + &replay_line(&self.test, &self.seed)
    }

    /// The test changed since calibration, and `FLEX_STALE=fail`.
    fn because_stale(&self, problems: &[Problem]) -> String {
        let mut text = title(&self.test, "stale");
        let _ = writeln!(
            text,
            "  the test changed since calibration (its fingerprint is {} now); FLEX_STALE=fail\n",
            self.test.fingerprint
        );
        for problem in problems {
            text += &problem.report(&self.bounds_file);
        }
        text + &calibrate_line(&self.test)
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, cause) = (self.test.name(), &self.problem.cause);
        writeln!(f, "warning: {name}: {}", cause.word())?;
        f.write_str(&self.problem.report("".as_ref()))?;
        match cause {
            ProblemCause::Uncalibrated(_) => f.write_str(&calibrate_line(&self.test)),
            _ => Ok(()),
        }
    }
}

/// A test that passes, for those who asked.
pub(super) struct Passed<'a> {
    pub test: &'a Test,
    pub seed: &'a SeedRequest,
    pub failed_attempts: u32,
    /// What was in doubt.
    pub cleared: Vec<Problem>,
    pub replayed: Option<&'a Replayed>,
    pub claims: Vec<Decided>,
    pub inconclusive: &'a Inconclusive,
    pub sites: &'a [Site],
    pub record: &'a RunRecord,
}

impl Passed<'_> {
    fn word(&self) -> &'static str {
        match self.cleared.is_empty() {
            true => "pass",
            false => "cleared",
        }
    }
}

impl fmt::Display for Passed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, word, base) = (self.test.name(), self.word(), &self.seed.base);
        writeln!(f, "flex: {name}: {word} (seed {base})")?;
        f.write_str(&attempts(self.failed_attempts, &self.test.options))?;
        f.write_str(&remarked(self.test, self.inconclusive, false))?;
        for problem in &self.cleared {
            writeln!(f, "  {}", problem.in_doubt())?;
        }
        if let Some(replayed) = self.replayed {
            writeln!(f, "  {}", replayed.words(None))?;
        }
        for decided in &self.claims {
            writeln!(f, "  {}: {}", decided.site, claim::in_short(decided))?;
        }
        match self.cleared.is_empty() {
            true => f.write_str(&values(self.sites, self.record)),
            false => Ok(()),
        }
    }
}

/// A test does not do what it did at calibration, and passes nevertheless.
pub(super) fn changed(test: &Test, replayed: &Replayed) -> String {
    let (name, words) = (test.name(), replayed.words(None));
    let commands = test.commands();
    let learn = commands.cargo_flex_calibrate();
    let learn = learn.unwrap_or_else(|| commands.calibrate());
    format!(
        "note: {name}: {words}. It is as good as before, and every run of it may take a few more until it is \
         calibrated again: {learn}\n"
    )
}

/// A claim that so many runs did not decide, of a test that passes.
pub(super) fn undecided(test: &Test, decided: &Decided) -> String {
    let (name, site) = (test.name(), &decided.site);
    format!("note: {name}: {site}: {}\n", claim::in_short(decided))
}

/// A confirmation run failed by itself.
pub(super) fn in_rerun(rerun: u64, doubted: &[Problem]) -> String {
    let note =
        |problem: &Problem| format!("note: in rerun {rerun}, since {}\n", problem.in_doubt());
    doubted.iter().map(note).collect()
}

/// How many attempts failed by themselves, of a test that has several.
pub(super) fn attempts(failed: u32, options: &Options) -> String {
    match (failed, options.attempts()) {
        (0, _) | (_, 1) => String::new(),
        (failed, all) => format!("note: {failed} of {all} attempts failed by themselves\n"),
    }
}

/// What to say besides a verdict: how many runs told nothing, and that the time for claims was up.
pub(super) fn remarks(
    test: &Test,
    inconclusive: &Inconclusive,
    is_late: bool,
) -> impl Iterator<Item = String> {
    let limit = test.options.time_limit.map(duration);
    let limit = limit.map_or(String::new(), |limit| format!(" limit of {limit}"));
    let late = is_late.then(|| format!("the time{limit} was up; more runs may tell more"));
    inconclusive.in_words().into_iter().chain(late)
}

/// The same on lines of their own.
pub(super) fn remarked(test: &Test, inconclusive: &Inconclusive, is_late: bool) -> String {
    let remarks = remarks(test, inconclusive, is_late);
    remarks.map(|words| format!("note: {words}\n")).collect()
}

/// The line that repeats a verdict.
pub(super) fn replay_line(test: &Test, seed: &SeedRequest) -> String {
    format!("replay: {}\n", test.commands().replay(seed))
}

/// What each site of a run saw.
pub(super) fn values(sites: &[Site], record: &RunRecord) -> String {
    let mut text = String::new();
    for (site, hit) in sites.iter().zip(&record.hits) {
        let mut values: Vec<String> = match (hit, &site.asks) {
            (None, _) => vec!["not reached".to_owned()],
            (Some(hit), Asks::Learned(spec)) => {
                let sides = spec.tail.sides().iter();
                sides
                    .map(|side| plain(value_on(*side, hit.extremes)))
                    .collect()
            }
            (Some(hit), Asks::Declared(_) | Asks::Claim(_)) => vec![plain(hit.extremes.greatest)],
        };
        values.dedup();
        let _ = writeln!(text, "  {}: {}", site.id, values.join(" to "));
    }
    text
}

fn title(test: &Test, words: &str) -> String {
    format!("\nflex: {}: {words}\n\n", test.name())
}

fn calibrate_line(test: &Test) -> String {
    format!("calibrate: {}\n", test.commands().calibrate())
}
