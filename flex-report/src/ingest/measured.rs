//! A number that others measured in a run of theirs, as a line of a history.

use flex_core::seed::sha256;
use flex_detect::record::Float;
use flex_run::history::platform;
use flex_run::kept::VERSION;
use serde_json::json;

/// Where and when it was measured, as far as is known.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    /// Seconds since 1970.
    pub at: u64,
    /// The commit.
    pub commit: Option<String>,
}

/// What is measured: the seconds that something takes.
pub(super) const SITE: &str = "time";

/// The line. `contents` are those of the file that it is from: read twice, it is the same run.
pub(super) fn line(by: &str, name: &str, seconds: f64, contents: &str, origin: &Origin) -> String {
    let hash = sha256(contents.as_bytes());
    let seed: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    json!({
        "version": VERSION,
        "at": origin.at,
        "by": by,
        "target": by,
        "test": name,
        "file": "",
        "line": 0,
        "seed": seed,
        "platform": platform(),
        "commit": origin.commit,
        "values": [{
            "site": SITE,
            "kind": "measured",
            "tail": "upper",
            "least": Float(seconds),
            "greatest": Float(seconds),
        }],
    })
    .to_string()
}

/// The median of finite numbers above 0.
pub(super) fn median(values: &[f64]) -> Option<f64> {
    let samples = flex_core::sample::Samples::from_values(values);
    samples.median().filter(|median| *median > 0.0)
}
