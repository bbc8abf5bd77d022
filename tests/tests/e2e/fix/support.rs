//! Repositories with test files, and records of what their assertions saw.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use flex_detect::record::{
    Given, Knob, ObservedRun, ObservedSite, ObservedTest, Outcome, PytestReplay, Reader, Record,
    Role, RunnerReplay, Series, Span, VERSION,
};
use flex_run::model::{Place, Runner, SiteId, TestId};
pub use flex_tests::Said as Told;
use flex_tests::{program, run};

/// Runs of each test in a record.
pub const RUNS: u32 = 1000;

/// A temporary folder.
pub struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    /// Files that no version control knows.
    pub fn plain(files: &[(&str, &str)]) -> Folder {
        let folder = Folder {
            folder: tempfile::tempdir().expect("temporary folders can be made"),
        };
        for (path, text) in files {
            folder.write(path, text);
        }
        folder
    }

    /// Files that are committed.
    pub fn repository(files: &[(&str, &str)]) -> Folder {
        let folder = Folder::plain(files);
        folder.git(&["init", "--quiet"]);
        folder.write(
            ".gitignore",
            "record.json\nflex-fix/\n__pycache__/\n.pytest_cache/\n/target/\n",
        );
        folder.commit();
        folder
    }

    /// A package of cargo with these files, which are committed.
    pub fn package(files: &[(&str, &str)]) -> Folder {
        let manifest = "[package]\nname = \"a\"\nedition = \"2024\"\n\n[workspace]\n";
        Folder::repository(&[&[("Cargo.toml", manifest), ("src/lib.rs", "")], files].concat())
    }

    /// Commits everything.
    pub fn commit(&self) {
        self.git(&["add", "--all"]);
        let who = ["-c", "user.name=flex", "-c", "user.email=flex@example.org"];
        self.git(&[&who[..], &["commit", "--quiet", "--message=files"]].concat());
    }

    fn git(&self, args: &[&str]) {
        self.pipe(&[&["git"], args].concat(), "").says(0, &[]);
    }

    pub fn path(&self) -> PathBuf {
        self.folder
            .path()
            .canonicalize()
            .expect("the folder is there")
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a file is in a folder"))
            .expect("folders can be made");
        fs::write(path, text).expect("files can be written");
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.folder.path().join(path))
            .unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Writes down what the runs of tests showed.
    pub fn record(&self, runner: Runner, tests: Vec<ObservedTest>) {
        self.record_with(runner, tests, |_| {});
    }

    pub fn record_with(
        &self,
        runner: Runner,
        tests: Vec<ObservedTest>,
        change: impl FnOnce(&mut Record),
    ) {
        let mut record = Record {
            version: VERSION,
            runner,
            base: "fixed".to_owned(),
            root: self.path(),
            rerun_marker: None,
            tests,
            reader: Reader::default(),
        };
        change(&mut record);
        self.write("record.json", &record.to_json());
    }

    /// Runs `flex-harness fix` with that record.
    pub fn fix(&self, args: &[&str]) -> Told {
        self.fix_of("record.json", args)
    }

    /// Runs `flex-harness fix` with a record of that name.
    pub fn fix_of(&self, record: &str, args: &[&str]) -> Told {
        let mut command = self.command(program("flex-harness").to_str().expect("the path is text"));
        command.args(["fix", "--record", record]).args(args);
        // What is chosen unless somebody says otherwise is weighed; here it is about numbers.
        if !args.contains(&"--choose") {
            command.args(["--choose", "bound"]);
        }
        run(&mut command, "")
    }

    /// Runs a program in the folder with this on its standard input.
    pub fn pipe(&self, words: &[&str], input: &str) -> Told {
        run(self.command(words[0]).args(&words[1..]), input)
    }

    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path());
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("FLEX_") {
                command.env_remove(name);
            }
        }
        command
    }
}

/// A test of pytest whose runs fail when one of its sites does.
pub fn test(name: &str, line: u32, sites: Vec<ObservedSite>) -> ObservedTest {
    let fails = |run: u32| sites.iter().position(|site| site.failed.contains(&run));
    let place = Place::new(name.split("::").next().unwrap_or_default(), line);
    ObservedTest {
        replay: Some(RunnerReplay::Pytest(PytestReplay::default())),
        seconds_per_run: 0.25,
        runs: (0..RUNS)
            .map(|index| ObservedRun {
                index,
                outcome: if fails(index).is_some() {
                    Outcome::Fail
                } else {
                    Outcome::Pass
                },
                why: fails(index).map(|_| "AssertionError".to_owned()),
                failed_site: fails(index),
            })
            .collect(),
        sites,
        ..ObservedTest::new(TestId::pytest(name), place)
    }
}

/// An assertion at a line of a file, which saw a value in each run.
pub fn site(place: (&str, u32), text: &str, series: Vec<Series>) -> ObservedSite {
    let first = &series[0];
    let bound = first.bound.expect("a bound");
    let fails = |value: f64| match first.role {
        Role::Lower => value.is_nan() || value <= bound,
        Role::Upper => value.is_nan() || value >= bound,
        _ => value.is_nan() || value > bound,
    };
    let failed = first.values.iter().filter(|(_, value)| fails(*value));
    ObservedSite {
        id: SiteId::of_label(text),
        place: Place::new(place.0, place.1),
        span: None,
        text: text.to_owned(),
        form: "assert".to_owned(),
        within: None,
        is_hard: true,
        failed: failed.map(|(run, _)| *run).collect(),
        series,
    }
}

/// Values of all runs, compared with a number.
pub fn series(role: Role, bound: f64, knob: Knob, value: impl Fn(u32) -> f64) -> Series {
    Series {
        role,
        bound: Some(bound),
        is_margin: false,
        is_strict: None,
        knob: Some(knob),
        values: (0..RUNS).map(|run| (run, value(run))).collect(),
    }
}

/// The first place of a text in a source, as a number that is written there.
pub fn literal(source: &str, before: &str, number: &str) -> Knob {
    Knob {
        text: number.to_owned(),
        given: Given::Literal {
            span: span(source, before, number),
        },
    }
}

/// The place of `number` after `before`, by line and column.
pub fn span(source: &str, before: &str, number: &str) -> Span {
    let start = source
        .find(&format!("{before}{number}"))
        .expect("the source holds it")
        + before.len();
    let (line, column) = place(source, start);
    Span {
        line,
        column,
        end_line: line,
        end_column: column + number.len() as u32,
    }
}

/// Line and column of a byte.
pub fn place(source: &str, at: usize) -> (u32, u32) {
    let line_start = source[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = source[..at].matches('\n').count() + 1;
    (line as u32, (at - line_start) as u32)
}

/// A number in a Rust source.
pub fn in_source(number: &str) -> Knob {
    Knob {
        text: number.to_owned(),
        given: Given::Source,
    }
}

/// The value of a run, standard normal: always the same for the same run.
pub fn normal(run: u32) -> f64 {
    let radius = (-2.0 * uniform(2 * u64::from(run)).ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform(2 * u64::from(run) + 1)).cos()
}

/// A number between 0 and 1, by its index (SplitMix64: Steele, Lea & Flood 2014).
pub fn uniform(index: u64) -> f64 {
    let mut z = (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64 + 1e-17
}
