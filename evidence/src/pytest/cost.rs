//! The cost of a rerun beside those of other plugins, and of an unused plugin at pytest's start.

use std::fmt::Write;

use serde_json::Value;
use xtask::process::capture;

use super::environment::with_plugin;
use crate::page::{Bar, Section};

/// Milliseconds that a rerun may cost more than a bare loop, and that pytest may start later.
const RERUN: f64 = 0.08;
const STARTUP: f64 = 10.0;

/// What calibrating an unchanged suite again may take of its first calibration.
const RECALIBRATION: f64 = 0.05;

/// The section of the part `cost`: what `pytest-bridge/bench/cost.py` measured, in milliseconds.
pub fn section() -> Result<Section, String> {
    let printed = capture(
        &mut with_plugin()?.run(&["pytest-bridge/bench/cost.py"]),
        "",
    )?;
    let measured: Value = serde_json::from_str(&printed).map_err(|error| error.to_string())?;
    // A number that is missing keeps no bar.
    let get = |key: &str| measured[key].as_f64().unwrap_or(f64::INFINITY);
    let mut text = "| one run of a test with one function fixture | ms | more than the bare loop |
|---|---|---|
"
    .to_owned();
    for (what, key) in [
        ("a bare Python loop that reseeds", "bare"),
        ("pytest-flex", "flex"),
        ("pytest-flakefinder", "flakefinder"),
        ("pytest-repeat", "repeat"),
        ("pytest-flex with `--flex-isolate`", "isolated"),
        ("a fresh process of pytest", "process"),
    ] {
        let over = get(key) - get("bare");
        let _ = writeln!(text, "| {what} | {} | {} |", short(get(key)), short(over));
    }
    text.push('\n');
    let bar = |what: &str, value: f64, most: f64| Bar {
        what: what.to_owned(),
        measured: format!("{} ms", short(value)),
        bar: format!("≤ {most} ms"),
        kept: value <= most,
    };
    let rerun = get("flex") - get("bare");
    let again = get("recalibration") / get("calibration");
    let bars = [
        bar("a rerun, more than a bare loop", rerun, RERUN),
        bar(
            "pytest's start, installed and unused",
            get("unused"),
            STARTUP,
        ),
        Bar {
            what: "calibrating 100 unchanged tests again, of their calibration".to_owned(),
            measured: format!("{:.1}%", 100.0 * again),
            bar: format!("at most {:.0}%", 100.0 * RECALIBRATION),
            kept: again <= RECALIBRATION,
        },
    ];
    Ok(Section::with_bars(text, &bars))
}

fn short(milliseconds: f64) -> String {
    match milliseconds.abs() {
        m if m < 1.0 => format!("{milliseconds:.3}"),
        m if m < 100.0 => format!("{milliseconds:.1}"),
        _ => format!("{milliseconds:.0}"),
    }
}
