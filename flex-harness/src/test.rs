//! A stochastic test as its attribute registers it.

use std::fmt::Debug;

use flex_bounds::options::Options;

use flex_run::model::{Place, Test, TestId};
use flex_run::project::config::Project;
use flex_run::project::env;
use flex_run::project::github::annotation;

use crate::identity::Identity;
use crate::replay::selection;
use crate::rng::TestRng;

/// A stochastic test.
#[derive(Debug)]
pub struct StochasticTest {
    /// Where it is.
    pub identity: Identity,
    /// What its attribute says.
    pub options: Options,
    /// The hash of its source.
    pub fingerprint: &'static str,
    /// Its body.
    pub body: fn(&mut TestRng) -> Result<(), String>,
}

/// A registered test; `inventory` collects them.
#[derive(Debug)]
pub struct Registration(pub &'static StochasticTest);

inventory::collect!(Registration);

/// What a test may return.
#[diagnostic::on_unimplemented(
    message = "a stochastic test returns `()` or `Result<(), E>` with `E: Debug`, not `{Self}`",
    label = "not something a stochastic test returns"
)]
pub trait Ending {
    /// The error, as text.
    fn ending(self) -> Result<(), String>;
}

impl Ending for () {
    fn ending(self) -> Result<(), String> {
        Ok(())
    }
}

impl<E: Debug> Ending for Result<(), E> {
    fn ending(self) -> Result<(), String> {
        self.map_err(|error| format!("{error:?}"))
    }
}

impl StochasticTest {
    /// What libtest calls the test.
    pub fn name(&self) -> &'static str {
        self.identity.name()
    }

    /// The test as a plain value, in its project.
    pub(crate) fn in_project(&self, project: &Project) -> Test {
        let id = self.id();
        Test {
            package: Some(self.identity.package.to_owned()),
            fingerprint: self.fingerprint.to_owned(),
            selection: selection(&self.identity),
            place: Place::new(self.identity.file, self.identity.line),
            options: self.options.or(project.config.options(&id)),
            suite: project.config.false_alarms,
            id,
        }
    }

    /// What GitHub shows beside the source if the test failed, at the assertion that failed where that is known; nothing
    /// elsewhere.
    pub(crate) fn annotation(&self, words: &str, at: Option<&Place>) -> String {
        let test = Place::new(self.identity.file, self.identity.line);
        let title = format!("flex: {}", self.name());
        let package = env::package_folder(self.identity.manifest_dir);
        annotation(&package, at.unwrap_or(&test), &title, words).unwrap_or_default()
    }

    /// Which test it is.
    pub(crate) fn id(&self) -> TestId {
        TestId::cargo(self.identity.target(), self.name())
    }
}
