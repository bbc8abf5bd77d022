//! Stochastic tests of pytest with bounds, selected exactly: runs of their calibration are made again, and those that show
//! what they showed are not affected.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;

use flex_gate::select::SelectionReason;
use flex_run::project::env;
use serde::Deserialize;

use super::pytest::Collected;
use crate::exit::Failure;
use crate::git::Repository;
use crate::pytest::{PytestArgs, run_pytest};
use crate::terminal;

/// What pytest answers.
#[derive(Deserialize)]
struct Answer {
    /// The folder that names begin from.
    folder: PathBuf,
    unchanged: Vec<String>,
}

/// The selected tests that do what they did at their calibration, in all of their cases. Those that are new or changed
/// stay selected.
pub fn unaffected(
    repository: &Repository,
    collected: &Collected,
    reasons: &[Option<SelectionReason>],
) -> Result<Vec<usize>, Failure> {
    let is_reached = |index: &usize| {
        let reason = reasons[*index].as_ref();
        reason.is_some_and(|reason| {
            !matches!(reason, SelectionReason::New | SelectionReason::Changed)
        })
    };
    let asked: Vec<usize> = (0..reasons.len()).filter(is_reached).collect();
    if asked.is_empty() || !has_bounds(repository)? {
        return Ok(Vec::new());
    }
    let folder = tempfile::tempdir()?;
    let answer = folder.path().join("unchanged.json");
    let mut options = PytestArgs::ordered("unchanged", &answer).of_tests(None, &[]);
    let cache = folder.path().join("cache");
    options.push(format!("--override-ini=cache_dir={}", cache.display()));
    let said = File::create(folder.path().join("said"))?;
    let ended = run_pytest(|command| {
        command.args(asked.iter().map(|index| &collected.tests[*index].id));
        command.args(&options).arg("-q");
        if let Ok(said) = said.try_clone() {
            command.stdout(said);
        }
    });
    let text = std::fs::read_to_string(&answer).ok();
    let answer: Option<Answer> = text.and_then(|text| serde_json::from_str(&text).ok());
    let Some(answer) = answer else {
        if let Err(failure) = ended {
            let said = std::fs::read_to_string(folder.path().join("said")).unwrap_or_default();
            writeln!(
                terminal::stderr(),
                "{said}{failure}warning: no calibration run could be replayed; stochastic tests are selected like others"
            )?;
        }
        return Ok(Vec::new());
    };
    let mut same: BTreeMap<(PathBuf, String), usize> = BTreeMap::new();
    for name in &answer.unchanged {
        let (file, function) = name.split_once("::").unwrap_or((name, ""));
        let function = function.split('[').next().unwrap_or_default();
        let file = answer.folder.join(file);
        let file = file.canonicalize().unwrap_or(file);
        *same.entry((file, function.replace("::", "."))).or_default() += 1;
    }
    let is_same = |index: &usize| {
        let test = &collected.tests[*index];
        let file = repository.top().join(&test.file);
        let file = file.canonicalize().unwrap_or(file);
        same.get(&(file, test.function.clone())) == Some(&collected.cases(*index))
    };
    Ok(asked.into_iter().filter(is_same).collect())
}

/// Whether anything was learned here.
fn has_bounds(repository: &Repository) -> Result<bool, Failure> {
    let is_named = std::env::var_os(env::BOUNDS).is_some();
    let is_bounds = |file: &PathBuf| {
        file.file_name()
            .is_some_and(|name| name == env::BOUNDS_FILE)
    };
    Ok(is_named || repository.files()?.iter().any(is_bounds))
}
