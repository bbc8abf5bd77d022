//! What must hold for every input: a function for each sort of input, which panics where it does not hold.
//!
//! The fuzzer calls them (`cargo xtask fuzz`), and so does a test, with the inputs in `corpus`. A program of a target
//! that was built without the fuzzer replays the files that it is given.

#![forbid(unsafe_code)]

mod replay;
pub mod targets;

pub use replay::replay;

/// A sort of input.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The name of its program and of the folder with its corpus.
    pub name: &'static str,
    /// Panics if an input shows that something does not hold.
    pub check: fn(&[u8]),
}

/// Declares a table of targets by the names of their functions.
macro_rules! targets {
    ($($name:ident)*) => {
        [$(Target { name: stringify!($name), check: targets::$name }),*]
    };
}

/// All targets.
pub const TARGETS: [Target; 11] = targets! {
    bounds_file bounds_edit bounds_conflict flex_toml record wire rust_source python_source engine jsonl history
};

/// Makes the program of a target.
#[macro_export]
macro_rules! fuzz_target {
    ($check:path) => {
        #[cfg(libfuzzer)]
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $check(bytes));

        #[cfg(not(libfuzzer))]
        fn main() -> std::process::ExitCode {
            $crate::replay($check)
        }
    };
}
