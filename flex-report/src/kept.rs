//! What runs left behind, read: calibrations and verdicts (docs/reference/samples.md). What cannot be read is left out, with
//! a word about it: nothing depends on these files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use flex_core::words::count;
use flex_detect::record::Float;
use flex_run::kept::VERSION;
use flex_run::model::TestId;
use serde::Deserialize;

use crate::threads::mapped;

/// A test, on one kind of machine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TestKey {
    pub package: Option<String>,
    pub id: TestId,
    pub variant: Option<String>,
}

/// All that runs left behind.
#[derive(Debug, Default)]
pub struct KeptFiles {
    pub(crate) calibrations: BTreeMap<TestKey, Vec<Calibration>>,
    pub(crate) verdicts: BTreeMap<TestKey, Vec<VerdictLine>>,
    /// What was left out, and why.
    pub notes: Vec<String>,
}

/// A file by its name, and what is in it, or why that cannot be read.
pub type KeptFile = (PathBuf, Result<String, String>);

/// Which test a file or a line is about.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct About {
    version: u32,
    pub at: u64,
    #[serde(default)]
    package: Option<String>,
    #[serde(default)]
    target: Option<String>,
    test: String,
    pub file: String,
    pub line: u32,
    #[serde(default)]
    pub selection: String,
    #[serde(default)]
    variant: Option<String>,
    /// The source of the test; what was kept by an older flex does not say it, nor what comes next.
    #[serde(default)]
    pub fingerprint: Option<String>,
    #[serde(default)]
    pub platform: Option<String>,
    #[serde(default)]
    pub commit: Option<String>,
    /// Who measured it; a test run does not say it.
    #[serde(default)]
    pub by: Option<String>,
}

impl About {
    pub fn key(&self) -> TestKey {
        TestKey {
            package: self.package.clone(),
            id: match &self.target {
                Some(target) => TestId::cargo(target, &self.test),
                None => TestId::pytest(&self.test),
            },
            variant: self.variant.clone(),
        }
    }

    pub fn read(text: &str) -> Result<Self, String> {
        let about: About = parsed(text)?;
        match about.version == VERSION {
            true => Ok(about),
            false => Err(format!(
                "version {} of the format is not one that this flex reads",
                about.version
            )),
        }
    }
}

/// What a calibration saw.
#[derive(Debug, Deserialize)]
pub(crate) struct Calibration {
    /// Read by itself: fields that flow together are slow to read.
    #[serde(skip)]
    pub about: About,
    pub base: String,
    pub runs: u32,
    #[serde(default)]
    pub saved: u32,
    pub seconds_per_run: Float,
    pub extra_runs: Float,
    #[serde(default)]
    pub deterministic: bool,
    #[serde(default)]
    pub uncontrolled: bool,
    #[serde(default)]
    pub failures: Vec<(u32, String)>,
    pub sites: Vec<CalibratedSite>,
}

/// What a site saw in a calibration.
#[derive(Debug, Deserialize)]
pub(crate) struct CalibratedSite {
    pub site: String,
    #[serde(default)]
    pub case: Option<String>,
    pub kind: String,
    #[serde(default)]
    pub file: String,
    #[serde(default)]
    pub line: u32,
    #[serde(default)]
    pub text: String,
    #[serde(default)]
    pub time: bool,
    #[serde(default)]
    pub objection: Option<String>,
    #[serde(default)]
    pub bounds: Vec<DeclaredBound>,
    #[serde(default)]
    pub broken: Vec<u32>,
    #[serde(default)]
    pub claim: Option<String>,
    #[serde(default)]
    pub allowed: Option<[Option<Float>; 2]>,
    pub series: Vec<KeptSeries>,
}

/// A bound that is written out.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct DeclaredBound {
    pub side: String,
    pub words: String,
    pub bound: Float,
}

/// The values of one side, a place for each run.
#[derive(Debug, Deserialize)]
pub(crate) struct KeptSeries {
    pub side: String,
    pub values: Vec<Option<Float>>,
}

/// How a test ended once.
#[derive(Debug, Deserialize)]
pub(crate) struct VerdictLine {
    /// Read by itself: fields that flow together are slow to read.
    #[serde(skip)]
    pub about: About,
    pub verdict: String,
    pub seed: String,
    #[serde(default)]
    pub replay: Option<String>,
    #[serde(default)]
    pub problems: Vec<ProblemLine>,
    #[serde(default)]
    pub cleared: Vec<ProblemLine>,
    #[serde(default)]
    pub claims: Vec<ProblemLine>,
    #[serde(default)]
    pub values: Vec<ValueLine>,
}

/// What a verdict says of one site.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ProblemLine {
    pub site: String,
    #[serde(default)]
    pub case: Option<String>,
    #[serde(default)]
    pub cause: String,
    #[serde(default)]
    pub side: Option<String>,
    #[serde(default)]
    pub value: Option<Float>,
    #[serde(default)]
    pub bound: Option<Float>,
    #[serde(default)]
    pub reruns: Vec<Option<Float>>,
    #[serde(default)]
    pub sums: Vec<i64>,
    #[serde(default)]
    pub clear: Option<i64>,
    #[serde(default)]
    pub fail: Option<i64>,
    #[serde(default)]
    pub claim: Option<String>,
    #[serde(default)]
    pub outcome: Option<String>,
    #[serde(default)]
    pub runs: Option<u32>,
    #[serde(default)]
    pub draws: Option<u64>,
    #[serde(default)]
    pub false_alarm_rate: Option<Float>,
    #[serde(default)]
    pub estimate: Option<Float>,
    #[serde(default)]
    pub interval: Option<[Float; 2]>,
}

/// What a site saw in the judged run.
#[derive(Debug, Deserialize)]
pub(crate) struct ValueLine {
    pub site: String,
    #[serde(default)]
    pub case: Option<String>,
    pub kind: String,
    /// The sides on which it can be too extreme, if that is known.
    #[serde(default)]
    pub tail: Option<String>,
    #[serde(default)]
    pub file: String,
    #[serde(default)]
    pub line: u32,
    pub least: Float,
    pub greatest: Float,
}

impl KeptFiles {
    /// Reads files, which come with their names; older ones come first.
    pub fn read(files: Vec<KeptFile>) -> Self {
        let mut kept = KeptFiles::default();
        for one in mapped(&files, KeptFiles::of_file) {
            kept.add(one);
        }
        for verdicts in kept.verdicts.values_mut() {
            verdicts.sort_by_key(|line| line.about.at);
        }
        kept
    }

    fn of_file((path, text): &KeptFile) -> Self {
        let mut kept = KeptFiles::default();
        let is_lines = path.extension().is_some_and(|end| end == "jsonl");
        let read = match text {
            Ok(text) if is_lines => kept.verdicts(text),
            Ok(text) => kept.calibration(text),
            Err(error) => Err(error.clone()),
        };
        if let Err(why) = read {
            kept.notes
                .push(format!("{} was left out: {why}", path.display()));
        }
        kept
    }

    /// Adds what a later file holds.
    fn add(&mut self, later: KeptFiles) {
        for (key, calibrations) in later.calibrations {
            self.calibrations
                .entry(key)
                .or_default()
                .extend(calibrations);
        }
        for (key, verdicts) in later.verdicts {
            self.verdicts.entry(key).or_default().extend(verdicts);
        }
        self.notes.extend(later.notes);
    }

    fn calibration(&mut self, text: &str) -> Result<(), String> {
        let about = About::read(text)?;
        let calibration = Calibration {
            about,
            ..parsed(text)?
        };
        let of_test = self.calibrations.entry(calibration.about.key());
        of_test.or_default().push(calibration);
        Ok(())
    }

    fn verdicts(&mut self, text: &str) -> Result<(), String> {
        let (mut unread, mut why) = (0, String::new());
        for line in text.lines() {
            let read = || -> Result<VerdictLine, String> {
                let about = About::read(line)?;
                Ok(VerdictLine {
                    about,
                    ..parsed(line)?
                })
            };
            match read() {
                Ok(verdict) => {
                    let of_test = self.verdicts.entry(verdict.about.key());
                    of_test.or_default().push(verdict);
                }
                Err(error) => (unread, why) = (unread + 1, error),
            }
        }
        match unread {
            0 => Ok(()),
            unread => Err(format!("{} of it: {why}", count(unread, "line", "lines"))),
        }
    }
}

pub(crate) fn parsed<'t, T: Deserialize<'t>>(text: &'t str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| format!("it is not what flex writes: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_left_out_with_a_word() {
        let line = r#"{"version":1,"at":5,"target":"lib","package":"p","test":"a","file":"a.rs","line":3,"verdict":"pass","seed":"x","values":[{"site":"x<_","kind":"learned","least":"nan","greatest":2}]}"#;
        let file = |name: &str, text: &str| (PathBuf::from(name), Ok(text.to_owned()));
        let kept = KeptFiles::read(vec![
            file("a.jsonl", &format!("{line}\n<<<<<<< HEAD\n{line}\n")),
            file("b.json", "{\"version\": 1"),
            file("c.jsonl", &line.replace("\"version\":1", "\"version\":9")),
            (PathBuf::from("d.json"), Err("it is a folder".to_owned())),
        ]);
        assert_eq!(kept.verdicts.values().map(Vec::len).sum::<usize>(), 2);
        assert!(kept.calibrations.is_empty());
        let words = kept.notes.join("\n");
        for part in [
            "a.jsonl was left out: 1 line of it: ",
            "b.json",
            "version 9",
            "d.json was left out: it is a folder",
        ] {
            assert!(words.contains(part), "{words}");
        }
    }
    #[test]
    fn many_files_keep_their_order() {
        let calibration = |run: usize| {
            format!(
                r#"{{"version":1,"at":{run},"target":"lib","package":"p","test":"a","file":"a.rs","line":3,"base":"b{run}","runs":1,"seconds_per_run":1,"extra_runs":1,"sites":[]}}"#
            )
        };
        let file = |run: usize| match run % 10 {
            7 => (PathBuf::from(format!("{run}.json")), Ok("{".to_owned())),
            _ => (PathBuf::from(format!("{run}.json")), Ok(calibration(run))),
        };
        let kept = KeptFiles::read((0..100).map(file).collect());
        let all: Vec<u64> = kept
            .calibrations
            .values()
            .flatten()
            .map(|one| one.about.at)
            .collect();
        assert_eq!(all.len(), 90);
        assert!(all.is_sorted(), "{all:?}");
        let named: Vec<String> = (0..10).map(|ten| format!("{ten}7.json")).collect();
        for (note, name) in kept.notes.iter().zip(&named) {
            assert!(note.starts_with(name.trim_start_matches('0')), "{note}");
        }
        assert_eq!(kept.notes.len(), 10);
        assert!(KeptFiles::read(Vec::new()).notes.is_empty());
    }
}
