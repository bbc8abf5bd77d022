//! The commands that make runs again, built from the facts of a record: words for whoever runs one, and text for whoever
//! pastes it.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use flex_core::words::quoted;
use flex_run::model::{Runner, TestId};
use flex_run::project::env;

use crate::record::{CargoReplay, ObservedTest, PytestReplay, Reader, Record, RunnerReplay};

/// The variable by which Python decides the order of hashes.
const HASHES: &str = "PYTHONHASHSEED";

/// A program with its variables and arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// Variables to set: `FLEX_*` and `PYTHONHASHSEED`, never another.
    pub variables: Vec<(&'static str, String)>,
    /// The program: `cargo`, or `pytest`.
    pub runner: Runner,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl fmt::Display for Invocation {
    /// Writes the command as a shell takes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.variables {
            write!(f, "{name}={} ", quoted(value))?;
        }
        f.write_str(match self.runner {
            Runner::Cargo => "cargo",
            Runner::Pytest => "pytest",
        })?;
        let mut words = self.arguments.iter();
        words.try_for_each(|word| write!(f, " {}", quoted(word)))
    }
}

/// All that commands for the runs of one test are built from.
#[derive(Debug, Clone, PartialEq)]
pub struct Replays {
    id: TestId,
    package: String,
    is_stochastic: bool,
    replay: RunnerReplay,
    root: PathBuf,
    reader: Reader,
}

impl Replays {
    /// The runs of a test of a record; `None` if no seed controls them.
    pub fn new(record: &Record, test: &ObservedTest) -> Option<Self> {
        Some(Replays {
            id: test.id.clone(),
            package: test.package.clone().unwrap_or_default(),
            is_stochastic: test.is_stochastic,
            replay: test.replay.clone()?,
            root: record.root.clone(),
            reader: record.reader.clone(),
        })
    }

    /// The command for a seed, for a person to paste where they stand.
    pub fn shown(&self, seed: &str) -> Invocation {
        match &self.replay {
            RunnerReplay::Cargo(cargo) => {
                let manifest = self.reader.manifest_path.as_deref();
                self.cargo(cargo, manifest, seed)
            }
            RunnerReplay::Pytest(pytest) => {
                let from = |file: &str| self.reader.name_of(&self.root, file);
                self.pytest(pytest, &from, seed)
            }
        }
    }

    /// The command for a seed, to be run in the root of the record.
    pub fn in_root(&self, seed: &str) -> Invocation {
        match &self.replay {
            RunnerReplay::Cargo(cargo) => self.cargo(cargo, None, seed),
            RunnerReplay::Pytest(pytest) => self.pytest(pytest, &str::to_owned, seed),
        }
    }

    /// The files that pytest is asked to read, relative to the root.
    pub fn files(&self) -> Vec<&str> {
        match &self.replay {
            RunnerReplay::Cargo(_) => Vec::new(),
            RunnerReplay::Pytest(pytest) => {
                let (file, _) = split_node(self.id.name());
                [vec![file], pytest.files()].concat()
            }
        }
    }

    fn cargo(&self, cargo: &CargoReplay, manifest: Option<&str>, seed: &str) -> Invocation {
        let seeded = match self.is_stochastic {
            true => env::SEED,
            false => env::ENTROPY,
        };
        let mut variables = vec![(seeded, seed.to_owned())];
        let bounds = [(env::BOUNDS, &cargo.bounds), (env::VARIANT, &cargo.variant)];
        variables.extend(bounds.map(|(name, value)| (name, value.clone().unwrap_or_default())));
        variables.retain(|(_, value)| !value.is_empty());
        let mut words = Words(vec!["test".to_owned()]);
        for features in &cargo.features {
            words.option("--features", features);
        }
        words.flag("--all-features", cargo.all_features);
        words.flag("--no-default-features", cargo.no_default_features);
        if let Some(manifest) = manifest {
            words.option("--manifest-path", manifest);
        }
        words.option("-p", &self.package);
        match cargo.profile.as_deref() {
            Some("release") => words.flag("--release", true),
            Some(profile) => words.option("--profile", profile),
            None => {}
        }
        let kind = self.id.target().and_then(|target| target.split_once(':'));
        match (kind, &cargo.target) {
            (Some((kind, _)), Some(name)) => words.option(&format!("--{kind}"), name),
            _ => words.flag("--lib", true),
        }
        words.flag("--", true);
        words.flag("--exact", true);
        words.flag("--include-ignored", cargo.is_ignored);
        words.flag("--test-threads=1", !self.is_stochastic);
        words.flag(self.id.name(), true);
        Invocation {
            variables,
            runner: Runner::Cargo,
            arguments: words.0,
        }
    }

    fn pytest(
        &self,
        pytest: &PytestReplay,
        from: &dyn Fn(&str) -> String,
        seed: &str,
    ) -> Invocation {
        let (file, rest) = split_node(self.id.name());
        let mut words = Words(vec![from(file) + rest]);
        if let Some(config) = &pytest.config {
            words.option("-c", &from(config));
        }
        for (name, value) in &pytest.options {
            words.0.push(match value {
                None => format!("--{name}"),
                Some(file) if name == "flex-bounds" => format!("--{name}={}", from(file)),
                Some(value) => format!("--{name}={value}"),
            });
        }
        words.0.push(format!("--flex-seed={seed}"));
        let hashes = pytest.hash_seed.map(|seed| (HASHES, seed.to_string()));
        Invocation {
            variables: hashes.into_iter().collect(),
            runner: Runner::Pytest,
            arguments: words.0,
        }
    }
}

/// The file of a node id, and the rest of it.
fn split_node(node: &str) -> (&str, &str) {
    node.split_at(node.find("::").unwrap_or(node.len()))
}

/// Arguments.
struct Words(Vec<String>);

impl Words {
    fn flag(&mut self, word: &str, is_wanted: bool) {
        self.0.extend(is_wanted.then(|| word.to_owned()));
    }

    fn option(&mut self, name: &str, value: &str) {
        self.0.extend([name.to_owned(), value.to_owned()]);
    }
}

impl Reader {
    /// A file below the root of a record, as it is called where the reader stands.
    fn name_of(&self, root: &Path, file: &str) -> String {
        let Some(folder) = &self.folder else {
            return file.to_owned();
        };
        let path = normal(&root.join(file));
        let folder = normal(folder);
        let (mut to, mut from) = (path.components().peekable(), folder.components().peekable());
        let begins_alike = to.peek() == from.peek();
        while to.peek().is_some() && to.peek() == from.peek() {
            to.next();
            from.next();
        }
        if !begins_alike {
            return file.to_owned();
        }
        let up = from.map(|_| Component::ParentDir);
        let relative: PathBuf = up.chain(to).collect();
        relative.to_string_lossy().replace('\\', "/")
    }
}

/// A path without `.` and `..`, by its text alone: it is shown, never opened.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;
    use flex_run::model::Place;

    fn of_cargo(is_stochastic: bool) -> Replays {
        Replays {
            id: TestId::cargo("test:a_b", "module::works"),
            package: "sketch".to_owned(),
            is_stochastic,
            replay: RunnerReplay::Cargo(CargoReplay {
                target: Some("a-b".to_owned()),
                features: vec!["x y".to_owned()],
                profile: Some("release".to_owned()),
                variant: Some("cpu".to_owned()),
                ..CargoReplay::default()
            }),
            root: "/code".into(),
            reader: Reader {
                folder: None,
                manifest_path: Some("deep/Cargo.toml".to_owned()),
            },
        }
    }

    #[test]
    fn cargo_is_told_what_to_build_and_which_test_to_run() {
        let shown = of_cargo(true).shown("a@detect:7").to_string();
        assert_eq!(
            shown,
            "FLEX_SEED=a@detect:7 FLEX_VARIANT=cpu cargo test --features 'x y' --manifest-path deep/Cargo.toml -p sketch \
             --release --test a-b -- --exact module::works"
        );
        let plain = of_cargo(false).in_root("a@detect:7").to_string();
        assert_eq!(
            plain,
            "FLEX_ENTROPY=a@detect:7 FLEX_VARIANT=cpu cargo test --features 'x y' -p sketch --release --test a-b -- \
             --exact --test-threads=1 module::works"
        );
    }

    #[test]
    fn pytest_is_told_where_the_test_is_from_here() {
        let mut test = ObservedTest::new(TestId::pytest("t/test_a.py::it[x/y]"), Place::default());
        test.replay = Some(RunnerReplay::Pytest(PytestReplay {
            config: Some("other.ini".to_owned()),
            options: vec![("flex-isolate".to_owned(), None)],
            hash_seed: Some(7),
        }));
        let mut record = crate::verdict::tests::judged_record(Vec::new());
        record.root = "/code/project".into();
        let mut check = |folder: Option<&str>, expected: &str| {
            record.reader.folder = folder.map(PathBuf::from);
            let replays = Replays::new(&record, &test).unwrap();
            assert_eq!(replays.shown("a").to_string(), expected);
            let in_root = "PYTHONHASHSEED=7 pytest 't/test_a.py::it[x/y]' -c other.ini --flex-isolate --flex-seed=a";
            assert_eq!(replays.in_root("a").to_string(), in_root);
            assert_eq!(replays.files(), ["t/test_a.py", "other.ini"]);
        };
        check(
            None,
            "PYTHONHASHSEED=7 pytest 't/test_a.py::it[x/y]' -c other.ini --flex-isolate --flex-seed=a",
        );
        check(
            Some("/code/project/t"),
            "PYTHONHASHSEED=7 pytest 'test_a.py::it[x/y]' -c ../other.ini --flex-isolate --flex-seed=a",
        );
        check(
            Some("/code"),
            "PYTHONHASHSEED=7 pytest 'project/t/test_a.py::it[x/y]' -c project/other.ini --flex-isolate --flex-seed=a",
        );
    }
}
