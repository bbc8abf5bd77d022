//! What a failing test says: the value, the bounds, how rare that is, what the reruns did, and how to repeat it.

use std::fmt::Write as _;
use std::path::Path;

use flex_bounds::file::{Entry, Rarity};
use flex_core::seed::{Phase, SeedRequest};
use flex_core::tail::Side;
use flex_core::words::{count, percent, plain, thousands};

use crate::enforce::doubt::Doubt;
use crate::enforce::judge::{Beyond, Finding, Problem, Rerun, side_of, site_name};
use crate::enforce::picture::picture;
use crate::model::run::{Kind, RunRecord, SiteRecord};
use crate::model::site::Ends;
use crate::model::test::TestRecord;

/// What every message about a test needs to know.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    pub test: &'a TestRecord,
    pub seed: &'a SeedRequest,
    /// The test changed since calibration.
    pub is_stale: bool,
    pub bounds_file: &'a Path,
    /// Attempts at the run in question that failed by themselves.
    pub failed: u32,
}

impl Report<'_> {
    /// The test fails for these reasons.
    pub fn failure(&self, findings: &[Finding]) -> String {
        let mut words: Vec<&str> = Vec::new();
        for finding in findings {
            let word = word(&finding.problem);
            if !words.contains(&word) {
                words.push(word);
            }
        }
        let mut text = self.title(&words.join(", "));
        for finding in findings {
            text += &self.finding(finding);
        }
        if self.is_stale {
            text += "note: the test changed since calibration\n";
        }
        text += &self.attempts();
        let is = |wanted: fn(&Problem) -> bool| findings.iter().any(|f| wanted(&f.problem));
        if is(|problem| matches!(problem, Problem::Uncalibrated(_))) {
            text += &self.calibrate_line();
            if let Some(command) = self.test.commands().cargo_flex_calibrate() {
                let _ = writeln!(text, "       or: {command}");
            }
        }
        if is(|problem| !matches!(problem, Problem::Uncalibrated(_) | Problem::Refused(_))) {
            text += &self.replay_line();
        }
        if is(|problem| {
            matches!(
                problem,
                Problem::Ceiling(_) | Problem::Regression { .. } | Problem::NotReached { .. }
            )
        }) {
            let commands = self.test.commands();
            let learn = commands.cargo_flex_calibrate();
            let learn = learn.unwrap_or_else(|| commands.calibrate());
            let _ = writeln!(text, "hint: if the change is intended, learn it: {learn}");
        }
        text
    }

    /// A finding that does not fail the test.
    pub fn warning(&self, finding: &Finding) -> String {
        let mut text = format!(
            "warning: {}: {}\n{}",
            self.test.name,
            word(&finding.problem),
            self.finding(finding)
        );
        if matches!(finding.problem, Problem::Uncalibrated(_)) {
            text += &self.calibrate_line();
        }
        text
    }

    /// The test changed since calibration, and `FLEX_STALE=fail`.
    pub fn stale(&self, findings: &[Finding]) -> String {
        let mut text = self.title("stale");
        let _ = writeln!(
            text,
            "  the test changed since calibration (its fingerprint is {} now); FLEX_STALE=fail\n",
            self.test.fingerprint
        );
        for finding in findings {
            text += &self.finding(finding);
        }
        text + &self.calibrate_line()
    }

    /// Something is wrong with the test itself.
    pub fn mistakes(&self, mistakes: &[String]) -> String {
        let mut text = self.title("cannot be judged");
        for mistake in mistakes {
            let _ = writeln!(text, "  error: {mistake}");
        }
        text
    }

    /// The test panicked by itself.
    pub fn panicked(&self) -> String {
        self.attempts() + &self.replay_line()
    }

    /// A confirmation run failed by itself.
    pub fn in_rerun(&self, rerun: u64, doubts: &[Doubt]) -> String {
        let mut text = String::new();
        for doubt in doubts {
            let _ = writeln!(text, "note: in rerun {rerun}, since {}", doubt.words());
        }
        text
    }

    /// The verdict of a test that passes, for those who asked.
    pub fn passed(&self, sites: &[SiteRecord], record: &RunRecord, cleared: &[Doubt]) -> String {
        let word = if cleared.is_empty() {
            "pass"
        } else {
            "cleared"
        };
        let mut text = format!(
            "flex: {}: {word} (seed {})\n",
            self.test.name, self.seed.base
        );
        text += &self.attempts();
        for doubt in cleared {
            let _ = writeln!(text, "  {}", doubt.words());
        }
        if cleared.is_empty() {
            text += &values(sites, record);
        }
        text
    }

    /// What a single run showed.
    pub fn replayed(
        &self,
        phase: Phase,
        index: u64,
        sites: &[SiteRecord],
        record: &RunRecord,
    ) -> String {
        format!(
            "flex: {}: run {index} of phase {phase} under seed {}\n{}",
            self.test.name,
            self.seed.base,
            values(sites, record)
        )
    }

    fn title(&self, words: &str) -> String {
        format!("\nflex: {}: {words}\n\n", self.test.name)
    }

    /// How many attempts failed by themselves, of a test that has several.
    fn attempts(&self) -> String {
        match (self.failed, self.test.options.attempts()) {
            (0, _) | (_, 1) => String::new(),
            (failed, all) => format!("note: {failed} of {all} attempts failed by themselves\n"),
        }
    }

    fn replay_line(&self) -> String {
        format!("replay: {}\n", self.test.commands().replay(self.seed))
    }

    fn calibrate_line(&self) -> String {
        format!("calibrate: {}\n", self.test.commands().calibrate())
    }

    fn finding(&self, finding: &Finding) -> String {
        let mut text = format!("  {}", finding.site);
        if let Some(place) = &finding.place {
            let _ = write!(text, "   ({place})");
        }
        text.push('\n');
        let mut line = |label: &str, words: &str| {
            for (i, words) in wrapped(words).lines().enumerate() {
                let label = if i == 0 { label } else { "" };
                let _ = writeln!(text, "    {label:<9}{words}");
            }
        };
        if let Some(message) = &finding.message {
            line("message", message);
        }
        match &finding.problem {
            Problem::Broken {
                value,
                ends,
                is_margin,
            } => {
                let label = if *is_margin { "margin" } else { "value" };
                let what = if *is_margin { " (left − right)" } else { "" };
                line(
                    label,
                    &format!("{}{what}, not {}", plain(*value), wanted(ends)),
                );
            }
            Problem::Incomparable(what) => line("values", what),
            Problem::Uncalibrated(why) => line("bound", why),
            Problem::Refused(reason) => {
                line("refused", reason);
                line("", "change the test and calibrate it again");
            }
            Problem::NotReached { runs } => {
                let runs = count(*runs as usize, "run", "runs");
                line(
                    "reached",
                    &format!("by every calibration run, and not in {runs} now"),
                );
            }
            Problem::Ceiling(beyond) => {
                line("value", &beyond_words(beyond, "ceiling"));
                outer_tier(finding, beyond, &mut line);
            }
            Problem::Unconfirmed(beyond) => {
                line("value", &beyond_words(beyond, "guard"));
                line("reruns", "none, since the test fails already");
            }
            Problem::Regression {
                beyond,
                reruns: all,
            } => {
                line("value", &beyond_words(beyond, "guard"));
                line("reruns", &reruns_words(all));
                outer_tier(finding, beyond, &mut line);
            }
        }
        if let (Some(entry), false) = (
            &finding.entry,
            matches!(finding.problem, Problem::Uncalibrated(_)),
        ) {
            line("learned", &learned(entry, self.bounds_file));
        }
        text.push('\n');
        text
    }
}

/// Lines that fit into 80 columns behind a label. What is drawn is narrow enough.
fn wrapped(words: &str) -> String {
    const WIDTH: usize = 80 - 13;
    let mut text = String::new();
    for line in words.lines() {
        let mut rest = line;
        while rest.chars().count() > WIDTH {
            let limit = rest
                .char_indices()
                .nth(WIDTH + 1)
                .map_or(rest.len(), |(i, _)| i);
            let Some(space) = rest[..limit].rfind(' ') else {
                break;
            };
            text += &rest[..space];
            text.push('\n');
            rest = &rest[space + 1..];
        }
        text += rest;
        text.push('\n');
    }
    text
}

/// The verdict in a word or two.
fn word(problem: &Problem) -> &'static str {
    match problem {
        Problem::Broken { .. } => "a declared bound is broken",
        Problem::Incomparable(_) => "values cannot be compared",
        Problem::Uncalibrated(_) => "uncalibrated",
        Problem::Refused(_) => "refused at calibration",
        Problem::NotReached { .. } => "not reached",
        Problem::Ceiling(_) => "beyond the ceiling",
        Problem::Unconfirmed(_) => "beyond the guard",
        Problem::Regression { .. } => "regression",
    }
}

pub(crate) fn beyond_words(beyond: &Beyond, tier: &str) -> String {
    let sign = match beyond.side {
        Side::Upper => "≤",
        Side::Lower => "≥",
    };
    format!(
        "{}, beyond the {tier}: must be {sign} {}",
        plain(beyond.value),
        plain(beyond.bound)
    )
}

/// The other bound of the side, the rarity of the value, and the picture.
fn outer_tier(finding: &Finding, beyond: &Beyond, line: &mut dyn FnMut(&str, &str)) {
    let Some(entry) = &finding.entry else { return };
    if let Some(learned) = entry.sides.get(beyond.side) {
        match finding.problem {
            Problem::Ceiling(_) => {
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
pub(crate) fn reruns_words(reruns: &[Rerun]) -> String {
    const SHOWN: usize = 16;
    let hits = reruns.iter().filter(|rerun| rerun.hit).count();
    let values: Vec<String> = reruns
        .iter()
        .take(SHOWN)
        .map(|rerun| {
            rerun
                .value
                .map_or("not reached".to_owned(), flex_core::words::short)
        })
        .collect();
    format!(
        "{hits} of {} beyond the guard\n{}",
        reruns.len(),
        values.join(", ")
    )
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

fn wanted(ends: &Ends) -> String {
    match (ends.lower, ends.upper) {
        (Some(lower), Some(upper)) => format!("between {} and {}", plain(lower), plain(upper)),
        (Some(lower), None) => format!("above {}", plain(lower)),
        (None, Some(upper)) => format!("below {}", plain(upper)),
        (None, None) => "as declared".to_owned(),
    }
}

/// What each site of a run saw.
fn values(sites: &[SiteRecord], record: &RunRecord) -> String {
    let mut text = String::new();
    for (site, seen) in sites.iter().zip(&record.seen) {
        let name = site_name(&site.id, site.case.as_deref());
        let mut values: Vec<String> = match (seen, site.kind) {
            (None, _) => vec!["not reached".to_owned()],
            (Some(seen), Kind::Learned(spec)) => spec
                .tail
                .sides()
                .iter()
                .map(|side| plain(side_of(seen.extremes, *side)))
                .collect(),
            (Some(seen), Kind::Declared(_)) => vec![plain(seen.extremes.greatest)],
        };
        values.dedup();
        let _ = writeln!(text, "  {name}: {}", values.join(" to "));
    }
    text
}
