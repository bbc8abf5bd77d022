//! What is to be added, from files of all kinds.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use flex_report::ingest::{
    Origin, criterion_line, history_lines, junit_lines, pytest_benchmark_lines,
};
use flex_run::history::text;
use flex_run::project::env;
use flex_shard::file::file_ending;
use flex_shard::plan::Plan;

use super::args::IngestArgs;
use super::shards;
use crate::cargo::target_folder;
use crate::exit::Failure;
use crate::history;

/// The ending of the files of shards.
const SHARD: &str = file_ending();

/// Lines of a history that were found.
#[derive(Debug, Default)]
pub struct FoundLines {
    pub lines: Vec<String>,
    /// Whether anybody asked for benchmarks.
    pub has_benchmarks: bool,
    /// What was left out, and why.
    pub notes: Vec<String>,
}

impl FoundLines {
    /// Reads all that is named.
    pub fn of(args: &IngestArgs) -> Result<Self, Failure> {
        let mut found = FoundLines::default();
        let files = history::files(&args.files, &["jsonl", "json", "xml", SHARD])?;
        let is_shard = |file: &PathBuf| file.extension().is_some_and(|ending| ending == SHARD);
        let (of_shards, files): (Vec<PathBuf>, Vec<PathBuf>) =
            files.into_iter().partition(is_shard);
        for file in files {
            // The plan of a further round lies among shards, and is about runs that nobody has made yet.
            if of_shards.is_empty() || Plan::read(&file).is_err() {
                found.add_file(&file);
            }
        }
        let (lines, notes) = shards::lines(&of_shards, |file| origin(file).at);
        found.lines.extend(lines);
        found.notes.extend(notes);
        for file in &args.pytest_benchmark {
            if !file.exists() {
                return Err(Failure::input(
                    format!("{} is not there", file.display()),
                    format!("`pytest --benchmark-json={}` writes it", file.display()),
                ));
            }
            let lines = text(file).and_then(|text| pytest_benchmark_lines(&text, &origin(file)));
            found.add(file, lines);
        }
        if let Some(stated) = &args.criterion {
            let folder = match stated {
                Some(folder) => folder.clone(),
                None => target_folder(args.manifest_path.as_deref())?.join("criterion"),
            };
            found.add_criterion(&folder)?;
        }
        found.has_benchmarks = args.criterion.is_some() || !args.pytest_benchmark.is_empty();
        if found.lines.is_empty() && found.notes.is_empty() {
            return Err(Failure::input(
                "there is nothing to add",
                "name files, or --criterion, or --pytest-benchmark FILE",
            ));
        }
        Ok(found)
    }

    fn add(&mut self, file: &Path, lines: Result<Vec<String>, String>) {
        match lines {
            Ok(lines) => self.lines.extend(lines),
            Err(why) => {
                let file = file.display();
                self.notes.push(format!("{file} was left out: {why}"));
            }
        }
    }

    /// A file of lines, or of JUnit.
    fn add_file(&mut self, file: &Path) {
        let contents = match text(file) {
            Ok(contents) => contents,
            Err(why) => return self.add(file, Err(why)),
        };
        let without = if contents.trim_start().starts_with('<') {
            let read = junit_lines(&contents);
            let without = read.as_ref().map_or(0, |(_, without)| *without);
            self.add(file, read.map(|(lines, _)| lines));
            (
                without,
                "test cases",
                "in JUnit, pytest-flex and `calibrate --junit` add them",
            )
        } else {
            let (lines, others) = history_lines(&contents);
            self.add(file, Ok(lines));
            (others, "lines", "a line is one that flex wrote")
        };
        if let (more @ 1.., what, hint) = without {
            let file = file.display();
            self.notes.push(format!(
                "{file}: {more} {what} have no values of flex ({hint})"
            ));
        }
    }

    /// The last run of every benchmark of criterion.
    fn add_criterion(&mut self, folder: &Path) -> Result<(), Failure> {
        if !folder.is_dir() {
            return Err(Failure::input(
                format!("{} is not there", folder.display()),
                "run `cargo bench` first, or name criterion's folder with --criterion=FOLDER",
            ));
        }
        let files = history::files(&[folder.to_owned()], &["json"])?;
        let is_last = |file: &&PathBuf| {
            let folder = file.parent().and_then(Path::file_name);
            file.ends_with("sample.json") && folder.is_some_and(|folder| folder == "new")
        };
        for sample in files.iter().filter(is_last) {
            let named = text(&sample.with_file_name("benchmark.json"));
            let line = named.and_then(|named| {
                let seen = text(sample)?;
                criterion_line(&named, &seen, &origin(sample))
            });
            self.add(sample, line.map(|line| vec![line]));
        }
        Ok(())
    }
}

/// When a file was written, and the commit that is under test.
fn origin(file: &Path) -> Origin {
    let written = fs::metadata(file).and_then(|metadata| metadata.modified());
    let since = written
        .ok()
        .and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    Origin {
        at: since.map_or(0, |since| since.as_secs()),
        commit: env::commit(),
    }
}
