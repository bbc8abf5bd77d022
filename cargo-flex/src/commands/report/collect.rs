//! What a report is made from, read from disk: bounds files, samples, the last search and the last comparison.

use std::fmt;
use std::path::{Path, PathBuf};

use flex_bounds::file::BoundsFile;
use flex_report::{KeptFiles, Report, Sources, SuiteFacts};
use flex_run::calibrate::pending_store;
use flex_run::kept::Kept;
use flex_run::model::Runner;
use flex_run::project::commits::checked_out;
use flex_run::project::config::Project;
use flex_run::project::date::now;
use flex_run::project::env;
use flex_run::store::Store;
use flex_run::text_file;

use super::args::ReportArgs;
use crate::called;
use crate::cargo::{Workspace, flex_folder};
use crate::exit::Failure;
use crate::pytest::{FLEX_CACHE, in_caches, store_above};

/// The report, and where its page lies.
pub struct CollectedReport {
    pub report: Report,
    /// The folder that flex has.
    pub flex: PathBuf,
}

impl CollectedReport {
    /// Reads all that is asked for: cargo packages, the tests of pytest, or both.
    pub fn of(args: &ReportArgs) -> Result<Self, Failure> {
        let names_cargo = args.manifest_path.is_some() || !args.package.is_empty();
        let Some(path) = &args.pytest else {
            return Self::of_cargo(args);
        };
        let pytest = Self::of_pytest(path)?;
        if !names_cargo && !is_in_cargo_package() {
            return Ok(pytest);
        }
        let cargo = Self::of_cargo(args)?;
        Ok(CollectedReport {
            report: cargo.report.beside(pytest.report),
            flex: cargo.flex,
        })
    }

    fn of_cargo(args: &ReportArgs) -> Result<Self, Failure> {
        let manifest = args.manifest_path.as_deref();
        let workspace = Workspace::of(manifest)?;
        let (target, root) = (workspace.target.clone(), workspace.root.clone());
        let flex = flex_folder(&target, &root);
        let mut suites = Vec::new();
        for package in workspace.named(&args.package)? {
            let project = Project::of_package(&package.folder).map_err(unreadable)?;
            let facts = Facts {
                name: package.name.clone(),
                package: Some(package.name.clone()),
                runner: Runner::Cargo,
                review: format!("{} review -p {}", called::name(), package.name),
                fix: format!("{} fix", called::name()),
                root: root.clone(),
            };
            suites.push(facts.with(&package.store(), &project)?);
        }
        let folder = manifest.and_then(Path::parent).unwrap_or(Path::new("."));
        // Tests keep samples themselves, who know no workspace.
        let sources = sources(&target.join("flex"), &flex, folder);
        Ok(CollectedReport {
            report: Report::build(&suites, &sources, now()),
            flex,
        })
    }

    fn of_pytest(path: &Path) -> Result<Self, Failure> {
        // Whoever only searched has no bounds yet.
        let cache = in_caches(path, FLEX_CACHE).into_iter();
        let searched = cache.filter(|cache| cache.is_dir()).find_map(|cache| {
            let folder = cache.ancestors().nth(3)?;
            Some(Store::at(env::bounds_file_in(folder)))
        });
        let store = store_above(path).or_else(|failure| searched.ok_or(failure))?;
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
        let suite = facts.with(&store, &project)?;
        Ok(CollectedReport {
            report: Report::build(&[suite], &sources(&flex, &flex, folder), now()),
            flex,
        })
    }
}

/// Whether cargo would find a manifest from here.
fn is_in_cargo_package() -> bool {
    let here = std::env::current_dir().unwrap_or_default();
    here.ancestors()
        .any(|folder| folder.join("Cargo.toml").is_file())
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

/// What runs left: samples in one folder, what commands wrote in that of flex; of a project in another.
fn sources(samples: &Path, flex: &Path, folder: &Path) -> Sources {
    let text = |name: &str| {
        let path = flex.join(name);
        let text = text_file::read_text(&path).map_err(|error| error.to_string());
        (path, text.transpose())
    };
    Sources {
        commits: checked_out(folder),
        ..Sources::read(
            KeptFiles::read(Kept::within(samples).texts()),
            text("detect.json"),
            text("compare.json"),
        )
    }
}

fn unreadable(error: impl fmt::Display) -> Failure {
    Failure::input(error, "mend it first")
}
