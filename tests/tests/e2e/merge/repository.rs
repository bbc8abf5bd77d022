//! A crate under version control, with branches.

use flex_tests::project::{NORMAL, Project};
use flex_tests::{Said, run};

/// A crate under version control, with the knobs of its code in files of their own, so that branches can turn them.
pub struct Repository {
    pub project: Project,
}

const LIBRARY: &str = r#"
mod left;
mod right;

/// What both branches may change.
pub fn shift() -> f64 {
    left::SHIFT + right::SHIFT
}
"#;

/// A test file: each test on lines of its own.
pub fn tests(name: &str, tests: &[&str]) -> String {
    let mut text = format!("use flex_harness::prelude::*;\nuse {name}::{{normal, shift}};\n");
    for test in tests {
        text += &format!(
            "\n#[stochastic_test]\nfn {test}(rng: &mut TestRng) {{\n    let x = normal(rng, shift());\n    \
             assert_tail_bound!(x < _);\n}}\n\n// {test} ends here.\n"
        );
    }
    text
}

impl Repository {
    /// The crate, calibrated and committed.
    pub fn new(name: &str, names: &[&str]) -> Self {
        let project = Project::new(
            name,
            "",
            &[
                ("src/lib.rs", &format!("{NORMAL}\n{LIBRARY}")),
                ("src/left.rs", "pub const SHIFT: f64 = 0.0;\n"),
                ("src/right.rs", "pub const SHIFT: f64 = 0.0;\n"),
                ("tests/tests.rs", &tests(name, names)),
            ],
        );
        let repository = Repository { project };
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository.calibrate(&[]).says(0, &[]);
        repository.commit();
        repository
    }

    /// Runs git, whatever the user's own configuration is.
    pub fn try_git(&self, args: &[&str]) -> Said {
        let mut command = self.project.command("git", &[]);
        command
            .args(["-c", "user.name=flex", "-c", "user.email=flex@localhost"])
            .args(args)
            .env("GIT_CONFIG_GLOBAL", "")
            .env("GIT_CONFIG_NOSYSTEM", "1");
        run(&mut command, "")
    }

    #[track_caller]
    pub fn git(&self, args: &[&str]) -> Said {
        let said = self.try_git(args);
        assert_eq!(said.code, 0, "git {args:?}: {said}");
        said
    }

    pub fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message=learned"]);
    }

    pub fn calibrate(&self, args: &[&str]) -> Said {
        self.project.calibrate(args, &[])
    }

    /// Commits a change on a branch of its own, and comes back.
    pub fn branch(&self, name: &str, change: impl FnOnce(&Project)) {
        self.git(&["checkout", "--quiet", "-b", name]);
        change(&self.project);
        self.commit();
        self.git(&["checkout", "--quiet", "main"]);
    }

    /// Merges the branches `left` and `right`; whether git managed to.
    pub fn merge(&self) -> bool {
        self.git(&["merge", "--quiet", "left"]);
        let said = self.try_git(&["merge", "--quiet", "right"]);
        if said.code != 0 {
            // Only the bounds file is in conflict, never the code.
            let files = self.git(&["diff", "--name-only", "--diff-filter=U"]).out;
            assert_eq!(files, "flex-bounds.toml\n", "{said}");
        }
        said.code == 0
    }

    /// Asserts that the tests pass, under a fixed seed.
    #[track_caller]
    pub fn is_green(&self) {
        let said = self.project.cargo(&["test"], &[("FLEX_SEED", "fixed")]);
        assert_eq!(said.code, 0, "{said}");
    }
}
