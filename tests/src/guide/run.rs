//! Running a page, as somebody who follows it would.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::page::{Page, Step};
use super::words::missing;
use crate::folders::{program_folder, root, target};
use crate::{Said, run as run_command};

/// Runs a page in an empty folder, with these programs found before others. Returns what was wrong first.
pub fn run(page: &Page, programs: &[PathBuf]) -> Result<(), String> {
    let folder = folder_of(page).map_err(|error| error.to_string())?;
    let mut reader = Reader {
        now: folder.clone(),
        folder,
        programs: programs.to_vec(),
        said: String::new(),
    };
    for (line, step) in &page.steps {
        let path = &page.path;
        reader
            .take(step)
            .map_err(|error| format!("{path}:{line}: {error}"))?;
    }
    Ok(())
}

/// An empty folder outside of our workspace, or `cargo new` would add to it; the same for each run, so that nothing piles up.
fn folder_of(page: &Page) -> io::Result<PathBuf> {
    let mut hasher = DefaultHasher::new();
    root().hash(&mut hasher);
    let ours = format!("flex-guide-{:016x}", hasher.finish());
    let name = page.path.replace(['/', '.'], "-");
    let folder = std::env::temp_dir().join(ours).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    folder.canonicalize()
}

/// Somebody who follows a page.
struct Reader {
    /// Where they began.
    folder: PathBuf,
    /// Where they are.
    now: PathBuf,
    programs: Vec<PathBuf>,
    /// What the last command said.
    said: String,
}

impl Reader {
    fn take(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::NotRun(_) => Ok(()),
            Step::Prepare(script) => {
                let said = self.shell(script);
                match said.code {
                    0 => Ok(()),
                    _ => Err(format!("cannot prepare:\n{said}")),
                }
            }
            Step::Write(path, text) => self.write(path, text.clone()),
            Step::Append(path, text) => {
                let old = fs::read_to_string(self.now.join(path)).unwrap_or_default();
                self.write(path, old + text)
            }
            Step::Commands(commands, exit) => {
                for (index, (command, shown)) in commands.iter().enumerate() {
                    let is_last = index + 1 == commands.len();
                    let expected = if is_last { *exit } else { 0 };
                    let said = self.shell(command);
                    if said.code != expected {
                        return Err(format!("`{command}` should exit with {expected}:\n{said}"));
                    }
                    self.said = said.out;
                    self.says(shown)
                        .map_err(|error| format!("`{command}`: {error}"))?;
                }
                Ok(())
            }
            Step::Says(shown) => self.says(shown),
            Step::PartOf(path, text) => {
                let file = fs::read_to_string(root().join(path));
                match file.is_ok_and(|file| file.contains(text.as_str())) {
                    true => Ok(()),
                    false => Err(format!("this is no part of {path}")),
                }
            }
        }
    }

    fn says(&self, shown: &str) -> Result<(), String> {
        match missing(shown, &self.said) {
            None => Ok(()),
            Some(line) => Err(format!(
                "the page shows\n    {line}\nwhich does not come, or not there, in:\n{}",
                self.said
            )),
        }
    }

    fn write(&self, path: &str, text: String) -> Result<(), String> {
        let path = self.now.join(path);
        let folder = path.parent().unwrap_or(&self.now);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Runs a line of a shell where the reader is, and follows them.
    fn shell(&mut self, line: &str) -> Said {
        // Readers have a clone beside their project.
        let ours = root().display().to_string();
        let line = line.replace("../flex/", &format!("{ours}/"));
        let place = self.folder.join(".where");
        let script = format!(
            "exec 2>&1\n{line}\ncode=$?\npwd > '{}'\nexit $code",
            place.display()
        );
        let said = run_command(self.command().args(["-c", &script]), "");
        if let Ok(now) = fs::read_to_string(place) {
            self.now = PathBuf::from(now.trim_end());
        }
        said
    }

    fn command(&self) -> Command {
        let mut command = Command::new("bash");
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            let is_of_runner = |prefix: &&str| text.starts_with(*prefix);
            let prefixes = ["FLEX_", "GITHUB_", "CI", "NEXTEST", "CARGO", "RUST"];
            let kept = ["CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"];
            if prefixes.iter().any(is_of_runner) && !kept.contains(&&*text) {
                command.env_remove(&name);
            }
        }
        let known = std::env::var_os("PATH").unwrap_or_default();
        let ours = self.programs.iter().cloned().chain([program_folder()]);
        let paths = std::env::join_paths(ours.chain(std::env::split_paths(&known)));
        command
            .current_dir(&self.now)
            .env("PATH", paths.unwrap_or(known))
            .envs([
                // Pages have no chance in them.
                ("FLEX_SEED", "guide"),
                // What our other projects built is not built again.
                ("CARGO_NET_OFFLINE", "true"),
                ("CARGO_INCREMENTAL", "0"),
                ("CARGO_PROFILE_DEV_DEBUG", "false"),
                ("CARGO_TERM_COLOR", "never"),
                // Pages that use git.
                ("GIT_AUTHOR_NAME", "reader"),
                ("GIT_AUTHOR_EMAIL", "reader@example.com"),
                ("GIT_COMMITTER_NAME", "reader"),
                ("GIT_COMMITTER_EMAIL", "reader@example.com"),
                ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ])
            .env("CARGO_TARGET_DIR", target().join("e2e"));
        command
    }
}

/// The pages of a folder of the repository, deep.
pub fn pages_in(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.push(shown(&path));
            }
        }
    }
    found.sort();
    found
}

fn shown(path: &Path) -> String {
    let root = root();
    let path = path.strip_prefix(&root).unwrap_or(path);
    path.display().to_string()
}
