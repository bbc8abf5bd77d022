//! Histories of small projects whose answers are known: which tests each commit affects, which it makes flaky, and of which
//! stochastic tests it moves the values.
//!
//! A test is affected if it executes something that changed, is new or changed itself, or is governed by a file that did.

mod python;
mod rust;

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

pub use python::PYTHON;
pub use rust::RUST;

/// A project and what became of it.
#[derive(Debug)]
pub struct History {
    /// The files of the first commit; `{flex}` stands for the folder of flex.
    pub begin: &'static [(&'static str, &'static str)],
    /// The tests of the first commit.
    pub tests: &'static [KnownTest],
    /// The commits that follow.
    pub steps: &'static [Step],
}

/// A test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownTest {
    /// The file that it is in; for Rust that which its program begins with.
    pub file: &'static str,
    /// Its function, by which answers name it.
    pub function: &'static str,
    /// Whether it has bounds.
    pub is_stochastic: bool,
}

/// A commit.
#[derive(Debug)]
pub struct Step {
    /// What it says.
    pub message: &'static str,
    /// What it changes.
    pub edits: &'static [Edit],
    /// The functions of the tests that it affects.
    pub affected: Affected,
    /// Those that it makes flaky.
    pub flaky: &'static [&'static str],
    /// The stochastic ones whose values are others from then on.
    pub moves: &'static [&'static str],
    /// The tests that it adds.
    pub adds: &'static [KnownTest],
}

/// The tests that a commit affects.
#[derive(Debug)]
pub enum Affected {
    /// All that there are.
    All,
    /// Those with these functions.
    These(&'static [&'static str]),
}

/// A change of a file.
#[derive(Debug)]
pub enum Edit {
    /// A text in a file, and what stands there afterwards.
    Replace(&'static str, &'static str, &'static str),
    /// A new file.
    Write(&'static str, &'static str),
    /// A file, and its new name.
    Rename(&'static str, &'static str),
}

impl Step {
    /// A commit that affects these tests, makes none flaky and moves no values.
    const fn new(
        message: &'static str,
        edits: &'static [Edit],
        affected: &'static [&'static str],
    ) -> Self {
        Step {
            message,
            edits,
            affected: Affected::These(affected),
            flaky: &[],
            moves: &[],
            adds: &[],
        }
    }

    const fn moves(self, moves: &'static [&'static str]) -> Self {
        Step { moves, ..self }
    }

    const fn flaky(self, flaky: &'static [&'static str]) -> Self {
        Step { flaky, ..self }
    }

    const fn adds(self, adds: &'static [KnownTest]) -> Self {
        Step { adds, ..self }
    }

    const fn of_all(message: &'static str, edits: &'static [Edit]) -> Self {
        Step {
            affected: Affected::All,
            ..Step::new(message, edits, &[])
        }
    }

    /// Whether it affects a test.
    pub fn affects(&self, function: &str) -> bool {
        match self.affected {
            Affected::All => true,
            Affected::These(tests) => tests.contains(&function),
        }
    }
}

const fn test(file: &'static str, function: &'static str) -> KnownTest {
    KnownTest {
        file,
        function,
        is_stochastic: false,
    }
}

const fn stochastic(file: &'static str, function: &'static str) -> KnownTest {
    KnownTest {
        file,
        function,
        is_stochastic: true,
    }
}

impl History {
    /// The tests that are there after so many commits, the first not counted.
    pub fn tests_after(&self, commits: usize) -> Vec<KnownTest> {
        let added = self.steps[..commits].iter().flat_map(|step| step.adds);
        self.tests.iter().chain(added).copied().collect()
    }

    /// Makes a repository with the first commit in a folder that is there.
    pub fn begin_in(&self, folder: &Path, flex: &Path) -> io::Result<()> {
        git(folder, &["init", "-q", "-b", "main"])?;
        for (file, text) in self.begin {
            write(
                folder,
                file,
                &text.replace("{flex}", &flex.display().to_string()),
            )?;
        }
        commit(folder, "begin")
    }
}

impl Step {
    /// Makes the commit.
    pub fn commit_in(&self, folder: &Path) -> io::Result<()> {
        for edit in self.edits {
            match edit {
                Edit::Replace(file, from, to) => {
                    let text = fs::read_to_string(folder.join(file))?;
                    if text.matches(from).count() != 1 {
                        let words = format!("{}: {file} does not hold `{from}` once", self.message);
                        return Err(io::Error::other(words));
                    }
                    write(folder, file, &text.replace(from, to))?;
                }
                Edit::Write(file, text) => write(folder, file, text)?,
                Edit::Rename(from, to) => fs::rename(folder.join(from), folder.join(to))?,
            }
        }
        commit(folder, self.message)
    }
}

fn write(folder: &Path, file: &str, text: &str) -> io::Result<()> {
    let path = folder.join(file);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(path, text)
}

/// Commits all that there is.
pub fn commit(folder: &Path, message: &str) -> io::Result<()> {
    git(folder, &["add", "-A"])?;
    git(
        folder,
        &[
            "commit",
            "-q",
            "--no-verify",
            "--allow-empty",
            "-m",
            message,
        ],
    )
}

/// Runs git as somebody.
pub fn git(folder: &Path, words: &[&str]) -> io::Result<()> {
    let who = [
        "user.name=tests",
        "user.email=tests@localhost",
        "commit.gpgsign=false",
    ];
    let mut command = Command::new("git");
    for setting in who {
        command.args(["-c", setting]);
    }
    let output = command.args(words).current_dir(folder).output()?;
    match output.status.success() {
        true => Ok(()),
        false => {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            Err(io::Error::other(format!("git {words:?}: {said}")))
        }
    }
}
