//! Calibration: the runs of a test are spread over processes, and what they show drives the calibration machine.
//!
//! This is what `cargo flex calibrate` does for every test that it finds, and what `FLEX_MODE=calibrate cargo test`
//! does for the tests that it runs. The test processes only record; everything is decided here, by `flex-core`.

mod checks;
mod collector;
mod drive;
mod fixed;
mod gate;
mod kept;
mod machine;
mod observed;
mod outcome;
mod process;
mod repeat;
mod replays;
mod save;
mod settings;
mod suite;
mod summary;
mod suspicion;
mod unchanged;

pub use drive::{Driven, Progress, calibrate, drive, parts_of};
pub use fixed::{FixedRun, RUNS_IF_FIXED, fixed_in_words};
pub use flex_bounds::change::Change;
pub use gate::Gate;
pub use kept::keep;
pub use machine::{Calibrating, Next};
pub use observed::{DeclaredLog, Observed};
pub use outcome::{DeclaredSite, LearnedSite, Objection, TestCalibration, Uncontrolled};
pub use process::{GRACE, Recorded, TestProgram, Worker, scratch_folder};
pub use repeat::{MadeRun, RepeatPolicy};
pub use replays::{ReplayTimeouts, replay_all};
pub use save::{pending_store, rescue, save};
pub use settings::{CalibrationError, CalibrationSettings};
pub use suite::{Look, SuitePlan, look};
pub use unchanged::ReplayFirst;
