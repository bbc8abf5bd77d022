//! Everything that is asked of git, as a program: revisions, what differs between them, and the texts of files.
//!
//! Names of revisions come from people and from servers; none can be taken for an option. Paths are bytes.

mod bisection;
mod diff;
mod revision;
mod worktree;

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::exit::Failure;
pub use bisection::{Bisection, BisectionAnswer, Next};
pub use diff::{DiffedFile, FileText};
pub use revision::Commit;
pub use worktree::Worktree;

/// A repository, with the files that are checked out.
#[derive(Debug, Clone)]
pub struct Repository {
    /// The folder of its files.
    top: PathBuf,
}

impl Repository {
    /// The repository of a folder.
    pub fn of(folder: &Path) -> Result<Self, Failure> {
        let here = Repository {
            top: folder.to_owned(),
        };
        let top = here
            .line(&["rev-parse", "--show-toplevel"])
            .map_err(|why| {
                Failure::input(
                    format!("{} is in no git repository: {why}", folder.display()),
                    "run it in a repository with the files checked out",
                )
            })?;
        Ok(Repository { top: top.into() })
    }

    /// The folder of its files.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// The files of the repository, also those that git does not know yet, from its top.
    pub fn files(&self) -> Result<Vec<PathBuf>, Failure> {
        let words = [
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ];
        let output = self
            .run(&words, b"")
            .map_err(|why| Failure::input(format!("git ls-files: {why}"), "see what git says"))?;
        let paths = output
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty());
        let mut paths: Vec<PathBuf> = paths.map(|path| os_string(path).into()).collect();
        paths.sort();
        paths.dedup();
        Ok(paths)
    }

    /// Runs git and returns what it prints; what it says instead is the error.
    fn run<S: AsRef<OsStr>>(&self, args: &[S], input: &[u8]) -> Result<Vec<u8>, String> {
        let mut child = Command::new("git")
            .arg("-C")
            .arg(&self.top)
            // A repository may name a program that watches its files; nothing of it is run.
            .args(["-c", "core.fsmonitor=false"])
            .args(args)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("LC_ALL", "C")
            // Whoever calls us from a hook has set these for the folder of the user.
            .env_remove("GIT_DIR")
            .env_remove("GIT_WORK_TREE")
            .env_remove("GIT_INDEX_FILE")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot run git: {error}"))?;
        let mut stdin = child.stdin.take();
        let output = std::thread::scope(|scope| {
            scope.spawn(move || {
                // Git says itself what it misses.
                let _ = stdin.take().map(|mut stdin| stdin.write_all(input));
            });
            child.wait_with_output()
        });
        let output = output.map_err(|error| format!("cannot run git: {error}"))?;
        match output.status.success() {
            true => Ok(output.stdout),
            false => {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                let first = said.lines().next().unwrap_or("git failed");
                Err(first.trim_start_matches("fatal: ").to_owned())
            }
        }
    }

    /// The first line that git prints.
    fn line<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<OsString, String> {
        let bytes = self.run(args, b"")?;
        let line = bytes.split(|byte| *byte == b'\n').next();
        Ok(os_string(line.unwrap_or_default()))
    }
}

/// Bytes of a path, as the system has them.
#[cfg(unix)]
fn os_string(bytes: &[u8]) -> OsString {
    let text: &OsStr = std::os::unix::ffi::OsStrExt::from_bytes(bytes);
    text.to_owned()
}

#[cfg(not(unix))]
fn os_string(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}
