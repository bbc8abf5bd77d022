//! What happens when a stochastic test runs, by the mode of the process.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};

use crate::calibrate::{CalibrationSettings, Gate, TestProgram, calibrate, rescue, save};
use crate::config::Project;
use crate::enforce::{Failure, enforce, replay_run, run_without_bounds, say};
use crate::entropy;
use crate::env::{self, Mode, RecordRequest, Settings};
use crate::record::record;
use crate::replay::{fresh_base, quoted};
use crate::store::Store;
use crate::test::Test;
use crate::test_record::TestRecord;

/// Runs a test under libtest, which knows failures by their panic.
pub fn run(test: &'static Test) {
    let (words, payload) = match execute(test) {
        Ok(()) => return,
        Err(Failure::Report(report)) => {
            // The words are out already, so the payload is only seen by those who look for it.
            (report, Box::new("flex: the test failed") as _)
        }
        Err(Failure::Panic { payload, note }) => (note, payload),
    };
    // Where libtest captures, it shows this with the failure.
    eprint!("{words}");
    resume_unwind(payload);
}

/// Runs a test; the error is all there is to say.
#[cfg(feature = "main")]
pub(crate) fn run_to_text(test: &'static Test) -> Result<(), String> {
    execute(test).map_err(|failure| match failure {
        Failure::Report(report) => report,
        Failure::Panic { payload, note } => {
            format!("{}\n{note}", crate::run::panic_message(&*payload))
        }
    })
}

fn execute(test: &'static Test) -> Result<(), Failure> {
    let error = |error: String| format!("error: {error}\n");
    let mut settings = Settings::read().map_err(error)?;
    let folder = env::package_folder(test.identity.manifest_dir);
    let project = Project::of_package(&folder).map_err(error)?;
    if settings.variant.is_none() {
        settings.variant = project.variant().map(str::to_owned);
    }
    let asked = TestRecord::of(test, &project);
    if asked.options.controls_entropy() {
        entropy::check().map_err(|error| format!("error: {}: {error}\n", test.name()))?;
    }
    match (
        settings.mode,
        settings.seed.as_ref().and_then(|seed| seed.run),
    ) {
        (Mode::Enforce, Some(run)) => replay_run(test, asked, &settings, run),
        (Mode::Enforce, None) => enforce(test, asked, &settings),
        (Mode::Off, _) => run_without_bounds(test, asked, &settings),
        (Mode::Record, _) => {
            let request = RecordRequest::read().map_err(error)?;
            let base = settings.seed.map_or_else(fresh_base, |seed| seed.base);
            record(test, &asked, &base, &request).map_err(|error| {
                let file = request.file.display();
                Failure::Report(format!("error: cannot write {file}: {error}\n"))
            })
        }
        (Mode::Calibrate, _) => calibrate_here(test, settings),
    }
}

/// Calibrates a test from within its own process, which starts itself again.
fn calibrate_here(test: &'static Test, settings: Settings) -> Result<(), Failure> {
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
    let calibration_settings = CalibrationSettings {
        runs: settings.runs,
        base: settings.seed.map_or_else(fresh_base, |seed| seed.base),
        variant: settings.variant,
        alone: true,
        ..CalibrationSettings::default()
    };
    let gate = Gate::new(std::thread::available_parallelism().map_or(1, usize::from));
    let mut calibration =
        calibrate(&program, test.name(), &calibration_settings, &gate, &|_| {})
            .map_err(|error| format!("error: cannot calibrate {}: {error}\n", test.name()))?;
    save(&mut [&mut calibration], &store, &[])
        .map_err(|error| format!("error: {}\n", rescue(&mut calibration, &program, &error)))?;
    let mut words = calibration.to_string();
    if calibration.changes_file() {
        let path = store.path().display().to_string();
        words += &format!("  wrote {}\n", quoted(&path));
    }
    say(&words);
    if let Some((_, why)) = calibration.failures.first() {
        return Err(Failure::Report(format!(
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
        Err(Failure::Report(format!(
            "error: no bound could be learned for {}; see above\n",
            refused.join(", ")
        )))
    }
}
