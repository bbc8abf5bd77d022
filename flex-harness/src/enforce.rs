//! Enforcement of a Rust test: its runs are made here, and judged by [`Enforcement`].

use std::any::Any;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use flex_core::seed::{Phase, SeedRequest};
use flex_core::visible::visible;

use crate::making::{Making, kept, runs_of};
use crate::run::{End, panic_message};
use crate::test::StochasticTest;
use flex_run::calibrate::scratch_folder;
use flex_run::enforce::{Ended, Enforcement, FailedTest, Verdict, WantedRun, log_strays};
use flex_run::kept::REPORT_FILE;
use flex_run::model::{Place, Site, Test};
use flex_run::project::base::stated_or_fresh;
use flex_run::project::env::{self, Settings};
use flex_run::project::flex_folder;
use flex_run::store::Store;

/// Why a test fails.
#[derive(Debug)]
pub(crate) enum TestFailure {
    /// The verdict of flex.
    Verdict(Box<FailedTest>),
    /// The test returned an error, or could not be judged at all.
    Report(String),
    /// The test panicked by itself; the note says under which seed.
    Panic {
        payload: Box<dyn Any + Send>,
        note: String,
    },
}

impl TestFailure {
    /// The assertion that the verdict is about, if it is about one and was seen.
    pub fn place(&self) -> Option<&Place> {
        match self {
            TestFailure::Verdict(failure) => failure.problems().first()?.place.as_ref(),
            TestFailure::Report(_) | TestFailure::Panic { .. } => None,
        }
    }

    /// All there is to say.
    pub fn words(&self) -> String {
        match self {
            TestFailure::Verdict(failure) => failure.to_string(),
            TestFailure::Report(report) => report.clone(),
            TestFailure::Panic { payload, note } => {
                format!("{}\n{note}", panic_message(&**payload))
            }
        }
    }
}

impl From<String> for TestFailure {
    fn from(report: String) -> Self {
        TestFailure::Report(report)
    }
}

/// Runs a test once, and more often where a value is in doubt.
pub(crate) fn enforce(
    test: &'static StochasticTest,
    asked: Test,
    settings: &Settings,
) -> Result<(), TestFailure> {
    let store = Store::at(env::bounds_file(test.identity.manifest_dir));
    let entries = store
        .select(&test.id())
        .map_err(|error| format!("error: {error}\n"))?;
    let mut seed = stated_or_fresh(settings);
    let stated = settings.seed.as_ref().map(|seed| &*seed.base);
    let kept = kept(&asked, stated);
    if let Some(kept) = &kept {
        kept.words(test.name()).iter().for_each(|words| say(words));
        seed.base.clone_from(&kept.base);
    }
    let base = seed.base.clone();
    let mut enforcement = Enforcement::new(
        asked.clone(),
        settings.clone(),
        seed,
        entries,
        store.path().to_owned(),
    );
    thread::scope(|scope| {
        let mut making = Making::new(scope, test, &asked, &base, kept);
        let judged = judge(&mut making, &mut enforcement, asked.options.time_limit());
        making.forget();
        let ended = match &judged {
            Ok(()) => Ended::Passed,
            Err(TestFailure::Verdict(failure)) => Ended::Failed(failure),
            Err(TestFailure::Report(_) | TestFailure::Panic { .. }) => Ended::ByItself,
        };
        let sites = making.sites();
        if let Some(words) = enforcement.keep(folder().as_deref(), &sites, ended) {
            say(&words);
        }
        if judged.is_ok() {
            passes(&enforcement, &sites, settings);
        }
        judged
    })
}

/// Makes runs until there is a verdict.
fn judge(
    making: &mut Making<'_, '_>,
    enforcement: &mut Enforcement,
    limit: Option<Duration>,
) -> Result<(), TestFailure> {
    let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
    let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let mut wanted = WantedRun::Rerun(0);
    loop {
        let mut verdict = match make(making, &wanted, enforcement)? {
            Some(next) => next,
            None => enforcement.see(&making.sites(), making.record()),
        };
        for warning in enforcement.take_warnings() {
            say(&warning.to_string());
        }
        if matches!(verdict, Verdict::Run(WantedRun::Rerun(_))) && is_late() {
            verdict = enforcement.out_of_time();
        }
        match verdict {
            Verdict::Run(next) => wanted = next,
            Verdict::Fail(failure) => return Err(TestFailure::Verdict(failure)),
            Verdict::Pass => return Ok(()),
        }
    }
}

/// The folder that flex has in the target folder.
fn folder() -> Option<PathBuf> {
    std::env::current_exe().ok().map(|exe| scratch_folder(&exe))
}

/// The page that `report` made of the workspace, for those whose test fails, if there is one.
pub(crate) fn page(test: &StochasticTest) -> String {
    let package = env::package_folder(test.identity.manifest_dir);
    let flex = folder();
    let target = flex.as_deref().and_then(Path::parent);
    // The workspace is the package or above it.
    let pages = target.into_iter().flat_map(|target| {
        let roots = package.ancestors();
        roots.map(move |root| flex_folder(target, root).join(REPORT_FILE))
    });
    match pages.into_iter().find(|page| page.is_file()) {
        Some(page) => format!(
            "page: {}, which `cargo flex report` makes anew\n",
            page.display()
        ),
        None => String::new(),
    }
}

/// Says what there is to say of a test that passes, and keeps strays for a review.
fn passes(enforcement: &Enforcement, sites: &[Site], settings: &Settings) {
    /// A test that changed costs a few extra runs each time; saying so once in a process is enough.
    static SAID: AtomicBool = AtomicBool::new(false);
    if let Some(changed) = enforcement.changed()
        && !SAID.swap(true, Ordering::Relaxed)
    {
        say(&changed);
    }
    for note in enforcement.notes() {
        say(&note);
    }
    if let Some(flex) = folder() {
        // Nothing depends on the log; where it cannot be written there is none.
        let _ = log_strays(&flex, &enforcement.cleared_strays());
    }
    if settings.log {
        say(&enforcement.passed(sites));
    }
}

/// Makes a run. One that failed by itself is an ordinary failure, with its seed, unless something else comes after it.
fn make(
    making: &mut Making<'_, '_>,
    wanted: &WantedRun,
    enforcement: &mut Enforcement,
) -> Result<Option<Verdict>, TestFailure> {
    let end = making.make(wanted);
    if let Some(why) = &making.record().inconclusive {
        return Ok(Some(enforcement.see_inconclusive(why)));
    }
    let next = match end {
        End::Done => None,
        End::Error(_) | End::Panic(_) => enforcement.see_failure(making.record()),
    };
    match next {
        Some(next) => Ok(Some(next)),
        None => finished(end, making.mistakes(), enforcement).map(|()| None),
    }
}

/// Makes exactly one run, of any phase, and shows what it saw.
pub(crate) fn replay_run(
    test: &'static StochasticTest,
    asked: Test,
    settings: &Settings,
    (phase, index): (Phase, u64),
) -> Result<(), TestFailure> {
    let (seed, enforcement) = without_bounds(test, asked.clone(), settings);
    let mut runs = runs_of(test, &asked, &seed.base, phase, None);
    let run = runs.run(index);
    let sites = runs.recorder.sites_from(0);
    say(&enforcement.replayed((phase, index), &sites, &runs.record));
    if let Some(why) = &runs.record.inconclusive {
        return Err(format!("error: the run is inconclusive: {}\n", visible(why)).into());
    }
    finished(run.end, &runs.recorder.mistakes(), &enforcement)?;
    passed(enforcement.see_declared(&sites, &runs.record))
}

/// Runs a test once, with no bounds but the declared ones.
pub(crate) fn run_without_bounds(
    test: &'static StochasticTest,
    asked: Test,
    settings: &Settings,
) -> Result<(), TestFailure> {
    let (seed, mut enforcement) = without_bounds(test, asked.clone(), settings);
    thread::scope(|scope| {
        let mut making = Making::new(scope, test, &asked, &seed.base, None);
        let mut wanted = WantedRun::Rerun(0);
        // A run that tells nothing is followed by another.
        while let Some(next) = make(&mut making, &wanted, &mut enforcement)? {
            match next {
                Verdict::Run(next) => wanted = next,
                Verdict::Pass => return Ok(()),
                Verdict::Fail(failure) => return Err(TestFailure::Verdict(failure)),
            }
        }
        passed(enforcement.see_declared(&making.sites(), making.record()))
    })
}

/// Prints where libtest does not capture: a passing test has something to say.
pub(crate) fn say(text: &str) {
    // If standard error is gone, there is nobody to tell.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// The enforcement of a test that no learned bound judges, and its seed.
fn without_bounds(
    test: &'static StochasticTest,
    asked: Test,
    settings: &Settings,
) -> (SeedRequest, Enforcement) {
    let seed = stated_or_fresh(settings);
    let enforcement = Enforcement::single(
        asked,
        settings.clone(),
        seed.clone(),
        env::bounds_file(test.identity.manifest_dir),
    );
    (seed, enforcement)
}

/// A run that failed by itself is an ordinary failure, with its seed; and something may be wrong with the test itself.
fn finished(end: End, mistakes: &[String], enforcement: &Enforcement) -> Result<(), TestFailure> {
    if !matches!(end, End::Done)
        && let Some(line) = enforcement.error_line()
    {
        say(&line);
    }
    match end {
        End::Done => {}
        End::Error(error) => {
            let note = enforcement.failed_by_itself();
            return Err(format!("Error: {error}\n{note}").into());
        }
        End::Panic(payload) => {
            return Err(TestFailure::Panic {
                payload,
                note: enforcement.failed_by_itself(),
            });
        }
    }
    match mistakes.is_empty() {
        true => Ok(()),
        false => passed(enforcement.mistaken(mistakes)),
    }
}

/// The verdict of a single run.
fn passed(verdict: Verdict) -> Result<(), TestFailure> {
    match verdict {
        Verdict::Fail(failure) => Err(TestFailure::Verdict(failure)),
        Verdict::Pass | Verdict::Run(_) => Ok(()),
    }
}
