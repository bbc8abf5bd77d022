//! The options of cargo that decide what is built, as our commands take them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use flex_detect::record::{CargoReplay, Reader};

use super::program::Program;

use crate::terminal;

/// Where cargo builds other code than that of the checkout.
#[derive(Debug, Clone)]
pub struct Elsewhere {
    /// The folder to run cargo in.
    pub folder: PathBuf,
    /// The manifest there, if one is stated.
    pub manifest: Option<PathBuf>,
    /// The folder for all that is built.
    pub target: PathBuf,
}

/// Options of cargo's own that decide what is built.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Cargo options")]
pub struct CargoArgs {
    /// Build nothing and do not ask cargo: the programs that this file lists are the tests, wherever they were built; by
    /// `calibrate --build-only FILE`, or target/nextest/binaries-metadata.json of a nextest archive
    #[arg(long, value_name = "FILE")]
    pub programs: Option<PathBuf>,

    /// Package with the tests
    #[arg(long, short, value_name = "SPEC")]
    package: Vec<String>,

    /// All packages of the workspace
    #[arg(long)]
    workspace: bool,

    /// Packages to leave out
    #[arg(long, value_name = "SPEC")]
    exclude: Vec<String>,

    /// Only the library's unit tests
    #[arg(long)]
    lib: bool,

    /// All targets that have tests, as without any of these options
    #[arg(long)]
    tests: bool,

    /// Only the unit tests of all binaries
    #[arg(long)]
    bins: bool,

    /// Only this integration test
    #[arg(long, value_name = "NAME")]
    test: Vec<String>,

    /// Only this benchmark's tests
    #[arg(long, value_name = "NAME")]
    bench: Vec<String>,

    /// Only this binary's unit tests
    #[arg(long, value_name = "NAME")]
    bin: Vec<String>,

    /// Only this example's unit tests
    #[arg(long, value_name = "NAME")]
    example: Vec<String>,

    /// Features to activate
    #[arg(long, short = 'F', value_name = "FEATURES")]
    features: Vec<String>,

    /// Activate all features
    #[arg(long)]
    all_features: bool,

    /// Do not activate the default feature
    #[arg(long)]
    no_default_features: bool,

    /// Build with optimisations
    #[arg(long, short)]
    release: bool,

    /// Build with this profile
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,

    /// Path to Cargo.toml
    #[arg(long, value_name = "PATH")]
    manifest_path: Option<PathBuf>,

    /// Folder for all that is built
    #[arg(long, value_name = "FOLDER")]
    target_dir: Option<PathBuf>,

    /// Build for this target triple
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,

    /// Cargo.lock must not change, and the network is not used
    #[arg(long)]
    frozen: bool,

    /// Cargo.lock must not change
    #[arg(long)]
    locked: bool,

    /// Do not use the network
    #[arg(long)]
    offline: bool,
}

impl CargoArgs {
    /// Whether no targets are chosen.
    pub fn all_targets(&self) -> bool {
        let is_part = self.lib || self.bins;
        (self.tests || !is_part)
            && [&self.test, &self.bin, &self.example, &self.bench]
                .iter()
                .all(|names| names.is_empty())
    }

    /// Whether a program is named, of those that were built without being asked about.
    pub(super) fn names(&self, program: &Program) -> bool {
        let (package, target) = program.key();
        let spec = |spec: &String| spec == package;
        let in_package = self.package.is_empty() || self.package.iter().any(spec);
        if !in_package || self.exclude.iter().any(spec) {
            return false;
        }
        let name = |kind: &str, names: &[String]| {
            let of_kind = target
                .strip_prefix(kind)
                .and_then(|rest| rest.strip_prefix(':'));
            of_kind.is_some_and(|own| names.iter().any(|name| name.replace('-', "_") == own))
        };
        self.all_targets()
            || (self.lib && target == "lib")
            || (self.bins && target.starts_with("bin:"))
            || name("test", &self.test)
            || name("bin", &self.bin)
            || name("example", &self.example)
            || name("bench", &self.bench)
    }

    /// What decides how a test is compiled, for commands that repeat its runs.
    pub fn compiled(&self) -> CargoReplay {
        let release = self.release.then(|| "release".to_owned());
        CargoReplay {
            features: self.features.clone(),
            all_features: self.all_features,
            no_default_features: self.no_default_features,
            profile: self.profile.clone().or(release),
            ..CargoReplay::default()
        }
    }

    /// Whoever gave these options, for commands that they are shown.
    pub fn reader(&self) -> Reader {
        let manifest = self.manifest_path();
        Reader {
            folder: None,
            manifest_path: manifest.map(|path| path.to_string_lossy().into_owned()),
        }
    }

    /// Path to Cargo.toml, if it is stated.
    pub fn manifest_path(&self) -> Option<&Path> {
        self.manifest_path.as_deref()
    }

    /// The folder for all that is built, if it is stated.
    pub fn target_dir(&self) -> Option<&Path> {
        self.target_dir.as_deref()
    }

    /// The options that decide how `cargo build` compiles what tests depend on.
    pub fn words_of_dependencies(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        let flags = [
            ("--release", self.release),
            ("--offline", self.offline || self.frozen),
        ];
        let set = flags.iter().filter(|(_, set)| *set);
        words.extend(set.map(|(flag, _)| flag.into()));
        for (option, value) in [("--profile", &self.profile), ("--target", &self.target)] {
            if let Some(value) = value {
                words.extend([option.into(), value.into()]);
            }
        }
        words
    }

    /// The options that decide what cargo may do to find the packages that all depend on.
    pub(super) fn words_of_lock(&self) -> Vec<&'static str> {
        let flags = [
            ("--frozen", self.frozen),
            ("--locked", self.locked),
            ("--offline", self.offline),
        ];
        let set = flags.into_iter().filter(|(_, set)| *set);
        set.map(|(flag, _)| flag).collect()
    }

    /// The options as `cargo test` takes them, for this checkout or for code elsewhere.
    pub(super) fn words(&self, elsewhere: Option<&Elsewhere>) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        let lists = [
            ("--package", &self.package),
            ("--exclude", &self.exclude),
            ("--test", &self.test),
            ("--bench", &self.bench),
            ("--bin", &self.bin),
            ("--example", &self.example),
            ("--features", &self.features),
        ];
        for (option, values) in lists {
            for value in values {
                words.extend([option.into(), value.into()]);
            }
        }
        let flags = [
            ("--workspace", self.workspace),
            ("--lib", self.lib),
            // Everything that `cargo test` runs, but no documentation.
            ("--tests", self.tests || self.all_targets()),
            ("--bins", self.bins),
            ("--all-features", self.all_features),
            ("--no-default-features", self.no_default_features),
            ("--release", self.release),
            ("--quiet", terminal::manner().quiet),
        ];
        let set = flags.iter().filter(|(_, set)| *set);
        words.extend(set.map(|(flag, _)| flag.into()));
        words.extend(self.words_of_lock().into_iter().map(OsString::from));
        for (option, value) in [("--profile", &self.profile), ("--target", &self.target)] {
            if let Some(value) = value {
                words.extend([option.into(), value.into()]);
            }
        }
        let (manifest, target) = match elsewhere {
            Some(elsewhere) => (elsewhere.manifest.as_ref(), Some(&elsewhere.target)),
            None => (self.manifest_path.as_ref(), self.target_dir.as_ref()),
        };
        for (option, path) in [("--manifest-path", manifest), ("--target-dir", target)] {
            if let Some(path) = path {
                words.extend([option.into(), path.into()]);
            }
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed::options_of;

    #[test]
    fn options_are_handed_on_to_cargo() {
        let check = |line: &str, expected: &str, all_targets: bool| {
            let args: CargoArgs = options_of(line);
            let words = args.words(None).into_iter();
            let words: Vec<String> = words.map(|word| word.into_string().unwrap()).collect();
            assert_eq!(words.join(" "), expected, "{line}");
            assert_eq!(args.all_targets(), all_targets, "{line}");
        };
        check("c", "--tests", true);
        check("c --tests --frozen", "--tests --frozen", true);
        check("c --bins", "--bins", false);
        check("c --test a --lib", "--test a --lib", false);
        check("c --tests --bin a", "--bin a --tests", false);
        check(
            "c --target wasm32-wasip1 -F a --release",
            "--features a --tests --release --target wasm32-wasip1",
            true,
        );
    }
}
