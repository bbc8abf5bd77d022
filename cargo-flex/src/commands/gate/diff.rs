//! `gate diff`: the changed files, functions and lines.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flex_core::words::count;
use flex_gate::change::changed_items;
use flex_gate::changes::{ChangedFile, Changes, Content, Detail, VERSION};
use flex_gate::source::Language;

use super::args::{DiffArgs, RangeArgs};
use crate::exit::{Exit, Failure};
use crate::git::{Commit, DiffedFile, FileText, Repository};
use crate::terminal;

/// Prints what changed.
pub fn run(args: &DiffArgs) -> Result<Exit, Failure> {
    let repository = Repository::of(Path::new("."))?;
    let range = Range::of(&repository, &args.range)?;
    let diffed = range.diff(&repository)?;
    let folders = folders(&repository, &args.path)?;
    let is_wanted = |file: &&DiffedFile| {
        let path = file.path.to_string_lossy();
        (folders.is_empty() || folders.iter().any(|folder| file.path.starts_with(folder)))
            && args
                .filter
                .as_ref()
                .is_none_or(|filter| filter.is_match(&path))
    };
    let changes = range.changes(diffed.iter().filter(is_wanted));
    let mut output = io::stdout().lock();
    match args.json {
        true => {
            serde_json::to_writer(&mut output, &changes)?;
            writeln!(output)?;
        }
        false => {
            let detail = match terminal::manner().verbose {
                1 => Detail::Files,
                0 | 2 => Detail::Functions,
                _ => Detail::Lines,
            };
            write!(output, "{}", changes.to_text(detail))?;
        }
    }
    let files = count(changes.files.len(), "file differs", "files differ");
    writeln!(terminal::notes(), "{files} from {}", range.base)?;
    Ok(Exit::Fine)
}

/// The two states that are compared.
pub struct Range {
    /// The older one.
    pub base: Commit,
    /// The newer one; `None` for the files as they are.
    pub head: Option<Commit>,
}

impl Range {
    /// What the options ask for.
    pub fn of(repository: &Repository, args: &RangeArgs) -> Result<Self, Failure> {
        let two = |names: &[String]| -> Result<[Commit; 2], Failure> {
            let name = |index: usize| names.get(index).map_or("", String::as_str);
            Ok([repository.commit(name(0))?, repository.commit(name(1))?])
        };
        if let Some(names) = &args.commits {
            let [base, head] = two(names)?;
            return Ok(Range {
                base,
                head: Some(head),
            });
        }
        if let Some(names) = &args.branches {
            let [of, head] = two(names)?;
            return Ok(Range {
                base: repository.merge_base(&of, &head)?,
                head: Some(head),
            });
        }
        Ok(Range {
            base: repository.default_base()?,
            head: None,
        })
    }

    /// The files that differ.
    pub fn diff(&self, repository: &Repository) -> Result<Vec<DiffedFile>, Failure> {
        repository.diff(&self.base, self.head.as_ref())
    }

    /// What differs in these files.
    pub fn changes<'f>(&self, files: impl IntoIterator<Item = &'f DiffedFile>) -> Changes {
        Changes {
            version: VERSION,
            base: Some(self.base.id().to_owned()),
            head: self.head.as_ref().map(|head| head.id().to_owned()),
            files: files.into_iter().map(changed).collect(),
        }
    }
}

/// Folders that are named from where the command is run, from the top of the repository.
fn folders(repository: &Repository, paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let top = repository
        .top()
        .canonicalize()
        .unwrap_or_else(|_| repository.top().to_owned());
    let relative = |path: &PathBuf| {
        let whole = path.canonicalize().map_err(|error| {
            let path = path.display();
            Failure::input(
                format!("{path}: {error}"),
                "name a folder of the repository",
            )
        })?;
        whole.strip_prefix(&top).map(Path::to_owned).map_err(|_| {
            let path = path.display();
            Failure::input(
                format!("{path} is not in the repository {}", top.display()),
                "name a folder of the repository",
            )
        })
    };
    paths.iter().map(relative).collect()
}

/// What changed in a file.
fn changed(file: &DiffedFile) -> ChangedFile {
    let path = file.path.to_string_lossy().replace('\\', "/");
    let language = Language::of(&path);
    let is_text = [&file.old, &file.new]
        .iter()
        .all(|text| **text != FileText::Binary);
    ChangedFile {
        content: match (language, is_text) {
            (_, false) => Content::Binary,
            (Some(_), true) => Content::Source,
            (None, true) => Content::Text,
        },
        items: match language.filter(|_| is_text) {
            Some(language) => changed_items(language, file.old.text(), file.new.text()),
            None => Vec::new(),
        },
        old_path: file
            .old_path
            .as_ref()
            .map(|path| path.to_string_lossy().into_owned()),
        change: file.change,
        path,
    }
}
