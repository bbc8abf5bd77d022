//! The progress of a calibration or a search: bars at a terminal, plain lines elsewhere. All of it goes to standard error.

use std::io::IsTerminal;

use flex_core::words::count;
use flex_run::calibrate::Progress;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

/// The progress of all tests.
pub struct Display {
    bars: Option<(MultiProgress, ProgressBar)>,
}

/// The progress of one test.
pub struct TestBar<'a> {
    label: String,
    display: &'a Display,
    bar: Option<ProgressBar>,
}

impl Display {
    /// Shows the progress of so many tests.
    pub fn new(tests: usize) -> Self {
        if !std::io::stderr().is_terminal() {
            return Display { bars: None };
        }
        let all = MultiProgress::new();
        let total = all.add(ProgressBar::new(tests as u64));
        total.set_style(style("{bar:20} {pos}/{len} tests  {elapsed}"));
        total.tick();
        Display {
            bars: Some((all, total)),
        }
    }

    /// A test begins.
    pub fn begin(&self, label: &str) -> TestBar<'_> {
        let bar = self.bars.as_ref().map(|(all, _)| {
            let bar = all.add(ProgressBar::new(100));
            bar.set_style(style("{bar:20} {pos}/{len} runs  {wide_msg}"));
            bar.set_message(label.to_owned());
            bar.tick();
            bar
        });
        TestBar {
            label: label.to_owned(),
            display: self,
            bar,
        }
    }

    /// All tests are done; the screen belongs to the summary.
    pub fn finish(&self) {
        if let Some((all, total)) = &self.bars {
            total.finish_and_clear();
            // A screen that cannot be cleared is only ugly.
            let _ = all.clear();
        }
    }
}

impl TestBar<'_> {
    /// Runs were made.
    pub fn show(&self, progress: Progress) {
        if let Some(bar) = &self.bar {
            bar.set_length(u64::from(progress.wanted));
            bar.set_position(u64::from(progress.done));
        }
    }

    /// The test is done: what was done with it, in so many runs and processes.
    pub fn done(&self, verb: &str, runs: u32, processes: usize) {
        let Some((_, total)) = &self.display.bars else {
            eprintln!(
                "{verb} {}: {} in {}",
                self.label,
                count(runs as usize, "run", "runs"),
                count(processes, "process", "processes")
            );
            return;
        };
        total.inc(1);
    }
}

impl Drop for TestBar<'_> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
