//! A bounds file with the tests that it is of, and where these are: in a package of cargo, or with pytest.

use std::fmt;
use std::path::{Path, PathBuf};

use flex_bounds::config::Quarantine;
use flex_bounds::file::BoundsFile;
use flex_core::words::quoted;
use flex_run::project::config::Project;
use flex_run::project::date::today;
use flex_run::project::env;
use flex_run::store::Store;

use crate::called;
use crate::cargo::Package;
use crate::exit::Failure;
use crate::pytest::store_above;

/// The tests that share a bounds file, and a budget if they have one.
pub struct Suite {
    /// What people call it: the package, or the folder of the tests of pytest.
    pub name: String,
    /// The package, if it is one of cargo.
    pub package: Option<String>,
    /// Its bounds file.
    pub file: String,
    /// What it asks of its tests.
    pub project: Project,
    /// The variant of this machine, if it has one.
    pub variant: Option<String>,
    /// What it learned.
    pub bounds: BoundsFile,
    /// The command that learns all of it anew.
    pub calibrate: String,
}

impl Suite {
    /// The suite of a package, if it has learned anything or has tests in quarantine.
    pub fn of_package(package: Package) -> Result<Option<Self>, Failure> {
        let project = Project::of_package(&package.folder).map_err(unreadable)?;
        let suite = Suite {
            calibrate: format!("{} calibrate -p {}", called::name(), package.name),
            ..Self::read(&package.store(), project, package.name.clone())?
        };
        let is_known = !suite.bounds.entries().is_empty() || suite.quarantines().next().is_some();
        Ok(is_known.then_some(Suite {
            package: Some(package.name),
            ..suite
        }))
    }

    /// The suite of the tests of pytest that lie here. Whoever has tests in quarantine may have learned nothing yet: then
    /// the bounds file is where the first calibration would write it, beside `flex.toml`.
    pub fn of_pytest(path: &Path) -> Result<Self, Failure> {
        let store = match store_above(path) {
            Ok(store) => store,
            Err(none) => in_quarantine_only(path)?.ok_or(none)?,
        };
        let folder = store.path().parent().unwrap_or(Path::new("."));
        let project = Project::of_folder(folder).map_err(unreadable)?;
        // Of `tests/..` nothing else tells the name.
        let whole = folder.canonicalize().unwrap_or(folder.to_owned());
        let name = whole.file_name().unwrap_or_default();
        // All tests of the file share its budget, whichever were named.
        let all = quoted(&from_here(&whole).display().to_string());
        Ok(Suite {
            calibrate: format!("{} calibrate --pytest {all}", called::name()),
            ..Self::read(&store, project, name.to_string_lossy().into_owned())?
        })
    }

    fn read(store: &Store, project: Project, name: String) -> Result<Self, Failure> {
        let stated = env::variant().map_err(unreadable)?;
        Ok(Suite {
            name,
            package: None,
            file: store.path().display().to_string(),
            variant: stated.or_else(|| project.variant().map(str::to_owned)),
            project,
            bounds: store.read().map_err(unreadable)?,
            calibrate: String::new(),
        })
    }

    /// What `flex.toml` puts in quarantine: a path, until when, and whether that still holds.
    pub fn quarantines(&self) -> impl Iterator<Item = (String, &Quarantine, bool)> {
        quarantines(&self.project)
    }
}

/// Where the bounds of tests would be whose `flex.toml` puts some in quarantine.
fn in_quarantine_only(path: &Path) -> Result<Option<Store>, Failure> {
    let start = std::path::absolute(path)?;
    // A path can be a file, or the id of a test in one.
    let Some(folder) = start.ancestors().find(|folder| folder.is_dir()) else {
        return Ok(None);
    };
    let project = Project::of_folder(folder).map_err(unreadable)?;
    let has_some = quarantines(&project).next().is_some();
    let beside = project.path.as_deref().and_then(Path::parent);
    let file = beside.filter(|_| has_some).map(env::bounds_file_in);
    Ok(file.map(Store::at))
}

fn quarantines(project: &Project) -> impl Iterator<Item = (String, &Quarantine, bool)> {
    let today = today();
    project.config.tests.iter().filter_map(move |rule| {
        let quarantine = rule.quarantine.as_ref()?;
        Some((
            rule.path.to_string(),
            quarantine,
            quarantine.holds_on(&today),
        ))
    })
}

/// A folder, as whoever stands here would name it.
fn from_here(folder: &Path) -> PathBuf {
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    let here = here.unwrap_or_default();
    match folder.strip_prefix(here) {
        Ok(inside) if inside.as_os_str().is_empty() => PathBuf::from("."),
        Ok(inside) => inside.to_owned(),
        Err(_) => folder.to_owned(),
    }
}

fn unreadable(error: impl fmt::Display) -> Failure {
    Failure::input(error, "mend it first")
}
