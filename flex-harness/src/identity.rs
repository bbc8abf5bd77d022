//! Where a test is, and what cargo and libtest call it.

use std::path::Path;

/// Where a test is, as the compiler knows it. Made by [`__identity!`](crate::__identity).
#[derive(Debug)]
pub struct Identity {
    /// The path of the function, with the crate.
    pub path: &'static str,
    /// A text by which `cargo flex` finds the test in the executable.
    pub marker: &'static str,
    /// The source file.
    pub file: &'static str,
    /// The line in it.
    pub line: u32,
    /// The package.
    pub package: &'static str,
    /// The folder of the package at compile time.
    pub manifest_dir: &'static str,
    /// The crate.
    pub crate_name: &'static str,
    /// Set in binaries and examples.
    pub binary: Option<&'static str>,
    /// Set in integration tests and benches.
    pub tmpdir: Option<&'static str>,
    /// The features that its crate was compiled with, separated by commas.
    pub features: &'static str,
    /// Whether the test is `#[ignore]`d.
    pub ignored: bool,
}

/// The [`Identity`] of a test, to be called in its module. Name and features are literals, `ignored` a literal or a
/// `cfg!(…)`.
#[doc(hidden)]
#[macro_export]
macro_rules! __identity {
    ($name:literal, $features:literal, $($ignored:tt)*) => {
        $crate::__private::Identity {
            path: ::core::concat!(::core::module_path!(), "::", $name),
            marker: ::core::concat!(
                "\u{1e}flex test 1\u{1f}",
                ::core::module_path!(),
                "::",
                $name,
                "\u{1f}",
                $($ignored)*,
                "\u{1e}"
            ),
            file: ::core::file!(),
            line: ::core::line!(),
            package: ::core::env!("CARGO_PKG_NAME"),
            manifest_dir: ::core::env!("CARGO_MANIFEST_DIR"),
            crate_name: ::core::env!("CARGO_CRATE_NAME"),
            binary: ::core::option_env!("CARGO_BIN_NAME"),
            tmpdir: ::core::option_env!("CARGO_TARGET_TMPDIR"),
            features: $features,
            ignored: $($ignored)*,
        }
    };
}

impl Identity {
    /// The path without the crate: what libtest calls the test.
    pub fn name(&self) -> &'static str {
        let path = self.path;
        path.split_once("::").map_or(path, |(_, name)| name)
    }

    /// The cargo target, as the bounds file names it.
    pub fn target(&self) -> String {
        let Identity {
            crate_name,
            binary,
            tmpdir,
            file,
            ..
        } = *self;
        match (binary, tmpdir) {
            (Some(name), _) if runs_from_examples() => format!("example:{name}"),
            (Some(name), _) => format!("bin:{name}"),
            (None, Some(_)) => {
                let is_bench = Path::new(file).iter().any(|part| part == "benches");
                let kind = if is_bench { "bench" } else { "test" };
                format!("{kind}:{crate_name}")
            }
            (None, None) => "lib".to_owned(),
        }
    }
}

/// Cargo sets the same variables for examples and binaries, but puts examples into a folder of their own.
fn runs_from_examples() -> bool {
    let folder = std::env::current_exe().ok();
    folder.is_some_and(|exe| {
        exe.parent()
            .is_some_and(|folder| folder.ends_with("examples"))
    })
}
