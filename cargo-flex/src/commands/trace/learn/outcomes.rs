//! Which tests are flaky, by files of two kinds.

use std::path::{Path, PathBuf};

use flex_detect::trace::learn::Labels;
use flex_run::text_file;

use crate::called;
use crate::exit::Failure;
use crate::record::file::{RecordFile, default_file};
use crate::trace::TracedProject;

/// The labels of each project: from one file for all, from one for each, or from the record beside its trace.
pub fn read(projects: &[TracedProject], files: &[PathBuf]) -> Result<Vec<Labels>, Failure> {
    match files {
        [] => projects.iter().map(beside).collect(),
        [one] => {
            let labels = labels_of(one)?;
            Ok(vec![labels; projects.len()])
        }
        files if files.len() == projects.len() => {
            files.iter().map(|file| labels_of(file)).collect()
        }
        files => Err(Failure::input(
            format!(
                "{} files of outcomes for {} traces",
                files.len(),
                projects.len()
            ),
            "name one for all of them, or one for each, in their order",
        )),
    }
}

fn beside(project: &TracedProject) -> Result<Labels, Failure> {
    let folder = project.path.parent().unwrap_or(Path::new("."));
    let file = default_file(folder);
    match file.exists() {
        true => labels_of(&file),
        false => Err(Failure::input(
            format!(
                "which tests of {} are flaky is not known: there is no {}",
                project.name,
                file.display()
            ),
            format!(
                "search them with `{} detect`, or name a record or a table with --outcomes",
                called::name()
            ),
        )),
    }
}

fn labels_of(file: &Path) -> Result<Labels, Failure> {
    let wrong = |why: String| {
        Failure::input(
            format!("{}: {why}", file.display()),
            "--outcomes takes a record of `detect` (.json), or a table (.csv)",
        )
    };
    let missing = || wrong("there is no such file".to_owned());
    if file
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("csv"))
    {
        let text = text_file::read_text(file).map_err(|error| wrong(error.to_string()))?;
        let text = text.ok_or_else(missing)?;
        return Labels::of_csv(&text).map_err(|error| wrong(error.to_string()));
    }
    let record = RecordFile::at(file.to_owned()).read()?;
    let record = record.ok_or_else(missing)?;
    Ok(Labels::of_record(&record))
}
