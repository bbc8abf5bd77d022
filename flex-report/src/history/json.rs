//! A report on drift for programs.

use serde_json::{Value, json};

use flex_bounds::TestId;
use flex_detect::record::Float;

use super::drift::{DriftReport, HistoryRun, MovedSite, WatchedSide};

impl DriftReport {
    /// All of it, as JSON.
    pub fn json(&self) -> Value {
        json!({
            "version": 1,
            "moved": self.moved(),
            "runs_between_false_alarms": self.settings.runs,
            "alarm_at": self.level,
            "repeated": self.repeated,
            "series": self.watched.iter().map(series).collect::<Vec<Value>>(),
        })
    }
}

fn series(watched: &WatchedSide) -> Value {
    let target = match &watched.test.id {
        TestId::Cargo { target, .. } => Some(target),
        TestId::Pytest { .. } => None,
    };
    json!({
        "package": watched.test.package,
        "target": target,
        "test": watched.test.id.name(),
        "variant": watched.test.variant,
        "site": watched.site,
        "case": watched.case,
        "file": watched.file,
        "line": watched.line,
        "platform": watched.platform.as_deref(),
        "side": watched.side.as_str(),
        "calibrated": watched.calibrated,
        "runs": watched.runs,
        "evidence": Float(watched.evidence),
        "drift": watched.drift.as_ref().map(drift),
        "check": watched.check,
    })
}

fn drift(found: &MovedSite) -> Value {
    json!({
        "shift": Float(found.shift),
        "since": run(&found.since),
        "earliest": run(&found.earliest),
        "latest": run(&found.latest),
        "noticed": run(&found.noticed),
        "median_before": Float(found.median_before),
        "median_since": Float(found.median_after),
        "values": found.values.iter().copied().map(Float).collect::<Vec<Float>>(),
    })
}

fn run(seen: &HistoryRun) -> Value {
    json!({
        "run": seen.index,
        "at": seen.at,
        "commit": seen.commit.as_deref(),
    })
}
