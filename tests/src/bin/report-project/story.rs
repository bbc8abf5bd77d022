//! A project, and the story of a test in it: what its runs show, calibrated and enforced by the machines of flex.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use flex_bounds::file::BoundsFile;
use flex_core::sample::Extremes;
use flex_core::tail::{Domain, Tail};
use flex_run::calibrate::{Calibrating, CalibrationSettings, Next, TestCalibration, keep, save};
use flex_run::enforce::{Ended, Enforcement, Verdict, WantedRun};
use flex_run::model::{
    Asks, ClaimSpec, Claimed, Comparison, Draws, Hit, Limit, Operator, Place, ProcessRecord,
    RecordedHit, RecordedRun, RunRecord, Runner, Site, SiteId, SiteSpec, Test, TestId,
};
use flex_run::project::env::Settings;
use flex_run::store::Store;

use super::values::{Law, draw};
use super::write;

/// The package of all tests.
pub const PACKAGE: &str = "sketches";

/// A package on disk.
pub struct Project {
    pub folder: PathBuf,
    /// The folder that flex has.
    pub flex: PathBuf,
}

/// What a test does.
pub struct Story {
    pub name: String,
    pub site: Site,
    runner: Runner,
    law: Law,
    seed: u64,
}

impl Story {
    /// A test whose bound is learned.
    pub fn new(name: &str, site: &str, law: Law, seed: u64) -> Self {
        let tail = match (site.starts_with("_ <"), site.ends_with("> _")) {
            (true, _) => Tail::Both,
            (_, true) => Tail::Lower,
            _ => Tail::Upper,
        };
        let mut spec = SiteSpec::new(tail);
        if law == Law::Beta {
            spec.domain = Domain::new(0.0, 1.0).ok();
        }
        Story::of(name, site, Asks::Learned(spec), law, seed)
    }

    /// A test whose bound is written out.
    pub fn declared(name: &str, site: &str, bound: f64, seed: u64) -> Self {
        let asks = Asks::Declared(vec![Comparison::new(Operator::Less, bound)]);
        Story::of(name, site, asks, Law::Counts, seed)
    }

    /// A test that claims something of the mean.
    pub fn claimed(name: &str, site: &str, limit: Limit, seed: u64) -> Self {
        let spec = ClaimSpec {
            domain: Domain::new(-0.2, 0.2).ok(),
            ..ClaimSpec::new(Claimed::Mean(limit))
        };
        Story::of(name, site, Asks::Claim(spec), Law::Normal, seed)
    }

    fn of(name: &str, site: &str, asks: Asks, law: Law, seed: u64) -> Self {
        let module = name.split("::").next().unwrap_or_default();
        let file = format!("src/{module}.rs");
        let place = Place::new(file, 40 + 7 * seed as u32 % 90);
        let mut site = Site::new(SiteId::new(site), asks, place);
        site.text = site.id.label();
        site.form = "assert_tail_bound!".to_owned();
        Story {
            name: name.to_owned(),
            site,
            runner: Runner::Cargo,
            law,
            seed,
        }
    }

    /// A test of pytest whose bound is learned.
    pub fn of_pytest(name: &str, site: &str, law: Law, seed: u64) -> Self {
        let mut story = Story::new(name, site, law, seed);
        let file = name.split("::").next().unwrap_or_default();
        story.site.place.file = file.to_owned();
        story.site.form = "assert".to_owned();
        story.runner = Runner::Pytest;
        story
    }

    pub fn test(&self) -> Test {
        let (id, package, selection) = match self.runner {
            Runner::Pytest => (TestId::pytest(&self.name), None, self.name.clone()),
            Runner::Cargo => (
                TestId::cargo("lib", &self.name),
                Some(PACKAGE.to_owned()),
                format!("-p {PACKAGE} --lib -- --exact '{}'", self.name),
            ),
        };
        Test {
            package,
            fingerprint: "9f2c4e1a".to_owned(),
            selection,
            place: Place::new(self.site.place.file.clone(), self.site.place.line - 6),
            ..Test::new(id)
        }
    }

    fn value(&self, run: u64, shift: f64) -> f64 {
        match self.site.asks {
            Asks::Declared(_) => 10.0 + 0.4 * draw(self.law, self.seed, run, shift),
            _ => draw(self.law, self.seed, run, shift),
        }
    }

    /// What a process records whose values have moved by so many standard deviations.
    pub fn record(&self, runs: &[u32], shift: f64) -> ProcessRecord {
        let mut record = ProcessRecord::new(self.test());
        record.sites = vec![self.site.clone()];
        record.took = Some(Duration::from_millis(11 * runs.len() as u64));
        for &index in runs {
            let value = self.value(u64::from(index), shift);
            let run = RecordedRun {
                index,
                drew: self.law != Law::Constant,
                failure: None,
            };
            let bounds = self.site.declared().iter();
            let hit = RecordedHit {
                site: 0,
                extremes: Extremes::new(value),
                broken: bounds.clone().any(|bound| !bound.is_kept_by(value)),
            };
            record.push(run, [hit]).expect("the site is known");
        }
        record
    }
}

impl Project {
    /// An empty package in a folder.
    pub fn new(folder: &Path) -> Self {
        let _ = std::fs::remove_dir_all(folder);
        let manifest = format!(
            "[package]\nname = \"{PACKAGE}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n"
        );
        write(folder.join("Cargo.toml"), &manifest);
        write(folder.join("src/lib.rs"), "");
        write(
            folder.join("flex.toml"),
            "false-alarms = \"1 in 1000 runs\"\n",
        );
        write(folder.join(".gitignore"), "target\n.pytest_cache\n");
        Project {
            folder: folder.to_owned(),
            flex: folder.join("target/flex"),
        }
    }

    /// Its tests of pytest, in a folder below.
    pub fn of_pytest(&self) -> Self {
        let folder = self.folder.join("python");
        Project {
            flex: folder.join(".pytest_cache/d/flex"),
            folder,
        }
    }

    pub fn store(&self) -> Store {
        Store::at(self.folder.join("flex-bounds.toml"))
    }

    /// Commits all files; what comes later is of a later second.
    pub fn commit(&self, message: &str) {
        for words in [
            vec!["init", "-q"],
            vec!["add", "-A"],
            vec![
                "-c",
                "user.name=flex",
                "-c",
                "user.email=flex@example.org",
                "commit",
                "-q",
                "--allow-empty",
                "-m",
                message,
            ],
        ] {
            let done = Command::new("git")
                .current_dir(&self.folder)
                .args(words)
                .status();
            assert!(done.expect("git is there").success());
        }
        std::thread::sleep(Duration::from_millis(1100));
    }

    /// Calibrates a test whose values have moved by so many standard deviations, and keeps what it saw.
    pub fn calibrated(&self, story: &Story, runs: u32, shift: f64) -> TestCalibration {
        let settings = CalibrationSettings {
            runs: Some(runs),
            max_runs: Some(runs),
            base: format!("k3J9{}{}", story.seed, if shift > 0.0 { "b" } else { "" }),
            ..CalibrationSettings::default()
        };
        let all: Vec<u32> = (0..runs).collect();
        let first = story.record(&all, shift);
        let mut machine = Calibrating::new(&first, &settings).expect("it can be calibrated");
        machine.take(&first).expect("it was recorded");
        loop {
            match machine.step().expect("it can be calibrated") {
                Next::Collect(runs) => {
                    let more = story.record(&runs, shift);
                    machine.take(&more).expect("it was recorded");
                }
                Next::Repeat(runs) => machine.take_repeated(story.record(&runs, shift)),
                Next::Done(calibration) => {
                    keep(&calibration, Some(&self.flex), None);
                    return *calibration;
                }
            }
        }
    }

    /// Writes what was learned.
    pub fn save(&self, mut calibrations: Vec<TestCalibration>) {
        let mut all: Vec<&mut TestCalibration> = calibrations.iter_mut().collect();
        save(&mut all, &self.store(), &[]).expect("the bounds file can be written");
    }

    /// Enforces a test whose values have moved by so many standard deviations since it was calibrated.
    pub fn enforced(&self, story: &Story, seed: &str, shift: f64) {
        let settings = Settings::default();
        let store = self.store();
        let test = story.test();
        let entries: BoundsFile = store.select(&test.id).expect("the bounds file can be read");
        let request = seed.parse().expect("a seed");
        let path = store.path().to_owned();
        let mut machine = Enforcement::new(test, settings, request, entries, path);
        let start = seed
            .bytes()
            .fold(1000u64, |sum, byte| sum * 31 + u64::from(byte));
        let sites = [story.site.clone()];
        let (mut run, mut moved) = (start, shift);
        loop {
            let value = story.value(run, moved);
            let mut hit = Hit::of(value);
            if story.site.claim().is_some() {
                let draws = (0..8).map(|k| story.value(run * 8 + k, moved)).collect();
                let first = Draws {
                    first: draws,
                    second: Vec::new(),
                };
                let mut drawn = None;
                Hit::draw(&mut drawn, first);
                hit = drawn.expect("it was drawn");
            }
            let record = RunRecord {
                hits: vec![Some(hit)],
                ..RunRecord::default()
            };
            match machine.see(&sites, &record) {
                Verdict::Pass => {
                    machine.keep(Some(&self.flex), &sites, Ended::Passed);
                    return;
                }
                Verdict::Fail(failure) => {
                    machine.keep(Some(&self.flex), &sites, Ended::Failed(&failure));
                    return;
                }
                Verdict::Run(WantedRun::Rerun(index)) => (run, moved) = (start + index, shift),
                Verdict::Run(WantedRun::Replay { run: replayed, .. }) => {
                    (run, moved) = (u64::from(replayed), shift);
                }
            }
        }
    }
}
