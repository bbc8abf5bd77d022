//! What came of a test, and what stops a calibration before its first run.

use flex_run::calibrate::{CalibrationError, TestCalibration};
use flex_run::store::StoreError;

use crate::exit::Failure;

/// The outcome of a test, and of writing it down.
pub type TestResult = Result<TestCalibration, TestFailure>;

/// Why there is no calibration of a test in its bounds file.
pub enum TestFailure {
    Calibration(CalibrationError),
    Store(String),
}

/// A bounds file that cannot be used is an error before the first run.
pub fn unreadable(error: StoreError) -> Failure {
    Failure::input(error, "nothing was run")
}
