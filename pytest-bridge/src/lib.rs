//! The engine of flex for Python: `pytest_flex._native`.
//!
//! Python makes the runs and looks after pytest; everything that is decided, and every file, is here or below. Nothing
//! in this crate computes: it hands values from Python to the crates that do, and answers back.

mod bound;
mod calibration;
mod calls;
mod claim;
mod closeness;
mod durations;
mod enforcement;
mod environment;
mod history;
mod kept;
mod learner;
mod limits;
mod looking;
mod merging;
mod probe;
mod record;
mod recorder;
mod replay_first;
mod report;
mod searched;
mod seeds;
mod shard;
mod shared_fixtures;
mod test;
mod test_options;
mod text;
mod trace;

use pyo3::prelude::*;

/// The native half of pytest-flex.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<bound::LearnedBound>()?;
    module.add_class::<bound::Side>()?;
    module.add_class::<calibration::Calibration>()?;
    module.add_class::<calibration::CalibrationOutcome>()?;
    module.add_class::<calibration::SuitePlan>()?;
    module.add_class::<calls::CallTracer>()?;
    module.add_class::<calls::Executed>()?;
    module.add_class::<enforcement::Enforcement>()?;
    module.add_class::<environment::Environment>()?;
    module.add_class::<history::History>()?;
    module.add_class::<kept::Kept>()?;
    module.add_class::<learner::Learner>()?;
    module.add_class::<probe::Probe>()?;
    module.add_class::<probe::Watch>()?;
    module.add_class::<probe::Windowed>()?;
    module.add_class::<record::Knob>()?;
    module.add_class::<record::RecordBuilder>()?;
    module.add_class::<record::TestRecord>()?;
    module.add_class::<recorder::Recorder>()?;
    module.add_class::<recorder::Recording>()?;
    module.add_class::<replay_first::ReplayFirst>()?;
    module.add_class::<record::search::Search>()?;
    module.add_class::<seeds::Seeds>()?;
    module.add_class::<shard::Shard>()?;
    module.add_class::<merging::Shards>()?;
    module.add_class::<test::Test>()?;
    module.add_class::<trace::TraceBuilder>()?;
    module.add_class::<limits::Limits>()?;
    module.add_class::<looking::Looking>()?;
    module.add_class::<shared_fixtures::SharedFixtures>()?;
    module.add_function(wrap_pyfunction!(bound::bound, module)?)?;
    module.add_function(wrap_pyfunction!(calibration::save, module)?)?;
    module.add_function(wrap_pyfunction!(calibration::check_writable, module)?)?;
    module.add_function(wrap_pyfunction!(report::report, module)?)?;
    module.add_function(wrap_pyfunction!(claim::claim_families, module)?)?;
    module.add_function(wrap_pyfunction!(record::search::runs_to_repeat, module)?)?;
    module.add_function(wrap_pyfunction!(closeness::needed, module)?)?;
    module.add_function(wrap_pyfunction!(durations::by_duration, module)?)?;
    module.add_function(wrap_pyfunction!(probe::hear_audit_events, module)?)?;
    module.add_function(wrap_pyfunction!(probe::catch_up, module)?)?;
    module.add_function(wrap_pyfunction!(probe::come_back, module)?)?;
    module.add_function(wrap_pyfunction!(probe::current_run, module)?)?;
    module.add_function(wrap_pyfunction!(probe::is_seeded, module)?)?;
    module.add_function(wrap_pyfunction!(probe::leave, module)?)?;
    module.add_function(wrap_pyfunction!(probe::generator_locks, module)?)?;
    module.add_function(wrap_pyfunction!(probe::found, module)?)?;
    module.add_function(wrap_pyfunction!(probe::global_lock, module)?)?;
    module.add_function(wrap_pyfunction!(probe::living, module)?)?;
    module.add_function(wrap_pyfunction!(probe::set_states, module)?)?;
    module.add_function(wrap_pyfunction!(probe::intercept, module)?)?;
    module.add_function(wrap_pyfunction!(probe::give_instead, module)?)?;
    module.add_function(wrap_pyfunction!(probe::intercepted, module)?)?;
    module.add_function(wrap_pyfunction!(probe::noted, module)?)?;
    module.add_function(wrap_pyfunction!(probe::on_entropy, module)?)?;
    module.add_function(wrap_pyfunction!(probe::on_imports, module)?)?;
    module.add_function(wrap_pyfunction!(probe::on_nothing_seen, module)?)?;
    module.add_function(wrap_pyfunction!(probe::set_classify, module)?)?;
    module.add_function(wrap_pyfunction!(probe::set_folders, module)?)?;
    module.add_function(wrap_pyfunction!(seeds::fresh_base, module)?)?;
    module.add_function(wrap_pyfunction!(seeds::parse_seed, module)?)?;
    module.add_function(wrap_pyfunction!(test::quoted, module)?)?;
    module.add_function(wrap_pyfunction!(test_options::test_options, module)?)?;
    module.add_function(wrap_pyfunction!(limits::hung, module)?)?;
    module.add_function(wrap_pyfunction!(limits::follow, module)?)?;
    module.add_function(wrap_pyfunction!(text::about, module)?)?;
    module.add_function(wrap_pyfunction!(text::ascii, module)?)?;
    Ok(())
}
