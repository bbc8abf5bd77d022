//! The words by which cargo runs a test again.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::OnceLock;

use flex_bounds::config::feature_options;
use flex_core::words::quoted;
use flex_run::text_file;

use crate::identity::Identity;

/// The arguments of `cargo test` that run exactly this test.
pub(crate) fn selection(test: &Identity) -> String {
    let mut words = format!("-p {}", test.package);
    words += &profile(&std::env::current_exe().unwrap_or_default());
    for option in features(test) {
        let _ = write!(words, " {}", quoted(option));
    }
    let target = test.target();
    match target.split_once(':') {
        Some((kind, name)) => {
            let name = cargo_name(name, test.file);
            let _ = write!(words, " --{kind} {name}");
        }
        None => words += " --lib",
    }
    let ignored = if test.ignored {
        " --include-ignored"
    } else {
        ""
    };
    format!("{words} -- --exact{ignored} {}", test.name())
}

/// The options for the features that the test was built with, which all tests of a program have in common. The manifest
/// may be gone by now; then all are named.
fn features(test: &Identity) -> &'static [String] {
    static OPTIONS: OnceLock<Vec<String>> = OnceLock::new();
    OPTIONS.get_or_init(|| {
        let manifest = Path::new(test.manifest_dir).join("Cargo.toml");
        let manifest = text_file::read_text(&manifest).ok().flatten();
        feature_options(&manifest.unwrap_or_default(), test.features)
    })
}

/// What cargo calls a target: the crate has underscores where the target may have hyphens.
fn cargo_name(crate_name: &str, file: &str) -> String {
    let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str());
    match stem {
        Some(stem) if stem.replace('-', "_") == crate_name => stem.to_owned(),
        _ if crate_name.contains('_') => quoted(&crate_name.replace('_', "[-_]")),
        _ => crate_name.to_owned(),
    }
}

/// The option for the profile that the executable was built with, by the folder that cargo puts it into.
fn profile(exe: &Path) -> String {
    let folder = exe
        .parent()
        .and_then(Path::parent)
        .and_then(Path::file_name);
    match folder.and_then(|name| name.to_str()) {
        None | Some("debug") => String::new(),
        Some("release") => " --release".to_owned(),
        Some(name) => format!(" --profile {}", quoted(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hyphens_of_a_target_are_found_again() {
        assert_eq!(cargo_name("my_test", "tests/my-test.rs"), "my-test");
        assert_eq!(cargo_name("my_test", "tests/my_test.rs"), "my_test");
        assert_eq!(
            cargo_name("my_test", "tests/my-test/part.rs"),
            "'my[-_]test'"
        );
        assert_eq!(cargo_name("sketch", "tests/sketch/part.rs"), "sketch");
    }

    #[test]
    fn the_profile_is_that_of_the_folder() {
        let check = |exe: &str, expected: &str| assert_eq!(profile(Path::new(exe)), expected);
        check("target/debug/deps/sketch-1", "");
        check("release/target/debug/examples/sketch-1", "");
        check("target/release/deps/sketch-1", " --release");
        check("target/bench/deps/sketch-1", " --profile bench");
    }
}
