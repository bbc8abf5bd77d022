//! Strays: runs that went beyond everything that calibration saw, and were cleared.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use flex_bounds::file::{BoundsFile, Entry};
use flex_core::words::{count, plain};
use flex_run::enforce::STRAYS_FILE;
use serde::Deserialize;
use serde_json::{Value, json};

/// The strays of one site.
pub struct SiteStrays {
    entry: Entry,
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
    #[serde(deserialize_with = "number")]
    bound: f64,
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
    /// The strays in the log of a folder that went beyond entries of a bounds file as they are now. A line that cannot
    /// be read is left out: nothing depends on the log.
    pub fn in_folder(folder: &Path, file: &BoundsFile) -> Vec<SiteStrays> {
        let text = fs::read_to_string(folder.join(STRAYS_FILE)).unwrap_or_default();
        let lines = text
            .lines()
            .filter_map(|line| serde_json::from_str::<Logged>(line).ok());
        let mut by_entry: BTreeMap<usize, Vec<Logged>> = BTreeMap::new();
        for logged in lines {
            let is_its = |entry: &Entry| logged.is_of(entry);
            if let Some(place) = file.entries().iter().position(is_its) {
                by_entry.entry(place).or_default().push(logged);
            }
        }
        let of_site = |(place, logged): (usize, Vec<Logged>)| {
            let runs = logged.len();
            let distance = |logged: &Logged| (logged.value - logged.bound).abs();
            let farthest = logged
                .into_iter()
                .max_by(|a, b| distance(a).total_cmp(&distance(b)))?;
            Some(SiteStrays {
                entry: file.entries().get(place)?.clone(),
                runs,
                farthest,
            })
        };
        by_entry.into_iter().filter_map(of_site).collect()
    }

    /// The strays for programs.
    pub fn json(&self) -> Value {
        let key = &self.entry.key;
        json!({
            "target": key.test.target(),
            "test": key.test.name(),
            "site": key.site.label(),
            "case": key.site.case,
            "variant": key.variant,
            "strays": self.runs,
            "farthest": self.farthest.value,
            "side": self.farthest.side,
            "replay": self.farthest.replay,
        })
    }
}

impl Logged {
    /// Whether it went beyond this entry, and not beyond one that was there before.
    fn is_of(&self, entry: &Entry) -> bool {
        let key = &entry.key;
        key.test.target() == self.target.as_deref()
            && key.test.name() == self.test
            && key.site.label() == self.site
            && key.site.case == self.case
            && entry.base == self.base
    }
}

impl fmt::Display for SiteStrays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = count(self.runs, "run", "runs");
        let extreme = match self.farthest.side.as_str() {
            "lower" => "smallest",
            _ => "largest",
        };
        writeln!(f, "{}", self.entry.key)?;
        writeln!(
            f,
            "  {runs} went beyond what calibration saw, and were cleared"
        )?;
        let (value, bound) = (plain(self.farthest.value), plain(self.farthest.bound));
        let samples = self.entry.samples;
        writeln!(
            f,
            "  farthest    {value}; the {extreme} of {samples} samples is {bound}"
        )?;
        writeln!(f, "  replay      {}", self.farthest.replay)
    }
}
