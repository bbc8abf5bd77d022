//! What was built, as a file: whoever has it needs neither cargo nor a build.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use flex_run::calibrate::{TestProgram, scratch_folder};
use flex_run::text_file;
use serde::{Deserialize, Serialize};

use super::args::CargoArgs;
use super::nextest;
use super::program::Program;
use crate::exit::Failure;

/// Changes with every change of the file.
const VERSION: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
struct Built {
    version: u32,
    /// The folder that cargo built in.
    target: PathBuf,
    /// The folder of the workspace.
    root: PathBuf,
    /// Where this file is in the folder that cargo built in, if it is there: who moves that folder moves the file with it.
    within_target: Option<PathBuf>,
    programs: Vec<Listed>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Listed {
    exe: PathBuf,
    folder: Option<PathBuf>,
    /// What cargo sets: everything else is taken from the environment of whoever reads this, since an environment may hold
    /// secrets and is not for a disk.
    env: Vec<(String, String)>,
    package: String,
    target: String,
    package_folder: PathBuf,
    target_name: Option<String>,
    source: PathBuf,
}

/// Writes a list of programs, whole or not at all.
pub fn write_programs(programs: &[Program], file: &Path) -> Result<(), Failure> {
    let listed = programs.iter().map(|program| Listed {
        exe: program.program.exe.clone(),
        folder: program.program.folder.clone(),
        env: of_cargo(&program.program.env),
        package: program.package.clone(),
        target: program.target.clone(),
        package_folder: program.package_folder.clone(),
        target_name: program.target_name.clone(),
        source: program.source.clone(),
    });
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let first = programs.first();
    let flex = first.map(|program| scratch_folder(&program.program.exe));
    let target = flex.and_then(|flex| Some(flex.parent()?.to_owned()));
    let target = target.unwrap_or_default();
    let built = Built {
        version: VERSION,
        root: first.map_or_else(PathBuf::new, |program| {
            workspace_of(&program.package_folder)
        }),
        within_target: absolute(file)
            .strip_prefix(&target)
            .ok()
            .map(Path::to_owned),
        target,
        programs: listed.collect(),
    };
    let text = serde_json::to_string(&built)?;
    if let Some(folder) = file.parent() {
        // If that cannot be made, the file says why it cannot be written.
        let _ = fs::create_dir_all(folder);
    }
    let hidden = file.with_extension("part");
    let written = fs::write(&hidden, text).and_then(|()| fs::rename(hidden, file));
    written.map_err(|error| {
        let error = format!("cannot write {}: {error}", file.display());
        Failure::input(error, "is it a folder that files can be made in?")
    })
}

/// Reads a list of programs: ours, or that of a nextest archive that was unpacked. Folders that were moved since are found
/// where they are now.
pub fn read_programs(file: &Path, args: &CargoArgs) -> Result<Vec<Program>, Failure> {
    let wrong = |error: String| {
        let error = format!("{}: {error}", file.display());
        Failure::input(error, "make it anew, with this version of flex")
    };
    let text = text_file::read_text(file).map_err(|error| wrong(error.to_string()))?;
    let text = text.ok_or_else(|| wrong("there is no such file".to_owned()))?;
    let (target, root, programs) = match nextest::listed(file, &text).map_err(wrong)? {
        Some(found) => found,
        None => ours(file, &text).map_err(wrong)?,
    };
    let moves = [
        Moved::new(target.0, args.target_dir().map(Path::to_owned).or(target.1)),
        Moved::new(root.0.clone(), now_at(&root.0, args.manifest_path())),
    ];
    let programs: Vec<Program> = programs
        .into_iter()
        .map(|program| moved(program, &moves))
        .filter(|program| args.names(program))
        .collect();
    let gone = programs
        .iter()
        .find(|program| !program.program.exe.exists());
    if let Some(program) = gone {
        let exe = program.program.exe.display();
        return Err(Failure::input(
            format!("{}: {exe} is not there", file.display()),
            "keep the list in the folder that cargo built in, and move both together; or name that folder with --target-dir",
        ));
    }
    Ok(programs)
}

/// A folder as it was, and where it is now.
type FoundProgram = (PathBuf, Option<PathBuf>);

fn ours(file: &Path, text: &str) -> Result<(FoundProgram, FoundProgram, Vec<Program>), String> {
    #[derive(Deserialize)]
    struct Versioned {
        version: u32,
    }
    let no_list = |error: serde_json::Error| format!("this is no list of programs: {error}");
    let found: Versioned = serde_json::from_str(text).map_err(no_list)?;
    if found.version != VERSION {
        let theirs = found.version;
        return Err(format!("it has version {theirs}, and {VERSION} is known"));
    }
    let built: Built = serde_json::from_str(text).map_err(no_list)?;
    let program = |listed: Listed| Program {
        program: TestProgram {
            exe: listed.exe,
            folder: listed.folder,
            env: with_own(listed.env),
        },
        package: listed.package,
        target: listed.target,
        package_folder: listed.package_folder,
        target_name: listed.target_name,
        source: listed.source,
    };
    let now = built.within_target.and_then(|within| {
        let file = std::path::absolute(file).ok()?;
        let mut folder = file.as_path();
        for _ in within.components() {
            folder = folder.parent()?;
        }
        Some(folder.to_owned())
    });
    let programs = built.programs.into_iter().map(program).collect();
    Ok(((built.target, now), (built.root, None), programs))
}

/// Where a workspace is now: where it was, or where the manifest or this process is.
fn now_at(root: &Path, manifest: Option<&Path>) -> Option<PathBuf> {
    let stated = manifest
        .and_then(Path::parent)
        .filter(|folder| !folder.as_os_str().is_empty());
    if let Some(stated) = stated {
        return std::path::absolute(stated).ok();
    }
    match root.join("Cargo.toml").exists() {
        true => None,
        false => Some(workspace_of(&std::env::current_dir().ok()?)),
    }
}

/// The folder of the workspace of a package: the nearest with a lock file, or its own.
fn workspace_of(package: &Path) -> PathBuf {
    let has_lock = |folder: &&Path| folder.join("Cargo.lock").exists();
    package
        .ancestors()
        .find(has_lock)
        .unwrap_or(package)
        .to_owned()
}

/// A folder that is elsewhere now.
struct Moved {
    from: PathBuf,
    to: PathBuf,
}

impl Moved {
    fn new(from: PathBuf, to: Option<PathBuf>) -> Self {
        let to = to.unwrap_or_else(|| from.clone());
        Moved { from, to }
    }

    fn path(&self, path: &Path) -> Option<PathBuf> {
        let rest = path.strip_prefix(&self.from).ok()?;
        let is_known = !self.from.as_os_str().is_empty();
        is_known.then(|| match rest.as_os_str().is_empty() {
            true => self.to.clone(),
            false => self.to.join(rest),
        })
    }
}

/// A program, with all paths where they are now.
fn moved(program: Program, moves: &[Moved]) -> Program {
    let path = |path: PathBuf| {
        let moved = moves.iter().find_map(|moved| moved.path(&path));
        moved.unwrap_or(path)
    };
    // A value may be a path, or several.
    let value = |value: OsString| -> OsString {
        let parts: Vec<PathBuf> = std::env::split_paths(&value).map(path).collect();
        std::env::join_paths(parts).unwrap_or(value)
    };
    let variables = program.program.env.into_iter();
    let variables = variables.map(|(name, text)| {
        let is_path = Path::new(&text).is_absolute();
        (name, if is_path { value(text) } else { text })
    });
    Program {
        program: TestProgram {
            exe: path(program.program.exe),
            folder: program.program.folder.map(path),
            env: variables.collect(),
        },
        package_folder: path(program.package_folder),
        source: path(program.source),
        ..program
    }
}

/// The variables that this process does not have itself, as far as they are text.
fn of_cargo(env: &[(OsString, OsString)]) -> Vec<(String, String)> {
    let own =
        |(name, value): &&(OsString, OsString)| std::env::var_os(name).as_ref() == Some(value);
    let text = |(name, value): &(OsString, OsString)| {
        Some((name.to_str()?.to_owned(), value.to_str()?.to_owned()))
    };
    env.iter()
        .filter(|variable| !own(variable))
        .filter_map(text)
        .collect()
}

fn with_own(env: Vec<(String, String)>) -> Vec<(OsString, OsString)> {
    env.into_iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed::options_of;

    fn args(line: &str) -> CargoArgs {
        options_of(line)
    }

    fn program(folder: &Path) -> Program {
        Program {
            program: TestProgram {
                exe: folder.join("target/debug/deps/program"),
                folder: Some(folder.join("package")),
                env: vec![
                    ("PATH".into(), std::env::var_os("PATH").unwrap_or_default()),
                    ("CARGO_PKG_NAME".into(), "package".into()),
                    ("CARGO_MANIFEST_DIR".into(), folder.join("package").into()),
                ],
            },
            package: "package".to_owned(),
            target: "test:sketch".to_owned(),
            package_folder: folder.join("package"),
            target_name: Some("sketch".to_owned()),
            source: folder.join("package/tests/sketch.rs"),
        }
    }

    /// A folder in which a program was built.
    fn built() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for below in ["target/debug/deps", "target/flex", "package"] {
            fs::create_dir_all(folder.path().join(below)).unwrap();
        }
        for file in [
            "target/CACHEDIR.TAG",
            "target/debug/deps/program",
            "Cargo.lock",
            "Cargo.toml",
        ] {
            fs::write(folder.path().join(file), "").unwrap();
        }
        folder
    }

    #[test]
    fn what_was_built_is_read_as_it_was_written_without_what_everybody_has() {
        let folder = built();
        let file = folder.path().join("target/flex/programs.json");
        write_programs(&[program(folder.path())], &file).unwrap();
        let read = read_programs(&file, &args("c")).unwrap();
        let [one] = &read[..] else { panic!("{read:?}") };
        assert_eq!(one.key(), ("package", "test:sketch"));
        assert_eq!(
            one.program.exe,
            folder.path().join("target/debug/deps/program")
        );
        let names: Vec<_> = one
            .program
            .env
            .iter()
            .map(|(name, _)| name.clone())
            .collect();
        assert_eq!(names, ["CARGO_PKG_NAME", "CARGO_MANIFEST_DIR"]);
        for (line, count) in [
            ("c -p package", 1),
            ("c -p other", 0),
            ("c --lib", 0),
            ("c --test sketch", 1),
        ] {
            assert_eq!(
                read_programs(&file, &args(line)).unwrap().len(),
                count,
                "{line}"
            );
        }
        for wrong in ["", "{}", r#"{"version": 2, "programs": []}"#, "[]"] {
            fs::write(&file, wrong).unwrap();
            assert!(read_programs(&file, &args("c")).is_err(), "{wrong}");
        }
        fs::remove_file(&file).unwrap();
        let error = read_programs(&file, &args("c")).unwrap_err().to_string();
        assert!(error.contains("no such file"), "{error}");
    }

    #[test]
    fn folders_that_were_moved_are_found_where_they_are() {
        let folder = built();
        let file = folder.path().join("target/flex/programs.json");
        write_programs(&[program(folder.path())], &file).unwrap();
        let elsewhere = built();
        let there = elsewhere.path().join("target/flex/programs.json");
        fs::copy(&file, &there).unwrap();
        drop(folder);
        let manifest = elsewhere.path().join("Cargo.toml");
        let line = format!("c --manifest-path {}", manifest.display());
        let read = read_programs(&there, &args(&line)).unwrap();
        let program = &read[0].program;
        assert_eq!(
            program.exe,
            elsewhere.path().join("target/debug/deps/program")
        );
        assert_eq!(program.folder, Some(elsewhere.path().join("package")));
        let (_, value) = program.env.last().unwrap();
        assert_eq!(Path::new(value), elsewhere.path().join("package"));
        // A list that is not beside what it lists does not say where that is.
        let alone = elsewhere.path().join("programs.json");
        fs::copy(&there, &alone).unwrap();
        let error = read_programs(&alone, &args(&line)).unwrap_err().to_string();
        assert!(
            error.contains("is not there") && error.contains("--target-dir"),
            "{error}"
        );
        let stated = format!(
            "{line} --target-dir {}",
            elsewhere.path().join("target").display()
        );
        assert!(read_programs(&alone, &args(&stated)).is_ok());
    }
}
