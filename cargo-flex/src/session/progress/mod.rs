//! The progress of a calibration, a search or a comparison: a bar for each running test and one for the whole at a
//! terminal, lines elsewhere. All of it goes to standard error.

mod line;
mod shards;
mod under_way;
mod whole;

use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use flex_core::signs::ascii;
use flex_core::visible::visible;
use flex_core::words::count;
use flex_run::calibrate::{CalibrationSettings, GuardSoFar, Onlooker, SoFar};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use super::parallel::locked;
use crate::terminal::{self, ShownAs};
use line::{Facts, Stage};
pub use shards::{ShardBar, ShardDisplay};
use under_way::UnderWay;
use whole::Whole;

/// A test that takes longer says where no bar shows it how far it is, this often.
const PATIENCE: Duration = Duration::from_secs(30);

/// The same, for those who want to know more.
const IMPATIENCE: Duration = Duration::from_millis(200);

/// The progress of all tests.
pub struct Display {
    bars: Option<(MultiProgress, ProgressBar)>,
    whole: Mutex<Whole>,
}

/// The progress of one test.
pub struct TestBar<'a> {
    label: String,
    display: &'a Display,
    bar: Option<ProgressBar>,
    /// How the test is calibrated, if that is what is done with it.
    settings: Option<&'a CalibrationSettings>,
    seen: Mutex<SeenProgress>,
}

/// What was seen of a test.
struct SeenProgress {
    under_way: UnderWay,
    /// Processes that make the same runs, such as those of two versions.
    versions: u32,
    began: Instant,
    facts: Facts,
    next_words: Instant,
}

impl Display {
    /// Shows the progress of so many tests, so many of them at a time.
    pub fn new(tests: usize, jobs: usize, time_budget: Option<Duration>) -> Self {
        let bars = (terminal::manner().progress == ShownAs::Bars).then(|| {
            let all = MultiProgress::new();
            let total = all.add(ProgressBar::new(tests as u64));
            total.set_style(style("{bar:16} {msg}"));
            total.set_message(count(tests, "test", "tests"));
            total.tick();
            (all, total)
        });
        Display {
            bars,
            whole: Mutex::new(Whole::new(tests, jobs, time_budget)),
        }
    }

    /// A test begins.
    pub fn begin(&self, label: &str) -> TestBar<'_> {
        let bar = self.bars.as_ref().map(|(all, _)| {
            let bar = all.add(ProgressBar::new(100));
            bar.set_style(style("{bar:16} {msg}"));
            bar.set_message(spelt(label.to_owned()));
            bar.tick();
            bar
        });
        let now = Instant::now();
        let first = match terminal::manner().verbose {
            0 => PATIENCE,
            _ => IMPATIENCE,
        };
        TestBar {
            label: label.to_owned(),
            display: self,
            bar,
            settings: None,
            seen: Mutex::new(SeenProgress {
                under_way: UnderWay::default(),
                versions: 1,
                began: now,
                facts: Facts::default(),
                next_words: now + first,
            }),
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

    /// Shows the line for the whole.
    fn show_whole(&self) {
        if let Some((_, total)) = &self.bars {
            let whole = locked(&self.whole);
            total.set_position(whole.done() as u64);
            total.set_message(whole.line());
        }
    }
}

impl<'a> TestBar<'a> {
    /// The same, for a test that is calibrated like this.
    pub fn of_calibration(mut self, settings: &'a CalibrationSettings) -> Self {
        self.settings = Some(settings);
        self
    }

    /// The same, for so many processes that each make all runs.
    pub fn of_versions(self, versions: u32) -> Self {
        locked(&self.seen).versions = versions;
        self
    }

    /// So many of so many runs are made.
    pub fn show(&self, done: u32, wanted: u32) {
        let mut seen = locked(&self.seen);
        (seen.facts.done, seen.facts.wanted) = (done, wanted);
        self.draw(&mut seen);
    }

    /// The test is done: what was done with it, in so many runs and processes.
    pub fn done(&self, verb: &str, runs: u32, processes: usize) {
        let seconds = locked(&self.seen).began.elapsed().as_secs_f64();
        locked(&self.display.whole).ends(&self.label, seconds);
        self.display.show_whole();
        if terminal::manner().progress == ShownAs::Lines {
            // If nobody can be told, that is no reason to end.
            let _ = writeln!(
                terminal::notes(),
                "{verb} {}: {} in {}",
                self.label,
                count(runs as usize, "run", "runs"),
                count(processes, "process", "processes")
            );
        }
    }

    fn draw(&self, seen: &mut SeenProgress) {
        let now = Instant::now();
        let elapsed = (now - seen.began).as_secs_f64();
        seen.facts.seconds_left = seen.facts.left_after(elapsed);
        if let Some(left) = seen.facts.seconds_left {
            locked(&self.display.whole).is_at(&self.label, elapsed + left, left);
        }
        if let Some(bar) = &self.bar {
            bar.set_length(u64::from(seen.facts.wanted.max(1)));
            bar.set_position(u64::from(seen.facts.shown_done()));
            // Between the bar, a space and the edge.
            let width = bars_width().saturating_sub(18);
            bar.set_message(spelt(seen.facts.line(&self.label, width)));
            self.display.show_whole();
        } else if now >= seen.next_words && terminal::manner().progress == ShownAs::Lines {
            let pause = match terminal::manner().verbose {
                0 => PATIENCE,
                _ => IMPATIENCE,
            };
            seen.next_words = now + pause;
            let whole = locked(&self.display.whole);
            let all = match whole.tests() {
                1 => String::new(),
                _ => format!(" ({})", whole.line()),
            };
            let words = seen.facts.words();
            let _ = writeln!(terminal::notes(), "{}: {words}{all}", self.label);
        }
    }
}

/// What a process under way shows is read from what it has written so far.
impl Onlooker for TestBar<'_> {
    fn wants(&self, runs: u32, known: Option<&dyn Fn() -> SoFar>) {
        let mut seen = locked(&self.seen);
        seen.facts.stage = Stage::Runs;
        seen.facts.wanted = runs;
        seen.under_way.begin(known.map(|known| known()));
        self.draw(&mut seen);
    }

    fn repeats(&self, runs: u32) {
        let mut seen = locked(&self.seen);
        seen.facts.stage = Stage::Repeats;
        (seen.facts.done, seen.facts.wanted) = (0, runs);
        seen.under_way.begin(None);
        self.draw(&mut seen);
    }

    fn begins(&self, record: &Path) {
        if terminal::manner().progress != ShownAs::Nothing {
            locked(&self.seen).under_way.add(record);
        }
    }

    fn look(&self) {
        let mut seen = locked(&self.seen);
        if !seen.under_way.look(Instant::now()) {
            return;
        }
        let runs = seen.under_way.runs() / seen.versions;
        let has_news = runs != seen.facts.under_way;
        seen.facts.under_way = runs;
        if has_news && self.settings.is_some() {
            seen.facts.guards = seen.guards(self.settings);
        }
        if has_news || self.bar.is_some() {
            self.draw(&mut seen);
        }
    }

    fn ends(&self, record: &Path) {
        locked(&self.seen).under_way.ends(record);
    }

    fn taken(&self, done: u32) {
        let mut seen = locked(&self.seen);
        seen.under_way.begin(None);
        (seen.facts.done, seen.facts.under_way) = (done, 0);
        self.draw(&mut seen);
    }
}

impl SeenProgress {
    /// The guards that all runs so far would teach, those under way among them.
    fn guards(&mut self, settings: Option<&CalibrationSettings>) -> Vec<GuardSoFar> {
        match (self.facts.stage, settings) {
            (Stage::Runs, Some(settings)) => self.under_way.guards(settings),
            _ => std::mem::take(&mut self.facts.guards),
        }
    }
}

impl Drop for TestBar<'_> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// The columns of the terminal, or what tables have.
fn bars_width() -> usize {
    console::Term::stderr()
        .size_checked()
        .map_or(80, |(_, columns)| usize::from(columns))
}

/// A line for bars, which do not pass through what else is said.
fn spelt(line: String) -> String {
    let line = visible(&line).into_owned();
    match terminal::manner().ascii {
        true => ascii(&line),
        false => line,
    }
}

fn style(template: &str) -> ProgressStyle {
    let signs = match terminal::manner().ascii {
        true => "#>-",
        false => "█▓░",
    };
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars(signs)
}
