//! The old version: a commit in a worktree of ours, built or made importable the same way as the checkout.

use std::fs;
use std::path::{Path, PathBuf};

use flex_core::seed::{Phase, Seeds};

use crate::cargo::{
    CargoArgs, Elsewhere, Program, Workspace, build_elsewhere, flex_folder, workspace_root,
};
use crate::exit::Failure;
use crate::git::{Repository, Worktree};
use crate::pytest::environment::{self, Environment};
use crate::pytest::in_caches;

/// The folder for other versions of a repository, in the folder that flex has: projects can share a target folder.
fn base_in(flex: &Path, repository: &Repository) -> PathBuf {
    let top = repository.top().to_string_lossy();
    let [a, b, c, d, ..] = Seeds::new(&top, Phase::Detect, "", "").run(0);
    flex.join("base")
        .join(format!("{a:02x}{b:02x}{c:02x}{d:02x}"))
}

/// The worktree of the old version, for whoever has only one: `compare` and the gate build it once for both.
pub const OLD: &str = "old";

/// Where versions of a cargo workspace are kept, and its last comparison: the folder that flex has for it.
pub fn folder_of_cargo(args: &CargoArgs) -> Result<PathBuf, Failure> {
    let workspace = Workspace::of(args.manifest_path())?;
    let target = match args.target_dir() {
        Some(target) => std::path::absolute(target)?,
        None => workspace.target,
    };
    Ok(flex_folder(&target, &workspace.root))
}

/// Builds the tests of the commit in a worktree, with the same options, compiler and environment as those of the checkout.
/// Each worktree has a target folder of its own: cargo tells versions of a package apart by names alone, and would take one
/// for the other.
pub fn base_of_cargo(
    args: &CargoArgs,
    repository: &Repository,
    flex: &Path,
    worktree: &Worktree,
) -> Result<Vec<Program>, Failure> {
    let here = std::env::current_dir()?;
    let tree = worktree.folder();
    let at = |path: &Path| {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let found = repository.in_tree(&path, tree);
        found.filter(|found| found.exists()).ok_or_else(|| {
            let commit = worktree.commit();
            Failure::build(
                format!("{} is not there in {commit}", path.display()),
                "compare with a commit that has the package, from a folder that it has",
            )
        })
    };
    let manifest = args.manifest_path().map(at).transpose()?;
    let folder = match (&manifest, at(&here)) {
        (_, Ok(folder)) => folder,
        (Some(manifest), Err(_)) => manifest.parent().unwrap_or(tree).to_owned(),
        (None, Err(error)) => return Err(error),
    };
    lend_lock_file(args, repository, worktree)?;
    let slot = tree.file_name().unwrap_or_default().to_string_lossy();
    let target = base_in(flex, repository).join(format!("{slot}-target"));
    let elsewhere = Elsewhere {
        folder,
        manifest,
        target: target.clone(),
    };
    let programs = build_elsewhere(args, &elsewhere).map_err(|failure| {
        failure.with_hint(
            "the old version must build as the new one does; a dependency by a path outside of the repository cannot be \
             found from its worktree",
        )
    })?;
    // To compare a program with itself would be worse than not to compare.
    let is_elsewhere = |program: &&Program| !program.program.exe.starts_with(&target);
    match programs.iter().find(is_elsewhere) {
        Some(program) => Err(Failure::build(
            format!(
                "cargo builds old code into {}",
                program.program.exe.display()
            ),
            "leave `build.build-dir` out of cargo's configuration, so that versions do not overwrite each other",
        )),
        None => Ok(programs),
    }
}

/// A project that does not commit its lock file is built with the dependencies of the checkout.
fn lend_lock_file(
    args: &CargoArgs,
    repository: &Repository,
    worktree: &Worktree,
) -> Result<(), Failure> {
    let mine = workspace_root(args.manifest_path())?.join("Cargo.lock");
    if let Some(theirs) = repository.in_tree(&mine, worktree.folder())
        && mine.exists()
        && theirs.parent().is_some_and(Path::exists)
        && !worktree.tracks(&theirs)
    {
        fs::copy(&mine, &theirs)?;
    }
    Ok(())
}

/// Where versions of a pytest project are kept: in a cache of pytest at or above the tests, else in one of the repository.
pub fn folder_of_pytest(tests: &Path, repository: &Repository) -> PathBuf {
    let caches = in_caches(tests, ".pytest_cache");
    let top = repository.top();
    let known = caches
        .into_iter()
        .find(|cache| cache.is_dir() && cache.starts_with(top));
    known
        .unwrap_or_else(|| top.join(".pytest_cache"))
        .join("d/flex")
}

/// Makes the commit in a worktree importable: the same interpreter and packages, the project's own from the worktree.
pub fn base_of_pytest(
    repository: &Repository,
    flex: &Path,
    worktree: &Worktree,
) -> Result<Environment, Failure> {
    environment::of_tree(repository, &base_in(flex, repository), worktree)
}

/// Checks a commit out in the worktree with this name.
pub fn check_out(
    repository: &Repository,
    flex: &Path,
    slot: &str,
    rev: &str,
) -> Result<Worktree, Failure> {
    let commit = repository.commit(rev)?;
    Worktree::at(repository, &base_in(flex, repository), slot, &commit)
}
