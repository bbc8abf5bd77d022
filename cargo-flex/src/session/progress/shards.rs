//! The progress of shards: a bar for each that runs somewhere and one for all at a terminal, lines elsewhere.

use std::io::Write;

use flex_core::words::about;
use indicatif::{MultiProgress, ProgressBar};

use super::{spelt, style};
use crate::terminal::{self, ShownAs};

/// The progress of all shards.
pub struct ShardDisplay {
    bars: Option<(MultiProgress, ProgressBar)>,
}

/// A shard that runs, on the screen as long as this is there.
pub struct ShardBar(Option<ProgressBar>);

impl ShardDisplay {
    /// Shows the progress of so many shards.
    pub fn new(shards: u32) -> Self {
        let bars = (terminal::manner().progress == ShownAs::Bars).then(|| {
            let all = MultiProgress::new();
            let total = all.add(ProgressBar::new(u64::from(shards)));
            total.set_style(style("{bar:16} {pos}/{len} shards  {elapsed}{msg}"));
            total.tick();
            (all, total)
        });
        ShardDisplay { bars }
    }

    /// A shard runs.
    pub fn begin(&self, label: &str) -> ShardBar {
        ShardBar(self.bars.as_ref().map(|(all, _)| {
            let bar = all.add(ProgressBar::new_spinner());
            bar.set_style(style("{elapsed:>16} {msg}"));
            bar.set_message(spelt(label.to_owned()));
            bar.enable_steady_tick(std::time::Duration::from_secs(1));
            bar
        }))
    }

    /// So many more are there, and the others take about so many seconds, which the bar shows, and without a terminal this
    /// line, if there is one.
    pub fn say(&self, done: u32, line: &str, seconds_left: Option<f64>) {
        let left = seconds_left.map(|seconds| format!(", about {} left", about(seconds)));
        let left = left.unwrap_or_default();
        if let Some((_, total)) = &self.bars {
            total.inc(u64::from(done));
            total.set_message(left);
        } else if !line.is_empty() && terminal::manner().progress == ShownAs::Lines {
            // If nobody can be told, that is no reason to end.
            let _ = writeln!(terminal::notes(), "{line}{left}");
        }
    }

    /// Says that something went wrong, above the bars.
    pub fn warn(&self, line: &str) {
        let line = format!("warning: {line}");
        let _ = match &self.bars {
            Some((all, _)) => all.println(spelt(line)),
            None => writeln!(terminal::stderr(), "{line}"),
        };
    }

    /// All are done; the screen belongs to the summary.
    pub fn finish(&self) {
        if let Some((all, total)) = &self.bars {
            total.finish_and_clear();
            // A screen that cannot be cleared is only ugly.
            let _ = all.clear();
        }
    }
}

impl Drop for ShardBar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
