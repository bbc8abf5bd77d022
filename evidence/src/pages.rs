//! The pages of `docs/evidence`.

use crate::page::Page;
use crate::{
    bench, convergence, daily, detect, gate, harness, pytest, report, scale, sequential, trace,
    trust, truth,
};

/// All pages, in the order in which `cargo xtask evidence` makes them.
pub const PAGES: [&dyn Page; 13] = [
    &truth::TruthPage,
    &convergence::ConvergencePage,
    &sequential::SequentialPage,
    &bench::BenchPage,
    &harness::HarnessPage,
    &daily::DailyPage,
    &pytest::PytestPage,
    &detect::DetectPage,
    &trace::TracePage,
    &gate::GatePage,
    &trust::TrustPage,
    &scale::ScalePage,
    &report::ReportPage,
];
