//! A cargo project of its own, as a user of flex has one: made, built, calibrated and broken by a test.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::folders::{clear, program_folder, root, target};
use crate::{Said, run};

/// A package in a folder of its own. All projects share a target folder, so their names must differ; tests that need the
/// same package give it the same name and have it one after the other, so that it is built once.
#[derive(Debug)]
pub struct Project {
    name: String,
    folder: PathBuf,
    /// No other test has a project of this name meanwhile.
    _turn: MutexGuard<'static, ()>,
}

/// The code under test in every project: a value that is normal to the eye, with mean `shift` and standard deviation 1.
pub const NORMAL: &str = r#"
use flex_harness::TestRng;
use rand::RngExt;

pub fn normal(rng: &mut TestRng, shift: f64) -> f64 {
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0 + shift
}

/// A number that the environment sets, to break the code without building it again.
pub fn knob(name: &str) -> f64 {
    std::env::var(name).map_or(0.0, |text| text.parse().unwrap())
}
"#;

/// A test of that code, which moves as `SHIFT` says: `normal` and `knob` are its crate's.
pub const MOVES: &str = r#"
#[stochastic_test]
fn moves(rng: &mut TestRng) {
    let error = normal(rng, knob("SHIFT"));
    assert_tail_bound!(error < _);
}
"#;

impl Project {
    /// A package with these files and no others. Its manifest has `flex-harness` and `rand`, and what `manifest` adds.
    /// Packages among the files are members of its workspace.
    pub fn new(name: &str, manifest: &str, files: &[(&str, &str)]) -> Self {
        let turn = turn(name);
        let project = Project {
            name: name.to_owned(),
            folder: target().join("e2e-projects").join(name),
            _turn: turn,
        };
        let members: Vec<&str> = files
            .iter()
            .filter_map(|(path, _)| path.strip_suffix("/Cargo.toml"))
            .collect();
        let root = root();
        let harness = root.join("flex-harness");
        let manifest = format!(
            "[package]\nname = {name:?}\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
             [dependencies]\nflex-harness = {{ path = {harness:?}, features = [\"main\"] }}\nrand = \"0.10\"\n\n\
             [workspace]\nmembers = {members:?}\n\n\
             [profile.dev]\ndebug = false\nincremental = false\n\n\
             [profile.release]\nopt-level = 0\n\n{manifest}"
        );
        // The same versions as ours: nothing is looked up, and nothing is built twice.
        let lock = fs::read_to_string(root.join("Cargo.lock")).expect("we have a lock file");
        let own = [
            ("Cargo.toml", manifest.as_str()),
            ("Cargo.lock", lock.as_str()),
        ];
        let files = [&own, files].concat();
        // What earlier tests left.
        clear(&project.folder, &|path| {
            files.iter().any(|(file, _)| project.path(file) == path)
        });
        for (path, text) in files {
            // What is the same is left alone, or cargo would compile it again.
            if !fs::read_to_string(project.path(path)).is_ok_and(|old| old == text) {
                project.write(path, text);
            }
        }
        project
    }

    /// The path of a file.
    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    /// Writes a file.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        let folder = path.parent().expect("a file is in a folder");
        fs::create_dir_all(folder).expect("the target folder can be written");
        fs::write(path, text).expect("the target folder can be written");
    }

    /// The text of a file.
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Replaces a text in a file, wherever it stands.
    pub fn replace(&self, path: &str, from: &str, to: &str) {
        let text = self.read(path);
        assert!(text.contains(from), "{path} does not hold `{from}`");
        self.write(path, &text.replace(from, to));
    }

    /// The bounds file; empty if there is none.
    pub fn bounds(&self) -> String {
        fs::read_to_string(self.path("flex-bounds.toml")).unwrap_or_default()
    }

    /// The bounds file without its dates, which differ for those who calibrate at midnight.
    pub fn undated_bounds(&self) -> String {
        let bounds = self.bounds();
        let lines = bounds.split_inclusive('\n');
        lines
            .filter(|line| !line.starts_with("calibrated = "))
            .collect()
    }

    /// The entries of one test in the bounds file, as text.
    pub fn entries(&self, test: &str) -> Vec<String> {
        let bounds = self.bounds();
        let entries = bounds.split("[[bound]]").skip(1);
        let is_of_test = |entry: &&str| entry.contains(&format!("\ntest = {test:?}\n"));
        entries.filter(is_of_test).map(str::to_owned).collect()
    }

    /// Forgets what was learned.
    pub fn forget(&self) {
        let _ = fs::remove_file(self.path("flex-bounds.toml"));
    }

    /// A command in the folder of the project, with nothing in its environment of the test that runs it.
    pub fn command(&self, program: &str, env: &[(&str, &str)]) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os() {
            let name_text = name.to_string_lossy();
            let is_ours = |prefix: &&str| name_text.starts_with(*prefix);
            let set_by_runners = [
                "FLEX_",
                "GITHUB_",
                "NEXTEST",
                "RUST_TEST_",
                "RUST_BACKTRACE",
                "CARGO_MANIFEST",
                "CARGO_PKG_",
                "CARGO_BIN_",
                "CARGO_CRATE_NAME",
                "CARGO_PRIMARY_PACKAGE",
                "CARGO_TARGET_",
                "CARGO_TERM_",
            ];
            if set_by_runners.iter().any(is_ours) || name_text == "CARGO" {
                command.env_remove(&name);
            }
        }
        let programs = program_folder();
        let known = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(programs).chain(std::env::split_paths(&known));
        command
            .current_dir(&self.folder)
            .env(
                "PATH",
                std::env::join_paths(paths).expect("paths can be joined"),
            )
            .env("CARGO_TARGET_DIR", target().join("e2e"))
            .env("CARGO_TERM_COLOR", "never")
            .env("CARGO_NET_OFFLINE", "true")
            .envs(env.iter().copied());
        command
    }

    /// Runs cargo.
    pub fn cargo(&self, args: &[&str], env: &[(&str, &str)]) -> Said {
        run(self.command("cargo", env).args(args), "")
    }

    /// Runs a line of a shell, as a user pastes it.
    pub fn shell(&self, line: &str) -> Said {
        run(self.command("sh", &[]).args(["-c", line]), "")
    }

    /// What git says to this.
    pub fn git(&self, words: &[&str]) -> String {
        let settings = [
            "user.name=tests",
            "user.email=tests@localhost",
            "commit.gpgsign=false",
        ];
        let settings = settings.iter().flat_map(|setting| ["-c", setting]);
        let said = run(self.command("git", &[]).args(settings).args(words), "");
        assert_eq!(said.code, 0, "git {words:?}: {said}");
        said.out
    }

    /// Makes a repository of the project, with all files in its first commit.
    pub fn begin_history(&self) {
        let _ = fs::remove_dir_all(self.path(".git"));
        self.git(&["init", "-q", "-b", "main"]);
        self.commit("begin");
    }

    /// Commits all files.
    pub fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    /// Runs a line of a shell at a terminal, where somebody types this.
    pub fn at_a_terminal(&self, line: &str, typed: &str) -> Said {
        let mut terminal = self.command("script", &[]);
        run(terminal.args(["-qec", line, "/dev/null"]), typed)
    }

    /// Runs `cargo flex calibrate` under a fixed seed.
    pub fn calibrate(&self, args: &[&str], env: &[(&str, &str)]) -> Said {
        let fixed = ["flex", "calibrate", "--seed", "fixed"];
        self.cargo(&[&fixed, args].concat(), env)
    }

    /// Builds a test program: `--lib`, or `--test` and its name.
    pub fn program(&self, target: &[&str]) -> TestProgram<'_> {
        let args = ["test", "--quiet", "--no-run", "--message-format=json"];
        let said = self.cargo(&[&args, target].concat(), &[]);
        assert_eq!(said.code, 0, "{said}");
        let messages = said
            .out
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let path = messages
            .filter_map(|message| Some(PathBuf::from(message.get("executable")?.as_str()?)))
            .next_back()
            .expect("cargo names the program");
        TestProgram {
            project: self,
            path,
        }
    }
}

/// A built test program, to be run as cargo runs it, but quicker.
#[derive(Debug)]
pub struct TestProgram<'a> {
    project: &'a Project,
    path: PathBuf,
}

impl TestProgram<'_> {
    /// Runs it.
    pub fn run(&self, args: &[&str], env: &[(&str, &str)]) -> Said {
        run(&mut self.command(args, env), "")
    }

    /// The command that runs it.
    pub fn command(&self, args: &[&str], env: &[(&str, &str)]) -> Command {
        let path = self.path.to_str().expect("the path is text");
        let mut command = self.project.command(path, env);
        command
            .args(args)
            .env("CARGO_MANIFEST_DIR", &self.project.folder)
            .env("CARGO_PKG_NAME", &self.project.name);
        command
    }

    /// Runs one test.
    pub fn test(&self, name: &str, env: &[(&str, &str)]) -> Said {
        self.run(&["--exact", name, "--include-ignored"], env)
    }
}

/// Waits until no other test of this process has a project of this name.
fn turn(name: &str) -> MutexGuard<'static, ()> {
    static TURNS: Mutex<Option<HashMap<String, &'static Mutex<()>>>> = Mutex::new(None);
    let mut turns = TURNS.lock().unwrap_or_else(PoisonError::into_inner);
    let turns_by_name = turns.get_or_insert_with(HashMap::new);
    let turn: &'static Mutex<()> = turns_by_name
        .entry(name.to_owned())
        .or_insert_with(|| Box::leak(Box::default()));
    drop(turns);
    turn.lock().unwrap_or_else(PoisonError::into_inner)
}
