//! A report on drift in words.

use std::fmt::{self, Write as _};

use flex_core::tail::Side;
use flex_core::visible::visible;
use flex_core::words::{count, short, thousands, wrapped};
use flex_run::project::date::day_at;

use super::drift::{DriftReport, HistoryRun, MovedSite, WatchedSide};
use super::picture::picture;

impl fmt::Display for DriftReport {
    /// Writes what has moved, and what was looked at.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for watched in &self.watched {
            if let Some(found) = &watched.drift {
                f.write_str(&watched.words(found))?;
            }
        }
        writeln!(f, "{}", wrapped(&self.summary(), 78, ""))
    }
}

impl DriftReport {
    /// What was looked at, and how sure it is.
    fn summary(&self) -> String {
        let sites = count(self.watched.len(), "series", "series");
        let mut words = match self.moved() {
            0 => format!("nothing has moved: {sites} of values"),
            moved => format!("{moved} of {sites} of values moved"),
        };
        let runs = self.watched.iter().map(|watched| watched.runs).max();
        let _ = write!(
            words,
            ", up to {} each; false alarms are {} runs of the suite apart on average, or more",
            count(runs.unwrap_or(0), "run", "runs"),
            thousands(self.settings.runs)
        );
        let without = self
            .watched
            .iter()
            .filter(|watched| watched.calibrated == 0);
        let without = without.count();
        if without > 0 {
            let _ = write!(
                words,
                "; {without} of them are compared with earlier runs alone, since no calibration is among the lines"
            );
        }
        if self.repeated > 0 {
            let _ = write!(
                words,
                "; {} under the seed of another were left out",
                count(self.repeated, "run", "runs")
            );
        }
        words
    }
}

impl WatchedSide {
    fn words(&self, found: &MovedSite) -> String {
        let mut site = self.site.clone();
        if let Some(case) = &self.case {
            site += &format!(" [{case}]");
        }
        let mut text = format!("{}: {}", visible(&self.test.label()), visible(&site));
        if !self.file.is_empty() {
            text += &format!(" ({}:{})", visible(&self.file), self.line);
        }
        text.push('\n');
        let way = match found.shift > 0.0 {
            true => "higher",
            false => "lower",
        };
        let values = found.values.len();
        let since = found.since.index;
        let mut lines = vec![
            format!(
                "{way} by about {:.1} sd since {}",
                found.shift.abs(),
                found.since.words()
            ),
            format!(
                "at the earliest {}, at the latest {}; noticed at {}",
                found.earliest.words(),
                found.latest.words(),
                found.noticed.words()
            ),
            format!(
                "median {} in {since} runs before and {} of calibration, {} in the {} since",
                short(found.median_before),
                count(self.calibrated, "sample", "samples"),
                short(found.median_after),
                count(values - since, "run", "runs"),
            ),
        ];
        if let Some(platform) = &self.platform {
            lines.push(format!("on {}", visible(platform)));
        }
        if self.side == Side::Lower {
            lines.push("by the least value of each run".to_owned());
        }
        for line in lines {
            text += &wrapped(&format!("  {line}"), 78, "    ");
            text.push('\n');
        }
        for line in picture(&found.values, since).unwrap_or_default().lines() {
            let _ = writeln!(text, "  {line}");
        }
        if !self.check.is_empty() {
            let _ = writeln!(text, "  check it: {}", visible(&self.check));
        }
        text.push('\n');
        text
    }
}

impl HistoryRun {
    /// A run for people: the commit where it is known, and the day.
    fn words(&self) -> String {
        let day = day_at(self.at);
        let run = self.index + 1;
        match &self.commit {
            Some(commit) => {
                let short: String = commit.chars().take(9).collect();
                format!("{} ({day}, run {run})", visible(&short))
            }
            None => format!("run {run} ({day})"),
        }
    }
}
