//! What happens when a stochastic test runs, by the mode of the process.

use std::fmt;
use std::panic::resume_unwind;
use std::sync::{Mutex, Once, PoisonError};

use flex_bounds::file::BoundsFile;

use crate::enforce::{TestFailure, enforce, page, replay_run, run_without_bounds, say};
use crate::record::record;
use crate::replaced;
use crate::test::{Registration, StochasticTest};
use flex_core::words::quoted;
use flex_run::calibrate::{
    CalibrationSettings, Gate, ReplayFirst, ReplayTimeouts, SuitePlan, TestProgram, calibrate,
    keep, look, replay_all, rescue, save, scratch_folder,
};
use flex_run::history::HistoryPlace;
use flex_run::model::Test;
use flex_run::project::base::fresh_base;
use flex_run::project::config::Project;
use flex_run::project::env::{self, Mode, RecordRequest, Settings};
use flex_run::store::Store;
use flex_run::watch::follow_parent;

/// Runs a test under libtest, which knows failures by their panic.
pub fn run(test: &'static StochasticTest) {
    let Err(failure) = execute(test) else {
        return;
    };
    let place = failure.place().cloned();
    let (words, payload) = match failure {
        TestFailure::Panic { payload, note } => (note, payload),
        // The words are out already, so the payload is only seen by those who look for it.
        failure => (failure.words(), Box::new("flex: the test failed") as _),
    };
    // Where libtest captures, it shows this with the failure.
    eprint!(
        "{words}{}{}{}",
        retried(),
        page(test),
        test.annotation(&words, place.as_ref())
    );
    resume_unwind(payload);
}

/// Runs a test; the error is all there is to say.
#[cfg(feature = "main")]
pub(crate) fn run_to_text(test: &'static StochasticTest) -> Result<(), String> {
    let Err(failure) = execute(test) else {
        return Ok(());
    };
    let words = failure.words();
    let annotation = test.annotation(&words, failure.place());
    Err(words + &retried() + &page(test) + &annotation)
}

/// What a runner that retries failing tests makes of this one: retries are no evidence for the code.
fn retried() -> String {
    match (env::attempt(), env::states_seed()) {
        (Some(attempt @ 2..), true) => format!(
            "note: attempt {attempt} made the same runs as the one before, since {} is set: no retry changes this verdict\n",
            env::SEED
        ),
        (Some(attempt @ 2..), false) => format!(
            "note: this is attempt {attempt}, under fresh seeds, and those before it failed too\n"
        ),
        _ => String::new(),
    }
}

fn execute(test: &'static StochasticTest) -> Result<(), TestFailure> {
    let error = |error: String| format!("error: {error}\n");
    let mut settings = Settings::read().map_err(error)?;
    let folder = env::package_folder(test.identity.manifest_dir);
    let project = Project::of_package(&folder).map_err(error)?;
    if settings.variant.is_none() {
        settings.variant = project.variant().map(str::to_owned);
    }
    let mut asked = test.in_project(&project);
    if let Some(timeout) = settings.timeout {
        asked.options.timeout = Some(timeout.as_secs_f64());
    }
    if asked.options.controls_entropy() {
        replaced::check().map_err(|error| format!("error: {}: {error}\n", test.name()))?;
    }
    let is_json = settings.log_json;
    // One run that is looked at shows what it shows.
    let is_replay = settings
        .seed
        .as_ref()
        .is_some_and(|seed| seed.run.is_some());
    let judges = matches!(settings.mode, Mode::Enforce | Mode::Off) && !is_replay;
    let result = match (
        settings.mode,
        settings.seed.as_ref().and_then(|seed| seed.run),
    ) {
        (Mode::Enforce, Some(run)) => replay_run(test, asked, &settings, run),
        (Mode::Enforce, None) => enforce(test, asked, &settings),
        (Mode::Off, _) => run_without_bounds(test, asked, &settings),
        (Mode::Record, _) => {
            let Some(request) = RecordRequest::read(test.name()).map_err(error)? else {
                return Ok(());
            };
            follow(env::parent().map_err(error)?);
            record(test, &asked, &request).map_err(|error| {
                let file = request.file.display();
                TestFailure::Report(format!("error: cannot write {file}: {error}\n"))
            })
        }
        (Mode::Calibrate, _) => calibrate_here(test, &asked, settings),
    };
    if let (true, Err(TestFailure::Verdict(failure))) = (is_json, &result) {
        say(&failure.json());
    }
    match (result, judges) {
        (Err(failure), true) => unless_quarantined(failure, test, &project),
        (result, _) => result,
    }
}

/// A failure of a test in quarantine is said, and does not count.
fn unless_quarantined(
    failure: TestFailure,
    test: &StochasticTest,
    project: &Project,
) -> Result<(), TestFailure> {
    let Some(quarantine) = project.quarantine(&test.id()) else {
        return Err(failure);
    };
    let note = format!("flex: {}: {}\n", test.name(), quarantine.words);
    match quarantine.holds {
        true => {
            say(&(note + &failure.words()));
            Ok(())
        }
        false => {
            say(&note);
            Err(failure)
        }
    }
}

/// Ends this process with the one that wants its records.
fn follow(parent: Option<u32>) {
    static FOLLOWS: Once = Once::new();
    if let Some(parent) = parent {
        FOLLOWS.call_once(|| follow_parent(parent));
    }
}

/// Calibrates a test from within its own process, which starts itself again.
fn calibrate_here(
    test: &'static StochasticTest,
    asked: &Test,
    settings: Settings,
) -> Result<(), TestFailure> {
    /// One test at a time: calibration starts processes of its own, and some measure time.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);

    let store = Store::at(env::bounds_file(test.identity.manifest_dir));
    store
        .check_writable()
        .map_err(|error| format!("error: {error}\n"))?;
    let program = TestProgram {
        exe: std::env::current_exe()
            .map_err(|error| format!("error: cannot find the test program: {error}\n"))?,
        folder: None,
        env: Vec::new(),
    };
    let mut calibration_settings = CalibrationSettings {
        runs: settings.runs,
        base: settings.seed.map_or_else(fresh_base, |seed| seed.base),
        variant: settings.variant,
        timeout: settings.timeout,
        alone: true,
        ..CalibrationSettings::default()
    };
    let gate = Gate::new(std::thread::available_parallelism().map_or(1, usize::from));
    let cannot =
        |error: &dyn fmt::Display| format!("error: cannot calibrate {}: {error}\n", test.name());
    let timeouts = ReplayTimeouts {
        run: settings.timeout,
        all: None,
    };
    // A file that cannot be read as it is, such as one with a merge conflict, is to be written.
    if let Ok(file) = store.read()
        && let Some(replay) = ReplayFirst::of(&file, &asked.id, &calibration_settings)
        && replay_all(&program, &[(test.name(), &replay)], timeouts, &gate) == [true]
    {
        let runs = replay.runs().len();
        say(&format!(
            "{}: unchanged, by {runs} runs of the last calibration; its bounds stay as they are\n",
            test.name()
        ));
        return Ok(());
    }
    if let Some(budget) = asked.suite {
        let file = store.read_merged().map_err(|error| cannot(&error))?;
        let looked = look(&program, test.name(), &calibration_settings, &gate)
            .map_err(|error| cannot(&error))?;
        let variant = calibration_settings.variant.as_deref();
        let unseen = registered_without_entry(&file, test);
        let plan = SuitePlan::new(budget, &file, variant, &[looked], unseen)
            .map_err(|error| cannot(&error))?;
        calibration_settings.shares = plan.shares(&asked.id);
    }
    let mut calibration = calibrate(&program, test.name(), &calibration_settings, &gate)
        .map_err(|error| cannot(&error))?;
    let history = settings.history.clone().map(HistoryPlace::at);
    let folder = settings.keep.then(|| scratch_folder(&program.exe));
    if let Some(words) = keep(&calibration, folder.as_deref(), history.as_ref()) {
        say(&words);
    }
    save(&mut [&mut calibration], &store, &[])
        .map_err(|error| format!("error: {}\n", rescue(&mut calibration, &program, &error)))?;
    let mut words = calibration.to_string();
    if calibration.changes_file() {
        let path = store.path().display().to_string();
        words += &format!("  wrote {}\n", quoted(&path));
    }
    say(&words);
    if let Some((_, why)) = calibration.failures.first() {
        return Err(TestFailure::Report(format!(
            "error: {} of {} runs failed by themselves: {why}\n",
            calibration.failures.len(),
            calibration.runs
        )));
    }
    let refused: Vec<&str> = calibration
        .refused()
        .map(|site| site.name.as_str())
        .collect();
    if refused.is_empty() {
        Ok(())
    } else {
        Err(TestFailure::Report(format!(
            "error: no bound could be learned for {}; see above\n",
            refused.join(", ")
        )))
    }
}

/// How many other tests of this program have nothing in the bounds file yet.
fn registered_without_entry(file: &BoundsFile, this: &StochasticTest) -> usize {
    inventory::iter::<Registration>
        .into_iter()
        .map(|Registration(test)| *test)
        .filter(|test| test.name() != this.name())
        .filter(|test| {
            let id = test.id();
            !file.entries().iter().any(|entry| entry.key.test == id)
        })
        .count()
}
