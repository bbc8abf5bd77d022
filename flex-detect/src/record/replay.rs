//! How a run of a test is made again: the facts that a command is built from.
//!
//! A record holds no command. It may come from elsewhere, as an artifact of a build, and nothing in it is executed:
//! which program is started, with which options and variables, is decided where commands are built
//! ([`crate::invocation`]), from names that cannot be taken for anything else.

use serde::{Deserialize, Serialize};

use flex_run::model::TestId;

/// Options of the pytest plugin that a command which repeats a run must have, too, and whether they take a value.
const REPEATED_OPTIONS: [(&str, bool); 6] = [
    ("doctest-modules", false),
    ("flex-bounds", true),
    ("flex-fresh", true),
    ("flex-isolate", false),
    ("flex-keep-seeds", false),
    ("flex-vary-seeds", false),
];

/// The kinds of cargo's targets that have a name, as its options and our files call them.
const NAMED_TARGETS: [&str; 4] = ["test", "bin", "example", "bench"];

/// What a command that makes a run again is built from, besides the test and the seed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "kebab-case")]
pub enum RunnerReplay {
    /// `cargo test`.
    Cargo(CargoReplay),
    /// `pytest`.
    Pytest(PytestReplay),
}

/// How cargo is to build and find the test.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CargoReplay {
    /// The target as cargo calls it, which may have hyphens; `None` for a library.
    pub target: Option<String>,
    /// Features to activate.
    pub features: Vec<String>,
    /// Whether all features are active.
    pub all_features: bool,
    /// Whether the default feature is not active.
    pub no_default_features: bool,
    /// The profile, unless it is the one for tests.
    pub profile: Option<String>,
    /// Whether the test is `#[ignore]`d.
    pub is_ignored: bool,
    /// What `FLEX_BOUNDS` said.
    pub bounds: Option<String>,
    /// What `FLEX_VARIANT` said.
    pub variant: Option<String>,
}

/// How pytest is to find the test and what it needs to know.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PytestReplay {
    /// The ini file of `-c`, relative to the root of the record.
    pub config: Option<String>,
    /// Options of the plugin, without hyphens before them, and their values. Files are relative to the root.
    pub options: Vec<(String, Option<String>)>,
    /// `PYTHONHASHSEED`, unless it is 0.
    pub hash_seed: Option<u32>,
}

impl RunnerReplay {
    /// Refuses what no flex would have written: a name that is an option for whoever is given it.
    pub fn check(&self, test: &TestId, package: Option<&str>) -> Result<(), String> {
        match (self, test) {
            (RunnerReplay::Cargo(cargo), TestId::Cargo { target, path }) => {
                cargo.check(package.unwrap_or_default(), target)?;
                plain(path, "a test")
            }
            (RunnerReplay::Pytest(pytest), TestId::Pytest { node }) => {
                // pytest reads arguments from a file whose name comes after `@`.
                match node.starts_with('@') {
                    true => Err(not_a_name(node, "a test")),
                    false => plain(node, "a test"),
                }?;
                pytest.check()
            }
            _ => Err(format!(
                "the runs of {test} were not made by its own runner"
            )),
        }
    }
}

impl CargoReplay {
    fn check(&self, package: &str, target: &str) -> Result<(), String> {
        let is_of_package = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        if package.is_empty() || !package.chars().all(is_of_package) {
            return Err(not_a_name(package, "a package"));
        }
        plain(package, "a package")?;
        let kind = target.split_once(':').map(|(kind, _)| kind);
        match (kind, &self.target) {
            (None, None) if target == "lib" => {}
            (Some(kind), Some(name)) if NAMED_TARGETS.contains(&kind) => plain(name, "a target")?,
            _ => return Err(not_a_name(target, "a target")),
        }
        for features in &self.features {
            plain(features, "features")?;
        }
        self.profile
            .iter()
            .try_for_each(|profile| plain(profile, "a profile"))
    }
}

impl PytestReplay {
    fn check(&self) -> Result<(), String> {
        for (name, value) in &self.options {
            if !REPEATED_OPTIONS.contains(&(name.as_str(), value.is_some())) {
                return Err(not_a_name(name, "an option that repeats a run"));
            }
        }
        let files = self.files();
        files.into_iter().try_for_each(|file| plain(file, "a file"))
    }

    /// The files besides the test that pytest is to read.
    pub fn files(&self) -> Vec<&str> {
        let options = self.options.iter();
        let bounds = options.filter(|(name, _)| name == "flex-bounds");
        let bounds = bounds.filter_map(|(_, file)| file.as_deref());
        self.config.as_deref().into_iter().chain(bounds).collect()
    }
}

/// Refuses a text that would be an option.
fn plain(text: &str, what: &str) -> Result<(), String> {
    match text.is_empty() || text.starts_with('-') || text.contains('\0') {
        true => Err(not_a_name(text, what)),
        false => Ok(()),
    }
}

fn not_a_name(text: &str, what: &str) -> String {
    format!("{text:?} is not the name of {what}")
}

#[cfg(test)]
mod tests {
    use super::super::ObservedTest;
    use super::*;
    use flex_run::model::Place;

    fn cargo(change: impl FnOnce(&mut ObservedTest, &mut CargoReplay)) -> Result<(), String> {
        let id = TestId::cargo("test:a_b", "module::works");
        let mut test = ObservedTest::new(id, Place::new("tests/a-b.rs", 3));
        test.package = Some("sketch".to_owned());
        let mut replay = CargoReplay {
            target: Some("a-b".to_owned()),
            features: vec!["x,y".to_owned()],
            ..CargoReplay::default()
        };
        change(&mut test, &mut replay);
        RunnerReplay::Cargo(replay).check(&test.id, test.package.as_deref())
    }

    #[test]
    fn names_that_are_options_are_refused() {
        assert_eq!(cargo(|_, _| {}), Ok(()));
        let config = "--config=target.x.runner='sh'";
        let refused = [
            cargo(|test, _| test.package = None),
            cargo(|test, _| test.package = Some(config.to_owned())),
            cargo(|test, _| test.package = Some("path+file:///tmp/evil".to_owned())),
            cargo(|test, _| test.id = TestId::cargo("lib", "--logfile=/tmp/x")),
            cargo(|test, _| test.id = TestId::cargo("test:a_b", "--logfile=/tmp/x")),
            cargo(|test, _| test.id = TestId::cargo("config:x", "works")),
            cargo(|test, _| test.id = TestId::pytest("a.py::works")),
            cargo(|_, replay| replay.target = Some(config.to_owned())),
            cargo(|_, replay| replay.target = None),
            cargo(|_, replay| replay.features.push(config.to_owned())),
            cargo(|_, replay| replay.profile = Some(config.to_owned())),
        ];
        for (case, result) in refused.iter().enumerate() {
            assert!(result.is_err(), "case {case}");
        }
    }

    #[test]
    fn pytest_is_given_a_node_and_known_options() {
        let check = |node: &str, replay: PytestReplay| {
            RunnerReplay::Pytest(replay).check(&TestId::pytest(node), None)
        };
        let with = |name: &str, value: Option<&str>| PytestReplay {
            options: vec![(name.to_owned(), value.map(str::to_owned))],
            ..PytestReplay::default()
        };
        let node = "a.py::test_it[-p x]";
        assert_eq!(check(node, PytestReplay::default()), Ok(()));
        assert_eq!(check(node, with("flex-isolate", None)), Ok(()));
        assert_eq!(check(node, with("flex-fresh", Some("module"))), Ok(()));
        for node in ["-pevil", "@arguments", ""] {
            assert!(check(node, PytestReplay::default()).is_err(), "{node}");
        }
        for name in ["flex-record", "rootdir", "flex-isolate"] {
            assert!(check(node, with(name, Some("/tmp/x"))).is_err(), "{name}");
        }
        let config = PytestReplay {
            config: Some("--evil".to_owned()),
            ..PytestReplay::default()
        };
        assert!(check(node, config).is_err());
    }
}
