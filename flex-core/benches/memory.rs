//! The bytes that a calibration keeps for each sample, printed as `runs bytes`.

use flex_core::calibration::{Calibration, CalibrationPlan, SiteId, SiteSpec};
use flex_core::sample::Extremes;
use flex_core::tail::Tail;

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

fn main() {
    let _profiler = dhat::Profiler::builder().testing().build();
    for runs in [100, 1000, 3000, 30_000] {
        // What is kept for the run itself cancels.
        let kept = |sites: usize| {
            let names: Vec<SiteId> = (0..sites)
                .map(|site| SiteId::new(format!("site {site}")))
                .collect();
            let before = dhat::HeapStats::get().curr_bytes;
            let mut calibration = Calibration::new(CalibrationPlan {
                min_runs: runs,
                max_runs: runs,
                ..CalibrationPlan::default()
            });
            let spec = SiteSpec {
                tail: Tail::Upper,
                light: false,
                domain: None,
                confidence: None,
            };
            for run in 0..runs {
                let extremes = Extremes::new(f64::from(run));
                let hits: Vec<_> = names.iter().map(|name| (name, spec, extremes)).collect();
                calibration
                    .push_folded(run, false, &hits)
                    .expect("every run is new");
            }
            dhat::HeapStats::get().curr_bytes - before
        };
        let slope = (kept(11) - kept(1)) as f64 / (10.0 * f64::from(runs));
        println!("{runs} {slope:.2}");
    }
}
