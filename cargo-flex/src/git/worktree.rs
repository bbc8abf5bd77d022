//! A worktree of our own, which holds one commit at a time, so that the checkout of the user is never touched.
//!
//! Worktrees lie in a folder of flex. Each has a fixed name, its *slot*, and is moved from commit to commit: builds find
//! files that have not changed as they were, and are quick.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flex_run::store::Lock;

use super::{Commit, Repository};
use crate::exit::Failure;
use crate::terminal;

/// A checkout of a commit, held as long as this lives.
#[derive(Debug)]
pub struct Worktree {
    /// Its folder.
    tree: Repository,
    commit: Commit,
    /// Others wait.
    _turn: Lock,
}

/// Hooks of the project are for its authors.
const WITHOUT_HOOKS: [&str; 2] = ["-c", "core.hooksPath=/dev/null"];

impl Worktree {
    /// Checks a commit out in the worktree with this name. It is made if there is none, and stays for the next time.
    pub fn at(
        repository: &Repository,
        base: &Path,
        slot: &str,
        commit: &Commit,
    ) -> Result<Self, Failure> {
        let cannot = |error: std::io::Error| {
            Failure::build(
                format!("cannot use {}: {error}", base.display()),
                "is there room, and may files be written there?",
            )
        };
        fs::create_dir_all(base).map_err(cannot)?;
        // It is nobody's business but ours, also in a folder that nobody ignores.
        let ignore = base.join(".gitignore");
        if !ignore.exists() {
            fs::write(&ignore, "*\n").map_err(cannot)?;
        }
        let folder = base.join(slot);
        let turn = Lock::of(&folder).map_err(cannot)?;
        let tree = Repository {
            top: folder.clone(),
        };
        if !is_worktree(&tree) {
            make(repository, &folder, commit)?;
        }
        let mut worktree = Worktree {
            tree,
            commit: commit.clone(),
            _turn: turn,
        };
        worktree.move_to(commit)?;
        Ok(worktree)
    }

    /// The folder of the checkout.
    pub fn folder(&self) -> &Path {
        self.tree.top()
    }

    /// The commit that is checked out.
    pub fn commit(&self) -> &Commit {
        &self.commit
    }

    /// Checks another commit out. Files that are the same in both are left alone, with what builds left there.
    pub fn move_to(&mut self, commit: &Commit) -> Result<(), Failure> {
        self.git(&["checkout", "--quiet", "--detach", "--force", commit.id()])
            .map_err(|why| {
                Failure::build(
                    format!("git cannot check out {commit}: {why}"),
                    format!(
                        "`git worktree remove --force {}` begins anew",
                        self.folder().display()
                    ),
                )
            })?;
        self.commit = commit.clone();
        self.with_submodules()
    }

    /// Runs git in the worktree; what it says instead of an answer is the error.
    pub(super) fn git<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Result<String, String> {
        let words = WITHOUT_HOOKS.iter().map(AsRef::as_ref);
        let words: Vec<&OsStr> = words.chain(arguments.iter().map(AsRef::as_ref)).collect();
        let said = self.tree.run(&words, b"")?;
        Ok(String::from_utf8_lossy(&said).into_owned())
    }

    /// Takes note that git has moved it.
    pub(super) fn was_moved(&mut self) -> Result<(), Failure> {
        self.commit = self.tree.head()?;
        self.with_submodules()
    }

    /// Whether a file is part of the commit.
    pub fn tracks(&self, file: &Path) -> bool {
        let arguments = ["ls-files", "--error-unmatch", "--"].map(OsStr::new);
        self.git(&[&arguments[..], &[file.as_os_str()]].concat())
            .is_ok()
    }

    /// Removes all that is not part of the commit: what was built for another one.
    pub fn clean(&self) -> Result<(), Failure> {
        let cannot = |why| Failure::build(why, "may its files be removed?");
        self.git(&["clean", "-ffdxq"]).map(|_| ()).map_err(cannot)
    }

    fn with_submodules(&self) -> Result<(), Failure> {
        if !self.folder().join(".gitmodules").exists() {
            return Ok(());
        }
        let arguments = [
            "submodule",
            "--quiet",
            "update",
            "--init",
            "--recursive",
            "--force",
        ];
        self.git(&arguments).map(|_| ()).map_err(|why| {
            Failure::build(
                format!("git cannot check out the submodules: {why}"),
                "they are cloned anew for old code: can they be reached?",
            )
        })
    }
}

impl Repository {
    /// A path of the checkout in another tree of the same repository.
    pub fn in_tree(&self, path: &Path, tree: &Path) -> Option<PathBuf> {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let top = self.top.canonicalize().unwrap_or_else(|_| self.top.clone());
        Some(tree.join(path.strip_prefix(top).ok()?))
    }
}

fn is_worktree(tree: &Repository) -> bool {
    let here = tree.top().canonicalize().ok();
    let found = || tree.line(&["rev-parse", "--show-toplevel"]).ok();
    let top = tree.top().join(".git").exists().then(found).flatten();
    top.is_some_and(|top| Path::new(&top).canonicalize().ok() == here)
}

fn make(repository: &Repository, folder: &Path, commit: &Commit) -> Result<(), Failure> {
    let cannot = |why: String| {
        Failure::build(
            format!("git cannot make a worktree in {}: {why}", folder.display()),
            "is the repository writable?",
        )
    };
    // What an earlier one left behind when its folder was deleted.
    repository
        .run(&["worktree", "prune"], b"")
        .map_err(cannot)?;
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let [c, hooks] = WITHOUT_HOOKS;
    let words = [
        c, hooks, "worktree", "add", "--quiet", "--detach", "--force",
    ]
    .map(OsStr::new);
    let words = [&words[..], &[folder.as_os_str(), OsStr::new(commit.id())]].concat();
    repository.run(&words, b"").map_err(cannot)?;
    let folder = folder.display();
    writeln!(
        terminal::notes(),
        "note: other versions are kept in {folder}"
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repository with a file that says 1, and then 2.
    fn repository() -> (tempfile::TempDir, Repository) {
        let folder = tempfile::tempdir().unwrap();
        let repository = Repository {
            top: folder.path().to_owned(),
        };
        let run = |arguments: &[&str]| {
            let who = ["-c", "user.name=a", "-c", "user.email=a@b"];
            repository
                .run(&[&who[..], arguments].concat(), b"")
                .unwrap();
        };
        run(&["init", "-q"]);
        for text in ["1", "2"] {
            fs::write(folder.path().join("a"), text).unwrap();
            run(&["add", "a"]);
            run(&["commit", "-q", "-m", text]);
        }
        (folder, repository)
    }

    #[test]
    fn commits_are_checked_out_and_the_users_files_stay() {
        let (folder, repository) = repository();
        fs::write(folder.path().join("a"), "not committed").unwrap();
        let base = folder.path().join("target/flex/base");
        let old = repository.commit("HEAD~1").unwrap();
        let mut tree = Worktree::at(&repository, &base, "old", &old).unwrap();
        let holds = |tree: &Worktree| fs::read_to_string(tree.folder().join("a")).unwrap();
        assert_eq!(holds(&tree), "1");
        // What somebody changed there is not what the commit holds.
        fs::write(tree.folder().join("a"), "3").unwrap();
        tree.move_to(&repository.commit("HEAD").unwrap()).unwrap();
        assert_eq!(holds(&tree), "2");
        drop(tree);
        let again = Worktree::at(&repository, &base, "old", &old).unwrap();
        assert_eq!(holds(&again), "1");
        drop(again);
        // A folder that was deleted is made anew.
        fs::remove_dir_all(&base).unwrap();
        let anew = Worktree::at(&repository, &base, "old", &old).unwrap();
        assert_eq!(holds(&anew), "1");
        assert!(anew.tracks(&anew.folder().join("a")) && !anew.tracks(&anew.folder().join("b")));
        let mine = fs::read_to_string(folder.path().join("a")).unwrap();
        assert_eq!(mine, "not committed");
        let status = repository.line(&["status", "--porcelain"]).unwrap();
        assert_eq!(status.to_string_lossy().trim(), "M a");
    }

    #[test]
    fn paths_have_a_place_in_another_tree() {
        let (folder, repository) = repository();
        let found = repository.in_tree(&folder.path().join("a"), Path::new("/t"));
        assert_eq!(found.unwrap(), Path::new("/t/a"));
        assert_eq!(repository.in_tree(Path::new("/"), Path::new("/t")), None);
    }
}
