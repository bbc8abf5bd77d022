//! What a report is made from, read from disk: bounds files, samples, the last search and the last comparison.

use std::fmt;
use std::path::{Path, PathBuf};

use flex_bounds::file::BoundsFile;
use flex_report::{KeptRuns, Sources, SuiteFacts};
use flex_run::calibrate::pending_store;
use flex_run::kept::Kept;
use flex_run::model::Runner;
use flex_run::project::config::Project;
use flex_run::project::env;
use flex_run::store::Store;
use flex_run::text_file;

use super::args::ReportArgs;
use crate::called;
use crate::cargo::{named_packages, target_folder, workspace_root};
use crate::exit::Failure;
use crate::git::Repository;
use crate::pytest::{FLEX_CACHE, store_above};

/// What a report is made from.
pub struct Collected {
    pub suites: Vec<SuiteFacts>,
    pub sources: Sources,
    /// The folder that flex has.
    pub flex: PathBuf,
}

impl Collected {
    /// Reads all that is asked for.
    pub fn of(args: &ReportArgs) -> Result<Self, Failure> {
        match &args.pytest {
            Some(path) => Self::of_pytest(path),
            None => Self::of_cargo(args),
        }
    }

    fn of_cargo(args: &ReportArgs) -> Result<Self, Failure> {
        let manifest = args.manifest_path.as_deref();
        let flex = target_folder(manifest)?.join("flex");
        let mut suites = Vec::new();
        for package in named_packages(manifest, &args.package)? {
            let project = Project::of_package(&package.folder).map_err(unreadable)?;
            let facts = Facts {
                name: package.name.clone(),
                package: Some(package.name.clone()),
                runner: Runner::Cargo,
                review: format!("{} review -p {}", called::name(), package.name),
                fix: format!("{} fix", called::name()),
                root: workspace_root(manifest)?,
            };
            suites.push(facts.with(&package.store(), &project)?);
        }
        let folder = manifest.and_then(Path::parent).unwrap_or(Path::new("."));
        let sources = sources(&flex, folder);
        Ok(Collected {
            suites,
            sources,
            flex,
        })
    }

    fn of_pytest(path: &Path) -> Result<Self, Failure> {
        let store = store_above(path)?;
        let folder = store.path().parent().unwrap_or(Path::new("."));
        let project = Project::of_folder(folder).map_err(unreadable)?;
        let name = folder.file_name().unwrap_or_default();
        let where_to = flex_core::words::quoted(&path.display().to_string());
        let facts = Facts {
            name: name.to_string_lossy().into_owned(),
            package: None,
            runner: Runner::Pytest,
            review: format!("{} review --pytest {where_to}", called::name()),
            fix: format!("{} fix --pytest {where_to}", called::name()),
            root: folder.to_owned(),
        };
        let flex = folder.join(FLEX_CACHE);
        Ok(Collected {
            suites: vec![facts.with(&store, &project)?],
            sources: sources(&flex, folder),
            flex,
        })
    }
}

/// What is known of a suite before anything is read.
struct Facts {
    name: String,
    package: Option<String>,
    runner: Runner,
    review: String,
    fix: String,
    /// Where the reader stands, who need not know where that is.
    root: PathBuf,
}

impl Facts {
    fn with(self, store: &Store, project: &Project) -> Result<SuiteFacts, Failure> {
        let read =
            |store: &Store| -> Result<BoundsFile, Failure> { store.read().map_err(unreadable) };
        let stated = env::variant().map_err(unreadable)?;
        Ok(SuiteFacts {
            name: self.name,
            package: self.package,
            runner: self.runner,
            bounds_file: named(store.path(), &self.root),
            bounds: read(store)?,
            pending: read(&pending_store(store))?,
            variant: stated.or_else(|| project.variant().map(str::to_owned)),
            budget: project.config.false_alarms,
            review: self.review,
            fix: self.fix,
        })
    }
}

/// A file, from a folder that holds it.
fn named(path: &Path, root: &Path) -> String {
    path.strip_prefix(root)
        .unwrap_or(path)
        .display()
        .to_string()
}

/// What runs left in the folder that flex has, of a project in another.
fn sources(flex: &Path, folder: &Path) -> Sources {
    let text = |name: &str| {
        let path = flex.join(name);
        let text = text_file::read_text(&path).map_err(|error| error.to_string());
        (path, text.transpose())
    };
    let commits = Repository::of(folder).map(|repository| repository.checked_out());
    Sources {
        commits: commits.unwrap_or_default(),
        ..Sources::read(
            KeptRuns::read(Kept::within(flex).texts()),
            text("detect.json"),
            text("compare.json"),
        )
    }
}

fn unreadable(error: impl fmt::Display) -> Failure {
    Failure::input(error, "mend it first")
}
