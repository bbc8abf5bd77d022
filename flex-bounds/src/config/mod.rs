//! `flex.toml`: what a project asks of its stochastic tests, where the tests do not say it themselves.
//!
//! ```
//! use flex_bounds::TestId;
//! use flex_bounds::config::Config;
//!
//! let config: Config = r#"
//! false-alarms = "1 in 10000 runs"
//! effort = 0.1
//!
//! [[test]]
//! path = "tests::slow_*"
//! runs = 30
//!
//! [[variant]]
//! name = "mac"
//! os = "macos"
//! "#
//! .parse()?;
//! let options = config.options(&TestId::cargo("lib", "tests::slow_search"));
//! assert_eq!((options.runs, options.effort), (Some(30), Some(0.1)));
//! assert_eq!(config.variant("macos", "aarch64"), Some("mac"));
//! # Ok::<(), flex_bounds::file::ParseError>(())
//! ```

mod assertion;
mod characteristic;
mod depends;
mod engine;
mod features;
mod glob;
mod parse;
mod quarantine;
mod seed;

use crate::TestId;
use crate::options::Options;
use crate::suite::SuiteBudget;
pub use assertion::{AssertionRule, BoundKind};
pub use characteristic::CharacteristicRule;
pub use depends::DependsRule;
pub use engine::{Engine, EngineConfig};
pub use features::feature_options;
pub use glob::Glob;
pub use quarantine::Quarantine;
pub use seed::SeedRule;

/// What a project asks for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Config {
    /// How often a run of all tests of one bounds file may fail by chance.
    pub false_alarms: Option<SuiteBudget>,
    /// What holds for every test.
    pub defaults: Options,
    /// What holds for some.
    pub tests: Vec<TestRule>,
    /// The kinds of machines that have bounds of their own.
    pub variants: Vec<VariantRule>,
    /// Functions of the project that assert something about numbers.
    pub assertions: Vec<AssertionRule>,
    /// Functions that a test calls whose runs can differ, besides those that are known everywhere.
    pub characteristics: Vec<CharacteristicRule>,
    /// Functions of the project that seed something.
    pub seeds: Vec<SeedRule>,
    /// What files of tests depend on that their sources do not show.
    pub depends: Vec<DependsRule>,
    /// Who makes the runs of a calibration.
    pub engine: EngineConfig,
}

/// What holds for the tests that a pattern names.
#[derive(Debug, Clone, PartialEq)]
pub struct TestRule {
    /// The path of the test, or the node id of pytest.
    pub path: Glob,
    /// The cargo target, like `test:sketch`.
    pub target: Option<Glob>,
    /// What is asked of it.
    pub options: Options,
    /// Until when it cannot fail.
    pub quarantine: Option<Quarantine>,
    /// The line of the rule.
    pub line: usize,
}

/// A kind of machine.
#[derive(Debug, Clone, PartialEq)]
pub struct VariantRule {
    /// The name of the variant.
    pub name: String,
    /// The operating system, as `std::env::consts::OS` names it.
    pub os: Option<String>,
    /// The processor, as `std::env::consts::ARCH` names it.
    pub arch: Option<String>,
}

impl Config {
    /// What is asked of a test. Of several rules, the first that says something counts.
    pub fn options(&self, test: &TestId) -> Options {
        self.tests
            .iter()
            .filter(|rule| rule.holds_for(test))
            .fold(Options::NONE, |options, rule| options.or(rule.options))
            .or(self.defaults)
    }

    /// Until when a test cannot fail, by the first rule that says so.
    pub fn quarantine(&self, test: &TestId) -> Option<&Quarantine> {
        let mut rules = self.tests.iter().filter(|rule| rule.holds_for(test));
        rules.find_map(|rule| rule.quarantine.as_ref())
    }

    /// The variant of a machine, if it has one: the first rule that names it.
    pub fn variant(&self, os: &str, arch: &str) -> Option<&str> {
        let is = |stated: &Option<String>, here: &str| stated.as_deref().is_none_or(|s| s == here);
        self.variants
            .iter()
            .find(|rule| is(&rule.os, os) && is(&rule.arch, arch))
            .map(|rule| rule.name.as_str())
    }
}

impl TestRule {
    /// Whether the rule is about this test.
    pub fn holds_for(&self, test: &TestId) -> bool {
        let of_target = |glob: &Glob| test.target().is_some_and(|target| glob.matches(target));
        self.path.matches(test.name()) && self.target.as_ref().is_none_or(of_target)
    }
}
