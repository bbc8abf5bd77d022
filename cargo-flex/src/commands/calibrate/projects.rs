//! The settings of the tests' projects, by package: `flex.toml`, and the variant of this machine.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use flex_bounds::suite::SuiteBudget;
use flex_run::project::config::Project;
use flex_run::project::env;

use crate::cargo::FoundTest;
use crate::exit::Failure;
use crate::terminal;

/// The projects, by the folder of the package.
pub struct Projects {
    projects: BTreeMap<PathBuf, Project>,
    /// The variant that the environment states.
    variant: Option<String>,
}

impl Projects {
    /// Reads what holds for these tests.
    pub fn read(tests: &[FoundTest<'_>]) -> Result<Self, Failure> {
        let wrong = |error: String| Failure::input(error, "nothing was run");
        let mut projects = BTreeMap::new();
        for test in tests {
            let folder = &test.program.package_folder;
            if !projects.contains_key(folder) {
                let project = Project::of_package(folder).map_err(wrong)?;
                projects.insert(folder.clone(), project);
            }
        }
        Ok(Projects {
            projects,
            variant: env::variant().map_err(wrong)?,
        })
    }

    fn project(&self, test: &FoundTest<'_>) -> Option<&Project> {
        self.projects.get(&test.program.package_folder)
    }

    /// The variant that the bounds of a test are learned for.
    pub fn variant(&self, test: &FoundTest<'_>) -> Option<&str> {
        let of_project = || self.project(test).and_then(Project::variant);
        self.variant.as_deref().or_else(of_project)
    }

    /// The budget of the suite that a test belongs to.
    pub fn suite_budget(&self, test: &FoundTest<'_>) -> Option<SuiteBudget> {
        self.project(test)
            .and_then(|project| project.config.false_alarms)
    }

    /// A rule that names no test is probably mistyped. Files above the packages may be about others.
    pub fn warn_of_idle_rules(&self, tests: &[FoundTest<'_>]) -> Result<(), Failure> {
        for (folder, project) in &self.projects {
            let Some(path) = &project.path else { continue };
            if path.parent() != Some(folder) {
                continue;
            }
            let in_package = || tests.iter().filter(|t| t.program.package_folder == *folder);
            for rule in &project.config.tests {
                let holds = |test: &FoundTest<'_>| rule.holds_for(&test.id());
                if !in_package().any(holds) {
                    writeln!(
                        terminal::stderr(),
                        "warning: {}:{}: `{}` names no stochastic test",
                        path.display(),
                        rule.line,
                        rule.path
                    )?;
                }
            }
        }
        Ok(())
    }
}
