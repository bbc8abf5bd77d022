//! The words for one problem: the value, the bounds, how rare that is, and what the reruns did.

use std::fmt::Write as _;
use std::path::Path;

use flex_bounds::file::{Entry, Rarity};
use flex_core::tail::Side;
use flex_core::visible::visible;
use flex_core::words::{count, percent, plain, short, wrapped};

use super::super::problem::{Confirmed, Judged, Problem, ProblemCause, Rerun};
use super::super::replayed::Replayed;
use super::claim;
use super::picture::picture;
use super::walk::walk;
use crate::decide::ClaimOutcome;
use crate::model::{Comparison, SiteId};

/// Columns of the words behind a label.
const WIDTH: usize = 80 - 13;

impl ProblemCause {
    /// The verdict in a word or two.
    pub(super) fn word(&self) -> &'static str {
        match self {
            ProblemCause::Broken { .. } => "a declared bound is broken",
            ProblemCause::Incomparable(_) => "values cannot be compared",
            ProblemCause::Uncalibrated(_) => "uncalibrated",
            ProblemCause::Refused(_) => "refused at calibration",
            ProblemCause::NotReached { .. } => "not reached",
            ProblemCause::NotFinite(_) => "NaN or infinite",
            ProblemCause::Ceiling(_) => "beyond the ceiling",
            ProblemCause::Unconfirmed(_) => "beyond the guard",
            ProblemCause::Regression(_) => "regression",
            // Code that changed has no second mode to speak of, it is somewhere else.
            ProblemCause::NewMode(raced) if raced.is_changed() => "regression",
            ProblemCause::NewMode(_) => "a new mode",
            ProblemCause::Claim(decided) => match decided.outcome {
                ClaimOutcome::Broken => "regression",
                ClaimOutcome::Undecidable(_) => "cannot be decided",
                _ => "undecided",
            },
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
        if let (Some(entry), false) = (
            &self.entry,
            matches!(self.cause, ProblemCause::Uncalibrated(_)),
        ) {
            line("learned", &learned(entry, bounds_file));
        }
        text.push('\n');
        text
    }

    /// What gave rise to a doubt, and what the reruns did, on one line.
    pub(super) fn in_doubt(&self) -> String {
        match &self.cause {
            ProblemCause::Unconfirmed(judged) => {
                format!("{} was {}", self.site, judged.words("guard"))
            }
            ProblemCause::Regression(raced) | ProblemCause::NewMode(raced) => {
                let tier = self.tier();
                let mut words = format!("{} was {}", self.site, raced.first.words(tier));
                if !raced.reruns.is_empty() {
                    let reruns = reruns_words(&raced.reruns, tier).replace('\n', ": ");
                    words += &format!("; {reruns}");
                }
                words
            }
            ProblemCause::NotReached { runs } => {
                let runs = count(*runs as usize, "run", "runs");
                format!("{} was not reached in {runs}", self.site)
            }
            cause => format!("{}: {}", self.site, cause.word()),
        }
    }

    fn explain(&self, line: &mut dyn FnMut(&str, &str)) {
        match &self.cause {
            ProblemCause::Broken {
                value,
                bounds,
                is_margin,
            } => {
                let label = if *is_margin { "margin" } else { "value" };
                let what = if *is_margin { " (left − right)" } else { "" };
                let wanted = wanted(bounds);
                line(label, &format!("{}{what}, not {wanted}", plain(*value)));
            }
            ProblemCause::Incomparable(what) => line("values", what),
            ProblemCause::Uncalibrated(why) => line("bound", &why.to_string()),
            ProblemCause::Refused(reason) => {
                line("refused", reason);
                line("", "change the test and calibrate it again");
            }
            ProblemCause::NotReached { runs } => {
                let runs = count(*runs as usize, "run", "runs");
                let words = format!("by every calibration run, and not in {runs} now");
                line("reached", &words);
            }
            ProblemCause::NotFinite(judged) => {
                let value = plain(judged.value);
                line(
                    "value",
                    &format!(
                        "{value}, which no bound lets pass; calibration accepted none like it"
                    ),
                );
                self.context(judged, line);
            }
            ProblemCause::Ceiling(judged) => {
                line("value", &judged.words("ceiling"));
                self.context(judged, line);
            }
            ProblemCause::Unconfirmed(judged) => {
                line("value", &judged.words("guard"));
                line("reruns", "none, since the test fails already");
            }
            ProblemCause::Regression(raced) | ProblemCause::NewMode(raced) => {
                self.raced(raced, line)
            }
            ProblemCause::Claim(decided) => claim::explain(decided, line),
        }
    }

    /// What a race is about, for people.
    fn tier(&self) -> &'static str {
        match self.cause {
            ProblemCause::NewMode(_) => "farthest of all samples",
            _ => "guard",
        }
    }

    fn raced(&self, raced: &Confirmed, line: &mut dyn FnMut(&str, &str)) {
        line("value", &raced.first.words(self.tier()));
        if let Some(replayed) = &raced.replay {
            line("replay", &replayed.words(Some(&self.site)));
        }
        line("reruns", &reruns_words(&raced.reruns, self.tier()));
        line("walk", &walk(raced));
        self.context(&raced.first, line);
    }

    /// The other bound of the side, the rarity of the value, and the picture.
    fn context(&self, judged: &Judged, line: &mut dyn FnMut(&str, &str)) {
        let Some(entry) = &self.entry else { return };
        if let Some(learned) = entry.sides.get(judged.side) {
            match self.cause {
                ProblemCause::Ceiling(_) => {
                    if let Some(guard) = learned.guard() {
                        line("guard", &plain(guard.bound));
                    }
                }
                _ => match learned.ceiling() {
                    Some(ceiling) => line("ceiling", &plain(ceiling)),
                    None => line("ceiling", &visible(learned.reason().unwrap_or("none"))),
                },
            }
        }
        if let Some(rarity) = entry.rarity(judged.side, judged.value) {
            line("rarity", &rarity_words(rarity, entry.samples));
        }
        if let Some(picture) = picture(entry, judged.side, judged.value) {
            line("", &picture);
        }
    }
}

impl Judged {
    fn words(&self, tier: &str) -> String {
        let sign = match self.side {
            Side::Upper => "≤",
            Side::Lower => "≥",
        };
        let (value, bound) = (plain(self.value), plain(self.bound));
        match self.is_beyond() {
            true => format!("{value}, beyond the {tier}: must be {sign} {bound}"),
            false => format!("{value}, within the {tier}, which is {bound}"),
        }
    }
}

impl Replayed {
    /// What the replay showed, of this site if it is different there.
    pub(super) fn words(&self, site: Option<&SiteId>) -> String {
        let run = format!("run {} of the calibration", self.run);
        let value = |value: Option<f64>| value.map_or("nothing".to_owned(), plain);
        let of_site = self
            .differences
            .iter()
            .find(|found| Some(&found.site) == site);
        match of_site.or(self.differences.first()) {
            _ if self.failed => format!("{run} fails by itself now: behaviour changed"),
            None => format!("{run} gives what it gave then: behaviour unchanged"),
            Some(found) => {
                let (then, now) = (value(found.then), value(found.now));
                let whose = match Some(&found.site) == site {
                    true => String::new(),
                    false => format!("{}: ", found.site),
                };
                format!("{whose}{run} gave {then}, now {now}: behaviour changed")
            }
        }
    }
}

fn rarity_words(rarity: Rarity, samples: u32) -> String {
    match rarity {
        Rarity::BeyondAll => format!("beyond all {samples} samples"),
        Rarity::Among {
            fewest,
            most,
            interval: (low, high),
        } => format!(
            "{fewest} to {most} of {samples} samples went as far: {} to {} of runs, with 95% confidence",
            percent(low),
            percent(high)
        ),
    }
}

/// What the confirmation runs did.
fn reruns_words(reruns: &[Rerun], tier: &str) -> String {
    const SHOWN: usize = 16;
    let beyond = reruns.iter().filter(|rerun| rerun.beyond).count();
    let values: Vec<String> = reruns
        .iter()
        .take(SHOWN)
        .map(|rerun| rerun.value.map_or("not reached".to_owned(), short))
        .collect();
    let all = reruns.len();
    let mut words = format!("{beyond} of {all} beyond the {tier}\n{}", values.join(", "));
    if all > SHOWN {
        words += &format!(" and {} more", all - SHOWN);
    }
    words
}

fn learned(entry: &Entry, file: &Path) -> String {
    let date = match &entry.calibrated {
        Some(date) => format!(" on {date}"),
        None => String::new(),
    };
    let file = match file.file_name() {
        Some(name) => format!(" ({})", name.to_string_lossy()),
        None => String::new(),
    };
    let (samples, confidence) = (entry.samples, entry.confidence);
    format!("from {samples} samples{date} at confidence {confidence}{file}")
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
