//! Where `detect` left what it recorded, and whether that is about the project that was asked for.

use std::io;
use std::path::{Path, PathBuf};

use flex_detect::record::{Reader, Record};
use flex_run::model::Runner;
use flex_run::text_file;

use super::args::FixArgs;
use super::root::Root;
use crate::called;
use crate::cargo::{Workspace, flex_folder, workspace_root};
use crate::exit::Failure;
use crate::pytest::{CACHED_RECORD, in_caches};
use crate::record::file::default_file;

/// Reads the record that is named, or the last one of the cargo workspace or of pytest; and says which project was asked
/// for. The root of the record is a folder of that project, or refused.
pub fn read(args: &FixArgs) -> Result<(Record, Root), Failure> {
    let (path, command) = place(args)?;
    let missing = || io::Error::from(io::ErrorKind::NotFound);
    let text = text_file::read_text(&path).and_then(|text| text.ok_or_else(missing));
    let text = text.map_err(|error| {
        Failure::input(
            format!("cannot read {}: {error}", path.display()),
            format!("`{command}` searches the tests and writes it"),
        )
    })?;
    let mut record = Record::parse(&text).map_err(|error| {
        Failure::input(
            format!("{}: {error}", path.display()),
            format!("`{command}` writes it anew"),
        )
    })?;
    let asked = asked_for(args, record.runner, &path)?;
    let root = Root::at(&asked).map_err(|error| {
        Failure::input(
            format!("cannot open {}: {error}", asked.display()),
            "name the folder of the project",
        )
    })?;
    record.root = within(args, &record, &root, &path, &command)?;
    record.reader = Reader {
        folder: std::env::current_dir().ok(),
        manifest_path: args
            .manifest_path
            .as_ref()
            .map(|path| path.display().to_string()),
    };
    Ok((record, root))
}

/// Where the record is, and the command that writes it.
fn place(args: &FixArgs) -> Result<(PathBuf, String), Failure> {
    Ok(match (&args.record, &args.pytest) {
        (Some(path), _) => (path.clone(), format!("{} detect", called::name())),
        (None, Some(tests)) => (
            pytest_record(tests),
            format!("{} detect --pytest {}", called::name(), tests.display()),
        ),
        (None, None) => {
            let manifest = args.manifest_path.as_deref();
            let option = manifest.map_or(String::new(), |path| {
                format!(" --manifest-path {}", path.display())
            });
            let workspace = Workspace::of(manifest).map_err(|failure| {
                failure.with_hint("run it in the folder of a package, name its Cargo.toml with --manifest-path, or tests of pytest with --pytest")
            })?;
            (
                default_file(&flex_folder(&workspace.target, &workspace.root)),
                format!("{} detect{option}", called::name()),
            )
        }
    })
}

/// pytest keeps its cache at the root of the project: the nearest one at or above the tests.
fn pytest_record(tests: &Path) -> PathBuf {
    let found = in_caches(tests, CACHED_RECORD)
        .into_iter()
        .find(|path| path.is_file());
    found.unwrap_or_else(|| Path::new(".").join(CACHED_RECORD))
}

/// The folder of the project: the workspace; the folder that pytest's cache is in; or, with a record from elsewhere, the
/// current folder, unless the tests are in another one.
fn asked_for(args: &FixArgs, runner: Runner, record: &Path) -> Result<PathBuf, Failure> {
    if runner == Runner::Cargo {
        return workspace_root(args.manifest_path.as_deref());
    }
    if args.record.is_none() {
        let depth = Path::new(CACHED_RECORD).components().count();
        let absolute = std::path::absolute(record).unwrap_or_else(|_| record.to_owned());
        let root = absolute.ancestors().nth(depth).map(Path::to_owned);
        return Ok(root.unwrap_or(absolute));
    }
    let here = PathBuf::from(".");
    let Some(tests) = &args.pytest else {
        return Ok(here);
    };
    let text = tests.to_string_lossy();
    let tests = PathBuf::from(text.split("::").next().unwrap_or_default());
    let is_below = Root::at(&here).is_ok_and(|here| here.holds(&tests));
    let folder = match (is_below, tests.is_dir()) {
        (true, _) => here,
        (false, true) => tests,
        (false, false) => tests.parent().map_or(here, Path::to_owned),
    };
    Ok(folder)
}

/// The root of a record, which must be of the project that was asked for. A record that was made elsewhere, like that of
/// a build on another machine, is taken for one of this project if it is named.
fn within(
    args: &FixArgs,
    record: &Record,
    root: &Root,
    path: &Path,
    command: &str,
) -> Result<PathBuf, Failure> {
    let is_of = match (record.root.canonicalize(), args.record.is_some()) {
        (Err(_), is_named) if is_named => return Ok(root.folder().to_owned()),
        (Ok(made_in), true) if record.runner == Runner::Pytest && root.holds(&made_in) => {
            return Ok(made_in);
        }
        (made_in, _) => made_in.is_ok_and(|made_in| made_in == root.folder()),
    };
    match is_of {
        true => Ok(root.folder().to_owned()),
        false => Err(Failure::input(
            format!(
                "{} is the record of another project, {:?}, and not of {}",
                path.display(),
                record.root,
                root.folder().display()
            ),
            format!("run fix there; or `{command}` here, which writes it anew"),
        )),
    }
}
