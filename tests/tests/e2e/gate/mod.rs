//! `flex-harness gate` on real repositories.

mod check;
mod diff;
mod history;
mod select;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use flex_tests::{Said, program, run};
use tempfile::TempDir;

/// A library whose values are drawn by the system, and one that a change moves.
pub const DRAWS: &str = "
/// Draws from what the operating system gives.
pub fn draw() -> f64 {
    rand::random::<f64>()
}

pub fn shifted(u: f64) -> f64 {
    u
}
";

/// Tests of [`DRAWS`], whose crate they have yet to use: of its moved value, a flaky one, and one that is none yet.
pub const TESTS_OF_DRAWS: &str = r#"
use flex_harness::{TestRng, assert_tail_bound, stochastic_test};
use rand::RngExt;

#[stochastic_test]
fn moves(rng: &mut TestRng) {
    let error = shifted(rng.random::<f64>());
    assert_tail_bound!(error < 20.0);
}

#[test]
fn old() {
    assert!(draw() < 0.7);
}

#[test]
fn fresh() {
    assert!(draw() < 2.0);
}
"#;

/// A repository in a temporary folder, whose default branch is `main`.
pub struct Repository {
    folder: TempDir,
}

impl Repository {
    /// A repository with these files in its first commit.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let repository = Repository {
            folder: tempfile::tempdir().expect("there is room for a folder"),
        };
        repository.git(&["init", "-q", "-b", "main"]);
        repository.git(&["config", "user.name", "tests"]);
        repository.git(&["config", "user.email", "tests@localhost"]);
        for (path, text) in files {
            repository.write(path, text);
        }
        repository.commit("begin");
        repository
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    }

    pub fn git(&self, args: &[&str]) -> String {
        let said = run(self.command("git").args(args), "");
        assert_eq!(said.code, 0, "git {args:?}: {said}");
        said.out.trim().to_owned()
    }

    /// Commits everything.
    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--no-gpg-sign", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Runs `flex-harness gate` in it.
    pub fn gate(&self, args: &[&str]) -> Said {
        let mut command = self.command(&program("flex-harness").to_string_lossy());
        run(command.arg("gate").args(args), "")
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(name);
        command.current_dir(self.folder.path());
        for name in [
            "GITHUB_BASE_REF",
            "GITHUB_ACTIONS",
            "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
        ] {
            command.env_remove(name);
        }
        command
    }
}
