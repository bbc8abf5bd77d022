//! The words for one problem: the value, the bounds, how rare that is, and what the reruns did.

use std::fmt::Write as _;
use std::path::Path;

use flex_bounds::file::{Entry, Rarity};
use flex_core::tail::Side;
use flex_core::words::{count, percent, plain, short, thousands, wrapped};

use super::super::problem::{Beyond, Cause, Problem, Rerun};
use super::picture::picture;
use crate::model::Comparison;

/// Columns of the words behind a label.
const WIDTH: usize = 80 - 13;

impl Cause {
    /// The verdict in a word or two.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Cause::Broken { .. } => "a declared bound is broken",
            Cause::Incomparable(_) => "values cannot be compared",
            Cause::Uncalibrated(_) => "uncalibrated",
            Cause::Refused(_) => "refused at calibration",
            Cause::NotReached { .. } => "not reached",
            Cause::Ceiling(_) => "beyond the ceiling",
            Cause::Unconfirmed(_) => "beyond the guard",
            Cause::Regression { .. } => "regression",
        }
    }
}

impl Problem {
    /// The paragraph of a report about this problem; entries come from this bounds file.
    pub(super) fn report(&self, bounds_file: &Path) -> String {
        let mut text = format!("  {}", self.site);
        if let Some(place) = &self.place {
            let _ = write!(text, "   ({place})");
        }
        text.push('\n');
        let mut line = |label: &str, words: &str| {
            for (i, words) in wrapped(words, WIDTH, "").lines().enumerate() {
                let label = if i == 0 { label } else { "" };
                let _ = writeln!(text, "    {label:<9}{words}");
            }
        };
        if let Some(message) = &self.message {
            line("message", message);
        }
        self.explain(&mut line);
        if let (Some(entry), false) = (&self.entry, matches!(self.cause, Cause::Uncalibrated(_))) {
            line("learned", &learned(entry, bounds_file));
        }
        text.push('\n');
        text
    }

    /// What gave rise to a doubt, and what the reruns did, on one line.
    pub(super) fn in_doubt(&self) -> String {
        match &self.cause {
            Cause::Regression { beyond, reruns } => {
                let mut words = format!("{} was {}", self.site, beyond.words("guard"));
                if !reruns.is_empty() {
                    words += &format!("; {}", reruns_words(reruns).replace('\n', ": "));
                }
                words
            }
            Cause::NotReached { runs } => {
                let runs = count(*runs as usize, "run", "runs");
                format!("{} was not reached in {runs}", self.site)
            }
            cause => format!("{}: {}", self.site, cause.word()),
        }
    }

    fn explain(&self, line: &mut dyn FnMut(&str, &str)) {
        match &self.cause {
            Cause::Broken {
                value,
                bounds,
                is_margin,
            } => {
                let label = if *is_margin { "margin" } else { "value" };
                let what = if *is_margin { " (left − right)" } else { "" };
                let wanted = wanted(bounds);
                line(label, &format!("{}{what}, not {wanted}", plain(*value)));
            }
            Cause::Incomparable(what) => line("values", what),
            Cause::Uncalibrated(why) => line("bound", &why.to_string()),
            Cause::Refused(reason) => {
                line("refused", reason);
                line("", "change the test and calibrate it again");
            }
            Cause::NotReached { runs } => {
                let runs = count(*runs as usize, "run", "runs");
                let words = format!("by every calibration run, and not in {runs} now");
                line("reached", &words);
            }
            Cause::Ceiling(beyond) => {
                line("value", &beyond.words("ceiling"));
                self.outer_tier(beyond, line);
            }
            Cause::Unconfirmed(beyond) => {
                line("value", &beyond.words("guard"));
                line("reruns", "none, since the test fails already");
            }
            Cause::Regression { beyond, reruns } => {
                line("value", &beyond.words("guard"));
                line("reruns", &reruns_words(reruns));
                self.outer_tier(beyond, line);
            }
        }
    }

    /// The other bound of the side, the rarity of the value, and the picture.
    fn outer_tier(&self, beyond: &Beyond, line: &mut dyn FnMut(&str, &str)) {
        let Some(entry) = &self.entry else { return };
        if let Some(learned) = entry.sides.get(beyond.side) {
            match self.cause {
                Cause::Ceiling(_) => {
                    if let Some(guard) = learned.guard() {
                        line("guard", &plain(guard.bound));
                    }
                }
                _ => match learned.ceiling() {
                    Some(ceiling) => line("ceiling", &plain(ceiling)),
                    None => line("ceiling", learned.reason().unwrap_or("none")),
                },
            }
        }
        if let Some(rarity) = entry.rarity(beyond.side, beyond.value) {
            line("rarity", &rarity_words(rarity, entry.samples));
        }
        if let Some(picture) = picture(entry, beyond.side, beyond.value) {
            line("", &picture);
        }
    }
}

impl Beyond {
    fn words(&self, tier: &str) -> String {
        let sign = match self.side {
            Side::Upper => "≤",
            Side::Lower => "≥",
        };
        let (value, bound) = (plain(self.value), plain(self.bound));
        format!("{value}, beyond the {tier}: must be {sign} {bound}")
    }
}

fn rarity_words(rarity: Rarity, samples: u32) -> String {
    let one_in = |p: f64| match p {
        p if p > 0.1 => format!("{} of runs go", percent(p)),
        p if p > 1e-12 => {
            let two_digits = format!("{:.1e}", 1.0 / p).parse().unwrap_or(1.0 / p);
            format!("about 1 run in {} goes", thousands(two_digits))
        }
        _ => "fewer than 1 run in 10¹² goes".to_owned(),
    };
    match rarity {
        Rarity::Among(p) => format!("{} as far, by {samples} samples", one_in(p)),
        Rarity::Tail(p) => format!("{} as far, by the tail of {samples} samples", one_in(p)),
        Rarity::BeyondAll => format!("none of {samples} samples went as far"),
    }
}

/// What the confirmation runs did.
fn reruns_words(reruns: &[Rerun]) -> String {
    const SHOWN: usize = 16;
    let hits = reruns.iter().filter(|rerun| rerun.hit).count();
    let values: Vec<String> = reruns
        .iter()
        .take(SHOWN)
        .map(|rerun| rerun.value.map_or("not reached".to_owned(), short))
        .collect();
    let (all, values) = (reruns.len(), values.join(", "));
    format!("{hits} of {all} beyond the guard\n{values}")
}

fn learned(entry: &Entry, file: &Path) -> String {
    let date = match &entry.calibrated {
        Some(date) => format!(" on {date}"),
        None => String::new(),
    };
    let file = file.file_name().unwrap_or(file.as_os_str());
    format!(
        "from {} samples{date} at confidence {} ({})",
        entry.samples,
        entry.confidence,
        file.to_string_lossy()
    )
}

fn wanted(bounds: &[Comparison]) -> String {
    let on = |side: Side| {
        let mut bounds = bounds.iter().filter(|bound| bound.operator.side() == side);
        bounds.next().map(|bound| plain(bound.bound))
    };
    match (on(Side::Lower), on(Side::Upper)) {
        (Some(lower), Some(upper)) => format!("between {lower} and {upper}"),
        (Some(lower), None) => format!("above {lower}"),
        (None, Some(upper)) => format!("below {upper}"),
        (None, None) => "as declared".to_owned(),
    }
}
