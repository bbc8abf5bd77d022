//! Statistical assertions for tests of randomised code.

#![forbid(unsafe_code)]

pub mod calibrate;
#[cfg(feature = "main")]
mod custom_main;
mod enforce;
pub mod env;
mod harness;
mod measure;
mod picture;
mod record;
mod recorder;
mod replay;
mod report;
mod rng;
mod run;
mod site;
pub mod store;
mod test;

pub use flex_macros::{assert_close, assert_tail_bound, stochastic_test};
pub use measure::{IntoDomain, Item, Measured, Measurements};
pub use recorder::{Scope, scope};
pub use rng::TestRng;

/// What a test needs: `use flex_harness::prelude::*;`.
pub mod prelude {
    pub use crate::{Measured, TestRng, assert_close, assert_tail_bound, stochastic_test};
}

/// What the macros expand to. Not for use by hand.
#[doc(hidden)]
pub mod __private {
    pub use crate::measure::{IntoDomain, Measurement, margin, measured};
    pub use crate::recorder::{close, declared, learned};
    pub use crate::rng::TestRng;
    pub use crate::site::{Ends, Extras, Site, Tolerance};
    pub use crate::test::{Ending, Identity, Options, Registration, Test};
    pub use flex_core::tail::Tail;
    pub use inventory;

    #[cfg(feature = "main")]
    pub use crate::custom_main::main;
    pub use crate::harness::run;
}

/// The main function of a test target with `harness = false`; needs the feature `main`.
#[cfg(feature = "main")]
#[macro_export]
macro_rules! main {
    () => {
        fn main() -> ::std::process::ExitCode {
            $crate::__private::main()
        }
    };
}

/// The main function of a test target with `harness = false`; needs the feature `main`.
#[cfg(not(feature = "main"))]
#[macro_export]
macro_rules! main {
    () => {
        ::core::compile_error!(
            "`flex_harness::main!()` needs the feature `main`: flex-harness = { version = \"…\", features = [\"main\"] }"
        );
    };
}
