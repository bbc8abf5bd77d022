//! The bytes that a calibration keeps for a site without samples, printed as `site bytes`, and for each of its samples,
//! as `runs bytes`.

use flex_core::calibration::{Calibration, CalibrationPlan, SiteId, SiteSpec};
use flex_core::sample::Extremes;
use flex_core::tail::Tail;

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

fn main() {
    let _profiler = dhat::Profiler::builder().testing().build();
    // What is kept for the runs themselves cancels.
    let of_ten_sites = |runs: u32| kept(11, runs) - kept(1, runs);
    let none = of_ten_sites(1) as f64 / 10.0 - SAMPLE;
    println!("site {none:.0}");
    for runs in [100, 1000, 3000, 30_000] {
        let bytes = of_ten_sites(runs) as f64 / 10.0 - none;
        println!("{runs} {:.2}", bytes / f64::from(runs));
    }
}

/// The bytes of a sample: the index of its run and two extremes.
const SAMPLE: f64 = 24.0;

/// The bytes that a calibration keeps of so many sites and runs.
fn kept(sites: usize, runs: u32) -> usize {
    let names: Vec<SiteId> = (0..sites)
        .map(|site| SiteId::new(format!("site {site}")))
        .collect();
    let before = dhat::HeapStats::get().curr_bytes;
    let mut calibration = Calibration::new(CalibrationPlan {
        min_runs: runs,
        max_runs: runs,
        ..CalibrationPlan::default()
    });
    let spec = SiteSpec::new(Tail::Upper);
    for run in 0..runs {
        let extremes = Extremes::new(f64::from(run));
        let hits: Vec<_> = names.iter().map(|name| (name, spec, extremes)).collect();
        calibration
            .push_folded(run, false, &hits)
            .expect("every run is new");
    }
    dhat::HeapStats::get().curr_bytes - before
}
