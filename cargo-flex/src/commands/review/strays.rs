//! Strays: runs that went beyond everything that calibration saw, and were cleared.

use std::fmt;
use std::path::Path;

use flex_bounds::file::{BoundsFile, Entry};
use flex_core::tail::Side;
use flex_core::words::{count, plain};
use flex_run::enforce::STRAYS_FILE;
use flex_run::text_file;
use serde::Deserialize;
use serde_json::{Value, json};

use super::json_of;

/// The strays of one site.
pub struct SiteStrays {
    entry: Entry,
    /// The largest calibrated value, on the side of the farthest stray.
    extreme: f64,
    runs: usize,
    farthest: Logged,
}

/// A line of the log.
#[derive(Debug, Clone, Deserialize)]
struct Logged {
    target: Option<String>,
    test: String,
    site: String,
    case: Option<String>,
    base: Option<String>,
    side: String,
    #[serde(deserialize_with = "number")]
    value: f64,
    replay: String,
}

/// A number, or the text of one that JSON does not know.
fn number<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Number(number) => Ok(number.as_f64().unwrap_or(f64::NAN)),
        Value::String(text) => text.parse().map_err(serde::de::Error::custom),
        _ => Err(serde::de::Error::custom("not a number")),
    }
}

impl SiteStrays {
    /// The strays in the log of a folder that are beyond entries of a bounds file as they are now. A line that cannot be
    /// read is left out: nothing depends on the log.
    pub fn in_folder(folder: &Path, file: &BoundsFile) -> Vec<SiteStrays> {
        let text = text_file::read_text(&folder.join(STRAYS_FILE));
        let text = text.ok().flatten().unwrap_or_default();
        let logged: Vec<Logged> = text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        let entries = file.entries().iter();
        entries
            .filter_map(|entry| Self::of(entry, &logged))
            .collect()
    }

    fn of(entry: &Entry, logged: &[Logged]) -> Option<SiteStrays> {
        let mut beyond: Vec<(&Logged, f64)> = logged
            .iter()
            .filter_map(|logged| Some((logged, logged.beyond(entry)?)))
            .collect();
        let distance = |(logged, extreme): &(&Logged, f64)| (logged.value - extreme).abs();
        beyond.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
        let &(farthest, extreme) = beyond.last()?;
        Some(SiteStrays {
            entry: entry.clone(),
            extreme,
            runs: beyond.len(),
            farthest: farthest.clone(),
        })
    }

    /// The strays for programs.
    pub fn json(&self) -> Value {
        let seen = json!({
            "strays": self.runs,
            "farthest": self.farthest.value,
            "side": self.farthest.side,
            "replay": self.farthest.replay,
        });
        json_of(&self.entry.key, seen)
    }
}

impl Logged {
    fn side(&self) -> Side {
        match self.side.as_str() {
            "lower" => Side::Lower,
            _ => Side::Upper,
        }
    }

    /// The largest calibrated value of an entry, if this was seen at its site since it was learned and is beyond.
    fn beyond(&self, entry: &Entry) -> Option<f64> {
        let key = &entry.key;
        let is_its = key.test.target() == self.target.as_deref()
            && key.test.name() == self.test
            && key.site.label() == self.site
            && key.site.case == self.case
            && entry.base == self.base;
        let guard = entry.sides.get(self.side())?.guard()?;
        let extreme = guard.strays.as_ref()?.cuts()[0].value;
        (is_its && self.side().is_beyond(self.value, extreme)).then_some(extreme)
    }
}

impl fmt::Display for SiteStrays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = count(self.runs, "run", "runs");
        let were = if self.runs == 1 { "was" } else { "were" };
        let extreme = match self.farthest.side() {
            Side::Lower => "smallest",
            Side::Upper => "largest",
        };
        writeln!(f, "{}", self.entry.key)?;
        writeln!(
            f,
            "  {runs} went beyond what calibration saw, and {were} cleared"
        )?;
        let (value, bound) = (plain(self.farthest.value), plain(self.extreme));
        let samples = self.entry.samples;
        writeln!(
            f,
            "  farthest    {value}; the {extreme} of {samples} samples is {bound}"
        )?;
        writeln!(f, "  replay      {}", self.farthest.replay)
    }
}
