//! A calibration of one site, driven to its end.

use flex_core::calibration::{Calibrated, Calibration, CalibrationPlan, Run, SiteSpec, Step};
use flex_core::tail::Tail;

/// A value that a run showed, and whether the run failed by itself.
pub struct Shown {
    pub value: f64,
    pub failed: bool,
}

/// Drives a calibration of one upper site with the runs that it asks for.
pub fn calibrate(plan: CalibrationPlan, mut run: impl FnMut() -> Shown) -> Calibrated {
    let mut calibration = Calibration::new(plan);
    loop {
        match calibration.step().expect("one site spends one budget") {
            Step::Done(calibrated) => return calibrated,
            Step::Collect(_) => {
                let wanted: Vec<u32> = calibration.wanted().collect();
                for index in wanted {
                    let Shown { value, failed } = run();
                    let run = Run {
                        index,
                        panicked: failed,
                        hits: vec![("x".into(), SiteSpec::new(Tail::Upper), value)],
                    };
                    calibration.push(&run).expect("runs are new");
                }
            }
        }
    }
}
