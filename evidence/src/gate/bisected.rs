//! Planted commits among 64: simulated histories, and a real one.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use flex_detect::compare::SeriesRule;
use flex_detect::compare::midpoint::{Midpoint, MidpointAnswer, level_of_step};
use flex_tests::history::{commit, git};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution as _, StandardNormal};
use xtask::process::capture;

use super::changed::words;
use crate::page::{Bar, Section};
use crate::parallel::in_parallel;
use crate::program::{fresh_folder, in_environment, json, list, prepare, text};

/// Commits between the ends, histories of each kind, and commits that draw otherwise without moving anything.
const COMMITS: usize = 64;
const HISTORIES: u64 = 100;
const REDRAWN: usize = 8;

const ALPHA: f64 = 1e-4;

/// The part of the variance that runs under one seed share whatever is drawn otherwise, and the shift in sd.
const KINDS: [(f64, f64); 3] = [(0.9, 0.5), (0.9, 0.25), (0.0, 1.0)];

/// The section of the part `bisect`.
pub fn section() -> Result<Section, String> {
    let mut page = format!(
        "{HISTORIES} simulated histories of {COMMITS} commits for each kind, decided step by step by what the command decides \
         with. One commit moves the mean; {REDRAWN} others draw otherwise, so that values are others and the law is the same; \
         *correlation* is what runs under one seed have in common then.\n\n\
         | correlation | shift | found | mean pairs in all |\n|---|---|---|---|\n"
    );
    let mut bars = Vec::new();
    for (correlation, shift) in KINDS {
        let seeds: Vec<u64> = (0..HISTORIES).collect();
        let found = in_parallel(&seeds, |seed| {
            History::new(*seed, correlation, shift).search()
        });
        let right = found.iter().filter(|(is_right, _)| *is_right).count();
        let pairs: u64 = found.iter().map(|(_, pairs)| pairs).sum();
        let mean = pairs as f64 / HISTORIES as f64;
        let _ = writeln!(
            page,
            "| {correlation} | {shift} sd | {right} of {HISTORIES} | {mean:.0} |"
        );
        bars.push(Bar {
            what: format!("planted commits found, correlation {correlation}, shift {shift} sd"),
            measured: format!("{right} of {HISTORIES}"),
            bar: "≥ 99 of 100".to_owned(),
            kept: right as u64 * 100 >= 99 * HISTORIES,
        });
    }
    let (planted, found, steps) = real()?;
    let _ = write!(
        page,
        "\nA real repository of Python with {COMMITS} commits: the 41st moves the mean of what a test asserts by half a \
         standard deviation, every eighth draws otherwise, and the 33rd cannot be imported. `flex-harness bisect` finds \
         {found:?} in {steps} steps; it is `{planted}`.\n\n"
    );
    bars.push(Bar {
        what: "the planted commit of a real repository".to_owned(),
        measured: found.join(", "),
        bar: planted.clone(),
        kept: found == [planted],
    });
    Ok(Section::with_bars(page, &bars))
}

/// A simulated history.
struct History {
    seed: u64,
    correlation: f64,
    shift: f64,
    /// The commit that moves the mean, from 1 on.
    planted: usize,
    /// Commits that draw otherwise.
    redrawn: BTreeSet<usize>,
}

impl History {
    fn new(seed: u64, correlation: f64, shift: f64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let planted = rng.random_range(1..=COMMITS);
        let mut redrawn = BTreeSet::new();
        while redrawn.len() < REDRAWN {
            redrawn.insert(rng.random_range(1..=COMMITS));
        }
        History {
            seed,
            correlation,
            shift,
            planted,
            redrawn,
        }
    }

    /// The value of a run at a commit.
    fn value(&self, commit: usize, run: u32) -> f64 {
        let drawn = |stream: u64| -> f64 {
            let mut rng = ChaCha8Rng::seed_from_u64(self.seed << 32 | u64::from(run));
            rng.set_stream(stream);
            StandardNormal.sample(&mut rng)
        };
        let redrawn = self.redrawn.range(..=commit).count() as u64;
        let moved = if commit >= self.planted {
            self.shift
        } else {
            0.0
        };
        let (shared, own) = (self.correlation.sqrt(), (1.0 - self.correlation).sqrt());
        shared * drawn(0) + own * drawn(1 + redrawn) + moved
    }

    /// Halves the history as git does; whether the planted commit is found, and the pairs of all steps.
    fn search(&self) -> (bool, u64) {
        let level = level_of_step(ALPHA, COMMITS);
        let (mut good, mut bad, mut pairs) = (0, COMMITS, 0);
        while bad - good > 1 {
            let middle = usize::midpoint(good, bad);
            let (moved, made) = self.look(middle, level);
            pairs += made;
            match moved {
                MidpointAnswer::NotYet => good = middle,
                MidpointAnswer::Already => bad = middle,
                // The command would go round it, and at best name several commits.
                MidpointAnswer::Undecided => return (false, pairs),
            }
        }
        (bad == self.planted, pairs)
    }

    fn look(&self, middle: usize, level: f64) -> (MidpointAnswer, u64) {
        let rule = SeriesRule::default();
        let mut midpoint = Midpoint::new(level, rule.first).expect("a level between 0 and 1");
        for run in 0..rule.most {
            let value = |commit| self.value(commit, run);
            if midpoint.push(value(0), value(middle), value(COMMITS)) != MidpointAnswer::Undecided {
                break;
            }
        }
        (midpoint.answer(), midpoint.runs())
    }
}

/// The code of a commit of the real history.
fn package(number: usize) -> String {
    let shift = if number >= 41 { 0.5 } else { 0.0 };
    let redrawn = number / 8;
    let broken = if number == 33 { "def broken((:\n" } else { "" };
    format!(
        "{broken}SHIFT = {shift}\n\n\ndef error(rng):\n    for _ in range({redrawn}):\n        rng.random()\n    \
         return sum(rng.random() for _ in range(12)) - 6 + SHIFT\n"
    )
}

const TEST: &str = "import random\n\nfrom sampler import error\n\n\ndef test_error():\n    assert error(random.Random(5)) < 9\n";

/// The planted commit, what is found, and the number of steps.
fn real() -> Result<(String, Vec<String>, usize), String> {
    let python = prepare()?;
    let folder = fresh_folder("gate/bisect")?;
    git(&folder, &["init", "-q", "-b", "main"]).map_err(words)?;
    let write = |file: &str, text: &str| std::fs::write(folder.join(file), text).map_err(words);
    write("pytest.ini", "[pytest]\npythonpath = .\n")?;
    write(".gitignore", "__pycache__\n.pytest_cache\n")?;
    write("test_it.py", TEST)?;
    let mut planted = String::new();
    for number in 0..=COMMITS {
        write("sampler.py", &package(number))?;
        write("notes.txt", &format!("{number}\n"))?;
        commit(&folder, &format!("commit {number}")).map_err(words)?;
        if number == 41 {
            planted = head(&folder)?;
        }
    }
    let good = format!("HEAD~{COMMITS}");
    let args = [
        "bisect",
        "test_it.py::test_error",
        "--good",
        &good,
        "--bad",
        "HEAD",
        "--seed",
        "bisect",
        "--json",
    ];
    let found = json(in_environment(&python, &folder).args(args))?;
    let first = list(&found["first_moved"]).map(text).collect();
    Ok((planted, first, list(&found["steps"]).count()))
}

fn head(folder: &Path) -> Result<String, String> {
    let mut git = Command::new("git");
    let said = capture(git.args(["rev-parse", "HEAD"]).current_dir(folder), "")?;
    Ok(said.trim().to_owned())
}
