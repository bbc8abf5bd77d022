//! The main function of test targets with `harness = false`, where `#[test]` functions vanish.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

use crate::harness::run_to_text;
use crate::test::Registration;

/// Runs the registered tests with the arguments of libtest.
pub fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut tests: Vec<_> = inventory::iter::<Registration>
        .into_iter()
        .map(|registration| registration.0)
        .collect();
    tests.sort_by_key(|test| test.name());
    let trials = tests
        .into_iter()
        .map(|test| {
            Trial::test(test.name(), || run_to_text(test).map_err(Failed::from))
                .with_ignored_flag(test.identity.ignored)
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}
