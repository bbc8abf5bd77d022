//! Calibration: the runs of a test are spread over processes, and what they show drives the calibration machine.
//!
//! This is what `cargo flex calibrate` does for every test that it finds, and what `FLEX_MODE=calibrate cargo test`
//! does for the tests that it runs. The test processes only record; everything is decided here, by `flex-core`.

mod cases;
mod checks;
mod collector;
mod drive;
mod elsewhere;
mod fixed;
mod gate;
mod kept;
mod machine;
mod observed;
mod onlooker;
mod outcome;
mod pooled;
mod process;
mod repeat;
mod replay_order;
mod replays;
mod save;
mod settings;
mod so_far;
mod suite;
mod summary;
mod suspicion;
mod unchanged;

pub use drive::{Driven, calibrate, drive, parts_of};
pub use elsewhere::line_of_records;
pub use fixed::{FixedRun, RUNS_IF_FIXED, fixed_in_words, show_same};
pub use flex_bounds::change::Change;
pub use gate::Gate;
pub use kept::{keep, line};
pub use machine::{Calibrating, Next};
pub use observed::{DeclaredLog, Observed};
pub use onlooker::{Nobody, Onlooker};
pub use outcome::{DeclaredSite, LearnedSite, Objection, TestCalibration, Uncontrolled};
pub use pooled::{PoolSource, Pooled};
pub use process::{GRACE, Recorded, TestProgram, Worker, scratch_folder};
pub use repeat::{MadeRun, RepeatPolicy};
pub use replay_order::ReplayOrder;
pub use replays::{ReplayTimeouts, replay_all, replay_orders};
pub use save::{pending_store, rescue, save};
pub use settings::{CalibrationError, CalibrationSettings};
pub use so_far::{GuardSoFar, SoFar, guards_in_words};
pub use suite::{Look, SuitePlan, look};
pub use unchanged::ReplayFirst;
